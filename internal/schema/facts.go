package main

import (
	"github.com/invopop/jsonschema"

	v1 "policyd/api/v1"
)

// factsSchema describes the policy input. It is in one piece, without references, versions and descriptions,
// since OPA's checker needs only types. Values are not enumerated: a rule may ask for a value that only a
// later extractor produces.
func factsSchema(reflector *jsonschema.Reflector) (map[string]any, error) {
	inline := *reflector
	inline.DoNotReference = true
	inline.CommentMap = nil
	schema := inline.Reflect(&v1.Judged{})
	schema.Version = "http://json-schema.org/draft-07/schema#"
	schema.Title = "policyd policy input: the facts of a call, and what is remembered"
	return schemaMap(schema)
}
