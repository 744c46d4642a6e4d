package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func TestCommittedFilesAreUpToDate(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	files, err := generate()
	require.NoError(t, err)
	require.Len(t, files, 2)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s is out of date: run make generate", name)
	}
}

// Judged is a policy input with a field of each shape more than the contract has.
type Judged struct {
	v1.Facts
	Text    string      `json:"new_text"`
	Truth   bool        `json:"new_truth"`
	Number  int         `json:"new_number"`
	Texts   []string    `json:"new_texts"`
	Set     v1.Set      `json:"new_set"`
	Form    v1.Form     `json:"new_form"`
	Values  v1.Values   `json:"new_values"`
	Named   v1.Audience `json:"new_named"`
	Object  Added       `json:"new_object"`
	Objects []Added     `json:"new_objects"`
}

// Added is a type that the contract doesn't have.
type Added struct {
	Inner string `json:"inner"`
}

// TestANewFieldIsWrittenWithoutAHandEdit checks that a field which is added to the contract is in all that is
// written of it.
func TestANewFieldIsWrittenWithoutAHandEdit(t *testing.T) {
	input, err := inputCode(reflect.TypeFor[Judged]())
	require.NoError(t, err)
	wire, err := jsonCode(reflect.TypeFor[Judged]())
	require.NoError(t, err)
	added := reflect.TypeFor[Judged]()
	for i := 1; i < added.NumField(); i++ {
		member := added.Field(i)
		key := member.Tag.Get("json")
		assert.Contains(t, string(input), `"`+key+`"`, "the name as a term")
		assert.Regexp(t, `names\[\d+\], .*\bv\.`+member.Name+`\b`, string(input), "the value as a term")
		assert.Regexp(t, `\tw\.\w+\(.*v\.`+member.Name+`\b|keyEach\(w, v\.`+member.Name+`\b`, string(input), "the key of an input")
		assert.Regexp(t, `"`+key+`":.*(\n.*)?v\.`+member.Name+`\b`, string(wire), "JSON")
	}
	for _, code := range []string{string(input), string(wire)} {
		assert.Contains(t, code, "added(v *v1.Added)")
		assert.Contains(t, code, "v.Inner")
	}
}

// TestWhatNobodyCanWriteIsAnError checks that no field is left out.
func TestWhatNobodyCanWriteIsAnError(t *testing.T) {
	for name, root := range map[string]reflect.Type{
		"float": reflect.TypeFor[struct {
			A float64 `json:"a"`
		}](),
		"map": reflect.TypeFor[struct {
			A map[int]string `json:"a"`
		}](),
		"interface": reflect.TypeFor[struct {
			A any `json:"a"`
		}](),
		"no name":    reflect.TypeFor[struct{ A string }](),
		"unexported": reflect.TypeFor[struct{ a string }](),
		"option": reflect.TypeFor[struct {
			A int `json:"a,string"`
		}](),
	} {
		_, err := inputCode(root)
		assert.Error(t, err, name)
		_, err = jsonCode(root)
		assert.Error(t, err, name)
	}
	_, err := inputCode(reflect.TypeFor[struct {
		A *Added `json:"a"`
	}]())
	require.ErrorContains(t, err, "pointer", "facts are total")
	_, err = jsonCode(reflect.TypeFor[struct {
		A string `json:"a,omitempty"`
	}]())
	require.ErrorContains(t, err, "missing")
}
