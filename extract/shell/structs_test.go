package shell

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
)

// Two values are the same only if they differ in nothing, and each byte that a value refers to is
// measured: a field that is added is covered.
func TestStructsCoverEveryField(t *testing.T) {
	covers(t, (*command.Command).Equal, (*command.Command).Size)
	covers(t, (*expansion.Word).Equal, (*expansion.Word).Size)
	covers(t, (*command.Access).Equal, (*command.Access).Size)
	covers(t, (*command.GitWords).Equal, (*command.GitWords).Size)
	covers(t, (*command.Landing).Equal, (*command.Landing).Size)
	covers(t, (*expansion.Array).Equal, (*expansion.Array).Size)
}

func covers[T any](t *testing.T, equal func(x, y *T) bool, size func(*T) int) {
	t.Helper()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.Anonymous {
			continue
		}
		var zero, one, same T
		refers := false
		for _, value := range []*T{&one, &same} {
			set := reflect.ValueOf(value).Elem().FieldByIndex(field.Index)
			set = reflect.NewAt(set.Type(), set.Addr().UnsafePointer()).Elem() // an unexported one is set, too
			refers = fill(set)
		}
		assert.True(t, equal(&zero, &zero), field.Name)
		assert.True(t, equal(&one, &same), field.Name)
		assert.False(t, equal(&zero, &one), field.Name)
		assert.Equal(t, refers, size(&one) > 0, field.Name)
	}
}

// fill sets a value to another one than zero, and reports whether it refers to bytes.
func fill(set reflect.Value) bool {
	switch set.Kind() {
	case reflect.Bool:
		set.SetBool(true)
	case reflect.Int:
		set.SetInt(1)
	case reflect.Uint8:
		set.SetUint(1)
	case reflect.String:
		set.SetString("x")
		return true
	case reflect.Slice:
		set.Set(reflect.MakeSlice(set.Type(), 1, 1))
		return true
	case reflect.Pointer:
		set.Set(reflect.New(set.Type().Elem()))
		return true
	case reflect.Struct:
		return fill(reflect.NewAt(set.Field(0).Type(), set.Field(0).Addr().UnsafePointer()).Elem())
	default:
		panic(set.Kind())
	}
	return false
}
