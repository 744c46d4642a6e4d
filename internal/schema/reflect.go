package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/invopop/jsonschema"

	v1 "policyd/api/v1"
)

// typesPackage is the package of the described types.
const typesPackage = "policyd/api/v1"

// requirement matches the ids of requirements that comments name for developers, such
// as "(P7)" or "(N1 to N8)": a reader of the description can't look them up.
var requirement = regexp.MustCompile(` ?\([ACDNPSV]\d{1,2}(?:(?:,| and| to) [ACDNPSV]?\d{1,2})*\)`)

// newReflector reads the comments of the types below root, which become
// descriptions.
func newReflector(root string) (*jsonschema.Reflector, error) {
	reflector := &jsonschema.Reflector{Anonymous: true, Mapper: special, ExpandedStruct: true}
	directory := filepath.Join(root, "api", "v1")
	if err := reflector.AddGoComments(path.Dir(path.Dir(typesPackage)), directory, jsonschema.WithFullComment()); err != nil {
		return nil, fmt.Errorf("read comments: %w", err)
	}
	comments := reflector.CommentMap
	reflector.CommentMap = map[string]string{}
	for name, text := range comments {
		// The keys have the directory as it was given; types are looked up by import path.
		_, local, found := strings.Cut(filepath.ToSlash(name), "/api/v1.")
		if found {
			reflector.CommentMap[typesPackage+"."+local] = requirement.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
		}
	}
	if len(reflector.CommentMap) == 0 {
		return nil, fmt.Errorf("read comments: %w", fs.ErrNotExist)
	}
	return reflector, nil
}

// special are the schemas of types that write their own JSON.
func special(goType reflect.Type) *jsonschema.Schema {
	switch goType {
	case reflect.TypeFor[v1.Effect]():
		return &jsonschema.Schema{Type: "string", Enum: []any{"deny", "prompt", "allow"}}
	case reflect.TypeFor[v1.Set]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "boolean"}}
	case reflect.TypeFor[v1.Form]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
	case reflect.TypeFor[v1.Values]():
		return &jsonschema.Schema{
			Type:                 "object",
			AdditionalProperties: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}},
		}
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{Type: "object"}
	}
	return nil
}

// schemaMap turns a schema into maps, whose keys JSON writes in order.
func schemaMap(schema *jsonschema.Schema) (map[string]any, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	var members map[string]any
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("decode schema: %w", err)
	}
	return members, nil
}
