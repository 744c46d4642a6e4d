package main

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	v1 "policyd/api/v1"
)

// always is a part of a condition that is never false.
const always = "true"

// Ways to write a field of the policy input.
var (
	// asTerm is for the engine; see inputBuilder.
	asTerm = table{
		text: "b.string({v})", namedText: "b.string(string({v}))", truth: "ast.InternedTerm({v})", number: "ast.InternedTerm({v})",
		texts: "b.strings({v})", set: "b.set({v})", form: "b.form({v})", values: "b.values({v})",
		object: "b.{T}(&{v})", objects: "list(b, {v}, (*inputBuilder).{T})",
	}
	// asKey is for inputs that were judged before; see inputWriter.
	asKey = table{
		text: "w.text({v})", namedText: "w.text(string({v}))", truth: "w.truth({v})", number: "w.number({v})",
		texts: "w.list({v})", set: "w.list({v})", form: "w.form({v})", values: "w.values({v})",
		object: "w.{T}(&{v})", objects: "keyEach(w, {v}, (*inputWriter).{T})",
	}
	// same compares a part that is kept with another.
	same = table{
		text: "{v} == {w}", namedText: "{v} == {w}", truth: "{v} == {w}", number: "{v} == {w}",
		texts: "slices.Equal({v}, {w})", set: "slices.Equal({v}, {w})", form: "slices.Equal({v}, {w})",
		values: "sameValues({v}, {w})",
	}
	// takes is true for a value that is short enough to be kept.
	takes = table{
		text: "r.words.fits({v})", namedText: "r.words.fits(string({v}))", truth: always, number: always,
		texts: "r.arrays.fits({v}, r.words.fits)", set: "r.sets.fits({v}, r.words.fits)",
		form: "r.forms.fits({v}, r.takesEntry)", values: "takesValues({v})",
	}
	// own copies a part into the room of the one that was kept before.
	own = table{
		text: "b.own({v})", namedText: "v1.{type}(b.own(string({v})))", truth: "{v}", number: "{v}",
		texts: "owned({w}, {v}, b.own)", set: "owned({w}, {v}, b.own)", form: "owned({w}, {v}, b.ownEntry)",
		values: "{v}.Clone()",
	}
	// empty is true for a zero value; an empty list is one.
	empty = table{
		text: `{v} == ""`, namedText: `{v} == ""`, truth: "!{v}", number: "{v} == 0",
		texts: "len({v}) == 0", set: "len({v}) == 0", form: "len({v}) == 0", values: "len({v}) == 0",
		object: "{T}Empty(&{v})", objects: "len({v}) == 0",
	}
)

// differently are the members whose term isn't that of the field alone. Those of Judged follow from the
// input, so its key leaves them out.
var differently = map[string]string{
	"ToolFacts.Act": "b.string(v.JudgedAs())",
	"Judged.Line":   "b.line(v.Items)",
}

// Types that inputBuilder writes by functions of its own, since it keeps their terms. Of
// those in bounded it keeps only what is short.
var (
	kept = map[reflect.Type]bool{
		reflect.TypeFor[v1.ToolFacts](): true, reflect.TypeFor[v1.SessionFacts](): true, reflect.TypeFor[v1.Item](): true,
	}
	bounded = map[reflect.Type]bool{reflect.TypeFor[v1.Item](): true}
	// seldom are types that most inputs leave empty.
	seldom = map[reflect.Type]bool{reflect.TypeFor[v1.MethodFacts](): true}
)

// inputCode writes bundles/input_gen.go. The root is what rules read.
func inputCode(root reflect.Type) ([]byte, error) {
	all, err := structures(root, func(member field) bool { return differently[member.String()] != "" })
	if err != nil {
		return nil, err
	}
	c := newCode("bundles")
	c.line("import (\n\"slices\"\n\n\"github.com/open-policy-agent/opa/v1/ast\"\n\nv1 \"policyd/api/v1\"\n)")
	c.names(all)
	emptied := withParts(seldom, all)
	for _, each := range all {
		if err := errors.Join(c.termFunctions(each, root), c.keyFunction(each, root), c.keptFunctions(each)); err != nil {
			return nil, err
		}
		if emptied[each.Type] {
			if err := c.condition(function(each.Type)+"Empty(v *v1."+each.Name()+") bool", each, empty); err != nil {
				return nil, err
			}
		}
	}
	return c.formatted()
}

// withParts are some types, and the objects within them.
func withParts(of map[reflect.Type]bool, all []structure) map[reflect.Type]bool {
	found := maps.Clone(of)
	for _, each := range all { // each comes before its parts
		for _, member := range each.fields {
			if found[each.Type] && member.shape == object {
				found[member.typ] = true
			}
		}
	}
	return found
}

// names writes the names of all members as terms.
func (c *code) names(all []structure) {
	c.line("\n// inputNames holds the names of the members of each kind of object, in order.\ntype inputNames struct {")
	for _, each := range all {
		c.line("%s [%d]*ast.Term", function(each.Type), len(each.fields))
	}
	c.line("}\n\nfunc (w *vocabulary) inputNames() inputNames {\nreturn inputNames{")
	for _, each := range all {
		c.line("%s: [%d]*ast.Term(w.terms(", function(each.Type), len(each.fields))
		for _, member := range each.fields {
			c.line("%q,", member.key)
		}
		c.line(")),")
	}
	c.line("}\n}")
}

// parameter is the type of what a function writes: the line of what is judged follows
// from the input.
func parameter(s structure, root reflect.Type) string {
	if s.Type == root {
		return reflect.TypeFor[v1.Input]().Name()
	}
	return s.Name()
}

func (c *code) termFunctions(s structure, root reflect.Type) error {
	name, typ := function(s.Type), parameter(s, root)
	c.line("\nfunc (b *inputBuilder) %sObject(v *v1.%s) ast.Object {\nnames := &b.names.%s\nreturn ast.NewObject([][2]*ast.Term{", name, typ, name)
	for i, member := range s.fields {
		value, err := differently[member.String()], error(nil)
		if value == "" {
			value, err = asTerm.write(member, "")
		}
		if err != nil {
			return err
		}
		c.line("{names[%d], %s},", i, value)
	}
	c.line("}...)\n}")
	if !kept[s.Type] && !seldom[s.Type] {
		c.line("\nfunc (b *inputBuilder) %s(v *v1.%s) *ast.Term { return b.term(b.%sObject(v)) }", name, typ, name)
	}
	return nil
}

func (c *code) keyFunction(s structure, root reflect.Type) error {
	c.line("\nfunc (w *inputWriter) %s(v *v1.%s) {", function(s.Type), parameter(s, root))
	for _, member := range s.fields {
		if member.owner == root && differently[member.String()] != "" {
			continue
		}
		written, err := asKey.write(member, "")
		if err != nil {
			return err
		}
		c.line("%s", written)
	}
	c.line("}")
	return nil
}

// keptFunctions writes what is needed to keep a type.
func (c *code) keptFunctions(s structure) error {
	if !kept[s.Type] {
		return nil
	}
	name, typ := function(s.Type), s.Name()
	if err := c.condition(name+"Same(v, w *v1."+typ+") bool", s, same); err != nil {
		return err
	}
	c.line("\nfunc (b *inputBuilder) %sOwn(w, v *v1.%s) {\n*w = v1.%s{", name, typ, typ)
	for _, member := range s.fields {
		value, err := own.write(member, "")
		if err != nil {
			return err
		}
		c.line("%s: %s,", member.name, value)
	}
	c.line("}\n}")
	if bounded[s.Type] {
		return c.condition("(r *recent) "+name+"Taken(v *v1."+typ+") bool", s, takes)
	}
	return nil
}

// condition writes a function that is true if something is true of every member.
func (c *code) condition(signature string, s structure, of table) error {
	fmt.Fprintf(c, "\nfunc %s {\nreturn ", signature)
	var parts []string
	for _, member := range s.fields {
		part, err := of.write(member, "")
		if err != nil {
			return err
		}
		if part != always {
			parts = append(parts, part)
		}
	}
	c.line("%s\n}", strings.Join(parts, " &&\n"))
	return nil
}
