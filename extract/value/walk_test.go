package value_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/value"
)

// Two walks are one only if they differ in nothing.
func TestEqualComparesEveryField(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[value.Walk]()) {
		if field.Anonymous {
			continue
		}
		var one, other value.Walk
		require.True(t, one.Equal(&other))
		switch set := reflect.ValueOf(&other).Elem().FieldByIndex(field.Index); set.Kind() {
		case reflect.Bool:
			set.SetBool(true)
		default:
			set.Set(reflect.ValueOf([]string{"x"}))
		}
		assert.False(t, one.Equal(&other), field.Name)
	}
}
