package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What can't be used of the catalog is named by client, tool and key.
func TestErrorsNameClientAndTool(t *testing.T) {
	for text, want := range map[string]string{
		`{"clients": {"acme": {"tools": {"Run": {"kind": "shel"}}}}}`:                                 `clients.acme.tools.Run.kind: "shel" is no kind; allowed: delete, edit`,
		`{"clients": {"acme": {"tools": {"Run": {"comand": ["c"]}}}}}`:                                `the tool Run: unknown field "comand"`,
		`{"clients": {"acme": {"tools": {"Store": {"kind": "write", "paths": {"file": "wriite"}}}}}}`: `clients.acme.tools.Store.paths.file: "wriite" is nothing that is done to a path`,
		`{"clients": {"acme": {"permissions": {"x": {"kind": "list", "default": "all"}}}}}`:           `clients.acme.permissions.x.default: "all" is nothing`,
		`{"clients": {"acme": {"tool": {}}}}`:                                                         `unknown field "tool"`,
	} {
		_, err := read([]byte(text))
		assert.ErrorContains(t, err, want)
	}
}
