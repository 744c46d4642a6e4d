package bundles

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// The readers below decode one term each. Their errors give what they were reading. They convert nothing.

// members reads an object that has exactly these keys, in their order.
func members(what string, t *ast.Term, keys, into []*ast.Term) error {
	object, isObject := t.Value.(ast.Object)
	if !isObject {
		return fmt.Errorf("%s is %s, not an object", what, kind(t))
	}
	for i, key := range keys {
		if into[i] = object.Get(key); into[i] == nil {
			return fmt.Errorf("%s has no key %v", what, key)
		}
	}
	if object.Len() != len(keys) {
		return fmt.Errorf("%s has a key that is unknown: it has %v", what, object.Keys())
	}
	return nil
}

// empty reports whether a term is an array without elements, as most lists of an allow
// are; reading one costs nothing.
func empty(t *ast.Term) bool {
	array, isArray := t.Value.(*ast.Array)
	return isArray && array.Len() == 0
}

// elementsOf reads the elements of an array or a set, a set in order of its values.
func elementsOf[T any](what string, t *ast.Term, read func(*ast.Term) (T, error)) ([]T, error) {
	array, isArray := t.Value.(*ast.Array)
	if set, isSet := t.Value.(ast.Set); isSet {
		array, isArray = set.Sorted(), true
	}
	if !isArray {
		return nil, fmt.Errorf("%s is %s, not an array or a set", what, kind(t))
	}
	found := make([]T, 0, array.Len())
	for i := range array.Len() {
		element, err := read(array.Elem(i))
		if err != nil {
			return nil, err
		}
		found = append(found, element)
	}
	return found, nil
}

func text(what string, t *ast.Term) (string, error) {
	value, isString := t.Value.(ast.String)
	if !isString {
		return "", fmt.Errorf("%s is %s, not a string", what, kind(t))
	}
	return string(value), nil
}

// texts reads several strings into their places.
func texts(keys, terms []*ast.Term, into ...*string) error {
	for i, t := range terms {
		value, isString := t.Value.(ast.String)
		if !isString {
			return fmt.Errorf("%v is %s, not a string", keys[i], kind(t))
		}
		*into[i] = string(value)
	}
	return nil
}

// name reads a string that can't be empty.
func name(what string, t *ast.Term) (string, error) {
	value, err := text(what, t)
	if err == nil && value == "" {
		err = fmt.Errorf("%s is empty", what)
	}
	return value, err
}

func number(what string, t *ast.Term) (int, error) {
	value, isNumber := t.Value.(ast.Number)
	if !isNumber {
		return 0, fmt.Errorf("%s is %s, not a number", what, kind(t))
	}
	n, whole := value.Int()
	if !whole {
		return 0, fmt.Errorf("%s is %v, not a whole number", what, value)
	}
	return n, nil
}

// index reads a number from least up to, but not including, end.
func index(what string, t *ast.Term, least, end int) (int, error) {
	n, err := number(what, t)
	if err == nil && (n < least || n >= end) {
		err = fmt.Errorf("%s is %d of %d items", what, n, end)
	}
	return n, err
}

func effect(what string, t *ast.Term) (v1.Effect, error) {
	word, err := text(what, t)
	if err != nil {
		return v1.EffectDeny, err
	}
	return v1.ParseEffect(word)
}

func kind(t *ast.Term) string { return ast.ValueName(t.Value) }
