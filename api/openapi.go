// Package api is the contract: the types in v1, and the description of the HTTP API that is generated from
// them.
package api

import _ "embed"

//go:embed openapi.json
var description []byte

// OpenAPI returns a copy of the description of the HTTP API (OpenAPI 3.1, JSON).
func OpenAPI() []byte { return append([]byte(nil), description...) }
