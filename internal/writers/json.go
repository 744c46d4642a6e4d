package main

import (
	"fmt"
	"reflect"
	"slices"

	v1 "policyd/api/v1"
)

// asJSON writes a field after its key; see the writer in internal/wire.
var asJSON = table{
	text: "w.text({key}, {v})", namedText: "w.text({key}, string({v}))", truth: "w.truth({key}, {v})", number: "w.number({key}, int64({v}))",
	texts: "w.texts({key}, {v})", set: "w.set({key}, {v})", form: "w.form({key}, {v})", values: "w.values({key}, {v})",
	effect: "w.effect({key}, {v})", moment: "w.moment({key}, {v})",
	object: "w.raw({key})\nw.{T}(&{v})", objects: "each(w, {key}, {v}, w.{T})", pointer: "pointer(w, {key}, {v}, w.{T})",
	textMap: "members(w, {key}, {v}, w.quote)", numberMap: "members(w, {key}, {v}, w.count)",
	argumentMap: "members(w, {key}, {v}, w.argument)", objectMap: "members(w, {key}, {v}, func(one v1.{type}) { w.{T}(&one) })",
}

// present is true for a value that isn't left out as an empty one.
var present = table{
	text: `{v} != ""`, namedText: `{v} != ""`, truth: "{v}", number: "{v} != 0",
	texts: "len({v}) > 0", objects: "len({v}) > 0", pointer: "{v} != nil",
}

// byJSON are types that are so seldom there that the JSON package writes them.
var byJSON = map[reflect.Type]bool{
	reflect.TypeFor[v1.Prompt](): true, reflect.TypeFor[v1.Explanation](): true,
	reflect.TypeFor[v1.JSONRPCError](): true, reflect.TypeFor[v1.Obligation](): true,
}

// remembered are the members whose text is kept with an input, and which the package writes by functions of
// its own.
var remembered = map[string]string{
	"Record.Input":  "w.knownInput({key}, v.Input, v.Known)",
	"Record.Call":   "w.knownCall({key}, v.Call, v.Known)",
	"Record.Result": "w.knownResult({key}, &v.Result, v.Known)",
}

// composed are types that the package writes itself, since it keeps the text of some members.
var composed = []reflect.Type{reflect.TypeFor[v1.RecordResult]()}

// jsonCode writes internal/wire/json_gen.go.
func jsonCode(roots ...reflect.Type) ([]byte, error) {
	c := newCode("wire")
	c.line("import v1 \"policyd/api/v1\"")
	seen := map[reflect.Type]bool{}
	for _, root := range roots {
		all, err := structures(root, func(member field) bool { return byJSON[member.typ] })
		if err != nil {
			return nil, err
		}
		for _, each := range all {
			if seen[each.Type] {
				continue
			}
			seen[each.Type] = true
			if slices.Contains(composed, each.Type) {
				continue
			}
			if err := c.jsonFunction(each); err != nil {
				return nil, err
			}
		}
	}
	return c.formatted()
}

func (c *code) jsonFunction(s structure) error {
	c.line("\nfunc (w *writer) %s(v *v1.%s) {", function(s.Type), s.Name())
	if len(s.fields) == 0 || s.fields[0].omitted {
		return fmt.Errorf("%s: no way to write an object whose first member may be missing", s.Name())
	}
	for i, member := range s.fields {
		before := ","
		if i == 0 {
			before = "{"
		}
		if err := c.jsonMember(member, fmt.Sprintf("`%s%q:`", before, member.key)); err != nil {
			return err
		}
	}
	c.line("w.raw(\"}\")\n}")
	return nil
}

func (c *code) jsonMember(member field, key string) error {
	way := asJSON
	if byJSON[member.typ] {
		way = table{objects: "w.other({key}, {v})", pointer: "seldom(w, {key}, {v})"}
	}
	if kept := remembered[member.String()]; kept != "" {
		way = table{member.shape: kept}
	}
	written, err := way.write(member, key)
	if err != nil {
		return err
	}
	if member.omitted {
		condition, err := present.write(member, "")
		if err != nil {
			return err
		}
		written = "if " + condition + " {\n" + written + "\n}"
	}
	c.line("%s", written)
	return nil
}
