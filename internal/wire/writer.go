package wire

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
)

// writer appends JSON. Keys are given as they are in the text, with what precedes them: `{"id":`. The first
// error stays, and later output is invalid.
type writer struct {
	out []byte
	err error
}

// end is what was appended to begun, or begun alone after an error.
func (w *writer) end(begun []byte) ([]byte, error) {
	if w.err != nil {
		return begun, w.err
	}
	return w.out, nil
}

func (w *writer) raw(text string) { w.out = append(w.out, text...) }

func (w *writer) text(key, text string) {
	w.raw(key)
	w.quote(text)
}

// quote writes a text. Text that needs no escape, which is nearly all of it, is copied.
func (w *writer) quote(text string) {
	if !isPlain(text) {
		w.any(text)
		return
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, text...)
	w.out = append(w.out, '"')
}

// any leaves a value to the JSON package.
func (w *writer) any(value any) {
	encoded, err := json.MarshalWithOption(value, json.DisableHTMLEscape())
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out = append(w.out, encoded...)
}

func (w *writer) other(key string, value any) {
	w.raw(key)
	w.any(value)
}

// seldom leaves what a pointer points to, and is seldom there, to the JSON package.
func seldom[T any](w *writer, key string, value *T) {
	w.raw(key)
	if value == nil {
		w.raw("null")
		return
	}
	w.any(value)
}

// pointer writes what a pointer points to.
func pointer[T any](w *writer, key string, value *T, one func(value *T)) {
	w.raw(key)
	if value == nil {
		w.raw("null")
		return
	}
	one(value)
}

// argument writes one argument of a call, which is text more often than not.
func (w *writer) argument(value any) {
	if text, is := value.(string); is {
		w.quote(text)
		return
	}
	w.any(value)
}

func (w *writer) truth(key string, value bool) {
	w.raw(key)
	w.out = strconv.AppendBool(w.out, value)
}

func (w *writer) number(key string, value int64) {
	w.raw(key)
	w.out = strconv.AppendInt(w.out, value, 10)
}

func (w *writer) effect(key string, effect v1.Effect) {
	w.raw(key)
	w.quote(effect.String())
}

func (w *writer) moment(key string, at time.Time) {
	w.raw(key)
	w.out = append(w.out, '"')
	out, err := at.AppendText(w.out)
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	out = append(out, '"')
	w.out = out
}

// texts writes a list; one that is nil is null.
func (w *writer) texts(key string, list []string) {
	each(w, key, list, func(text *string) { w.quote(*text) })
}

// each writes a list of what one writes; one that is nil is null.
func each[T any](w *writer, key string, list []T, one func(element *T)) {
	w.raw(key)
	if list == nil {
		w.raw("null")
		return
	}
	w.out = append(w.out, '[')
	for i := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		one(&list[i])
	}
	w.out = append(w.out, ']')
}

// set writes a set as its own method does, which escapes more than is done elsewhere.
func (w *writer) set(key string, set v1.Set) {
	w.raw(key)
	for _, name := range set {
		if !isPlain(name) {
			w.any(set)
			return
		}
	}
	separator := byte('{')
	for _, name := range set {
		w.out = append(w.out, separator, '"')
		w.out = append(w.out, name...)
		w.out = append(w.out, `":true`...)
		separator = ','
	}
	w.closeObject(separator)
}

// form writes a form as its own method does.
func (w *writer) form(key string, form v1.Form) {
	w.raw(key)
	for i := range form {
		if !isPlain(form[i].Name) || !isPlain(form[i].Kind) {
			w.any(form)
			return
		}
	}
	separator := byte('{')
	for i := range form {
		w.out = append(w.out, separator, '"')
		w.out = append(w.out, form[i].Name...)
		w.out = append(w.out, `":"`...)
		w.out = append(w.out, form[i].Kind...)
		w.out = append(w.out, '"')
		separator = ','
	}
	w.closeObject(separator)
}

// values writes values as their own method does.
func (w *writer) values(key string, values v1.Values) {
	w.raw(key)
	if len(values) == 0 {
		w.raw("{}")
		return
	}
	w.any(values)
}

// closeObject ends an object whose next member the separator would precede.
func (w *writer) closeObject(separator byte) {
	if separator == '{' {
		w.out = append(w.out, '{')
	}
	w.out = append(w.out, '}')
}

// fewKeys is how many keys are sorted without an allocation.
const fewKeys = 8

// members writes a map in the order of its keys. A nil map is null, and a map with a key that isn't a plain
// name is left to the JSON package.
func members[V any](w *writer, key string, object map[string]V, one func(value V)) {
	w.raw(key)
	if object == nil {
		w.raw("null")
		return
	}
	var room [fewKeys]string
	keys := slices.AppendSeq(room[:0], maps.Keys(object))
	if slices.ContainsFunc(keys, func(key string) bool { return !name(key) }) {
		w.any(object)
		return
	}
	slices.Sort(keys)
	separator := byte('{')
	for _, key := range keys {
		w.out = append(w.out, separator, '"')
		w.out = append(w.out, key...)
		w.out = append(w.out, '"', ':')
		one(object[key])
		separator = ','
	}
	w.closeObject(separator)
}
