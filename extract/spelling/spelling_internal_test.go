package spelling

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// S2: what file URIs name, and where readers of them differ.
func TestFileURI(t *testing.T) {
	type reading struct {
		path         string
		clear, found bool
	}
	for text, want := range map[string]reading{
		"file:///a/b":               {"/a/b", true, true},
		"FILE:///a":                 {"/a", true, true},
		"\u00a0 File:/a\n":          {"/a", true, true},
		"file://LocalHost/a":        {"/a", true, true},
		"file:///a%20b":             {"/a b", true, true},
		"file:///%2e%2e/a":          {"/../a", true, true},
		"file://host/a":             {"/host/a", false, true},
		"file:///a#b":               {"/a", false, true},
		"file:///a?b":               {"/a", false, true},
		"file:///a%2525":            {"/a%25", false, true},
		"file:///a%2":               {"/a%2", false, true},
		"file:a":                    {"a", false, true},
		"file:":                     {"", false, true},
		"view-source:file:///a":     {"/a", false, true},
		"jar:nested:file:/a":        {"/a", false, true},
		"http://x/file:///a":        {"", false, false},
		"/file:/a":                  {"", false, false},
		"C:/a":                      {"", false, false},
		"profile: a":                {"", false, false},
		"a file:///b in a sentence": {"", false, false},
	} {
		var got reading
		got.path, got.clear, got.found = FileURI(text, false)
		assert.Equal(t, want, got, "%q", text)
	}
	path, clear, _ := FileURI("file:///C:/a", true)
	assert.Equal(t, "C:/a", path)
	assert.True(t, clear)
}
