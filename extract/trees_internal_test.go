package extract

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two walks are one only if they differ in nothing: whoever adds a field to the filter
// has to compare it.
func TestEveryFieldOfAFilterTellsWalksApart(t *testing.T) {
	var plain filter
	require.True(t, plain.equal(&filter{}))
	fields := reflect.TypeFor[filter]()
	for i := range fields.NumField() {
		var other filter
		field := reflect.NewAt(fields.Field(i).Type, reflect.ValueOf(&other).Elem().Field(i).Addr().UnsafePointer()).Elem()
		switch field.Kind() {
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Uint8:
			field.SetUint(1)
		case reflect.String:
			field.SetString("x")
		default:
			field.Set(reflect.ValueOf([]string{"x"}))
		}
		assert.False(t, plain.equal(&other), fields.Field(i).Name)
	}
}
