package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// shape is what decides how a field is written.
type shape string

const (
	text      shape = "text"
	namedText shape = "named text"
	truth     shape = "truth"
	number    shape = "number"
	texts     shape = "texts"
	set       shape = "set"
	form      shape = "form"
	values    shape = "values"
	object    shape = "object"
	objects   shape = "objects"

	// Only records and decisions have these.
	effect      shape = "effect"
	moment      shape = "moment"
	pointer     shape = "pointer"
	textMap     shape = "map of texts"
	numberMap   shape = "map of numbers"
	argumentMap shape = "map of arguments"
	objectMap   shape = "map of objects"
)

// field is one member of an object in JSON.
type field struct {
	// owner is the type that the field is in, and name its name there.
	owner reflect.Type
	name  string
	key   string
	// omitted is true if JSON leaves out an empty value.
	omitted bool
	shape   shape
	// typ is the type of the field; of a list, map or pointer, that of its element.
	typ reflect.Type
}

func (f *field) String() string { return f.owner.Name() + "." + f.name }

// known are the types with their own form, whatever their parts.
var known = map[reflect.Type]shape{
	reflect.TypeFor[string]():            text,
	reflect.TypeFor[[]string]():          texts,
	reflect.TypeFor[v1.Set]():            set,
	reflect.TypeFor[v1.Form]():           form,
	reflect.TypeFor[v1.Values]():         values,
	reflect.TypeFor[v1.Effect]():         effect,
	reflect.TypeFor[time.Time]():         moment,
	reflect.TypeFor[map[string]string](): textMap,
	reflect.TypeFor[map[string]int64]():  numberMap,
	reflect.TypeFor[map[string]any]():    argumentMap,
}

// shapeOf returns the shape of a type, and its element type.
func shapeOf(t reflect.Type) (shape, reflect.Type, error) {
	if found, ok := known[t]; ok {
		return found, t, nil
	}
	switch t.Kind() { //nolint:exhaustive // the rest is refused
	case reflect.String:
		return namedText, t, nil
	case reflect.Bool:
		return truth, t, nil
	case reflect.Int, reflect.Int64:
		return number, t, nil
	case reflect.Struct:
		return object, t, nil
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			return pointer, t.Elem(), nil
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return objects, t.Elem(), nil
		}
	case reflect.Map:
		if t.Key() == reflect.TypeFor[string]() && t.Elem().Kind() == reflect.Struct {
			return objectMap, t.Elem(), nil
		}
	}
	return "", nil, fmt.Errorf("no way to write a %s", t)
}

// fieldsOf returns the members of an object in JSON, in order.
func fieldsOf(t reflect.Type) ([]field, error) {
	var fields []field
	for i := range t.NumField() {
		member := t.Field(i)
		if member.Anonymous && member.Tag.Get("json") == "" {
			embedded, err := fieldsOf(member.Type)
			if err != nil {
				return nil, err
			}
			fields = append(fields, embedded...)
			continue
		}
		key, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		switch {
		case key == "-" && options == "":
			continue
		case key == "" || !member.IsExported():
			return nil, fmt.Errorf("%s.%s: no name in JSON", t.Name(), member.Name)
		case options != "" && options != "omitempty":
			return nil, fmt.Errorf("%s.%s: no way to write %q", t.Name(), member.Name, options)
		}
		found, typ, err := shapeOf(member.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name(), member.Name, err)
		}
		fields = append(fields, field{
			owner: t, name: member.Name, key: key, omitted: options != "", shape: found, typ: typ,
		})
	}
	return fields, nil
}

// structure is a type and its members.
type structure struct {
	reflect.Type
	fields []field
}

// structures returns the root and every type below it, each once, except for those below a type for which
// stop is true.
func structures(root reflect.Type, stop func(field) bool) ([]structure, error) {
	var found []structure
	seen := map[reflect.Type]bool{root: true}
	for queue := []reflect.Type{root}; len(queue) > 0; queue = queue[1:] {
		fields, err := fieldsOf(queue[0])
		if err != nil {
			return nil, err
		}
		found = append(found, structure{queue[0], fields})
		for _, member := range fields {
			if member.hasObjects() && !stop(member) && !seen[member.typ] {
				seen[member.typ] = true
				queue = append(queue, member.typ)
			}
		}
	}
	return found, nil
}

func (f *field) hasObjects() bool {
	switch f.shape { //nolint:exhaustive // the rest has none
	case object, objects, pointer, objectMap:
		return true
	}
	return false
}

// function is the name of the function that writes a type; a type without a name has none.
func function(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return strings.ToLower(t.Name()[:1]) + t.Name()[1:]
}
