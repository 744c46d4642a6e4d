// Package arguments splits the JSON arguments of a call without decoding those that nobody asks for.
package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Arguments are a call's arguments, undecoded, in the order of their names, so
// that facts don't depend on how a call is written.
type Arguments []Argument

// Argument is one member of the arguments, undecoded until somebody asks for its texts.
type Argument struct {
	Name string
	Raw  json.RawMessage
	Used bool
	// text has room for the one text that most arguments are.
	text [1]string
}

var (
	errArguments = errors.New("arguments are no object")
	// ErrArgument is for a value that is neither a text nor a list of texts.
	ErrArgument = errors.New("argument is neither text nor a list of texts")
)

// Decode splits an object into its members. The text is known to be JSON
// once it is valid, so that finding where a member ends is all there is to do.
// Of a name that stands twice the last counts, as it does in encoding/json.
func Decode(data json.RawMessage) (Arguments, error) {
	return DecodeInto(make(Arguments, 0, 8), data, nil)
}

// DecodeInto does the same with room that is there, and with names that need no
// copy of their own.
func DecodeInto(args Arguments, data json.RawMessage, names map[string]string) (Arguments, error) {
	rest := bytes.TrimLeft(data, jsonBlanks)
	if len(rest) == 0 || rest[0] != '{' || !json.Valid(data) {
		if string(bytes.TrimSpace(data)) == "null" {
			return nil, nil
		}
		return nil, errArguments
	}
	for rest = bytes.TrimLeft(rest[1:], jsonBlanks); rest[0] != '}'; rest = bytes.TrimLeft(rest, jsonBlanks+",") {
		end := valueEnd(rest)
		name, err := memberName(rest[:end], names)
		if err != nil {
			return nil, err
		}
		rest = bytes.TrimLeft(rest[end:], jsonBlanks+":")
		end = valueEnd(rest)
		args = append(args, Argument{Name: name, Raw: json.RawMessage(rest[:end])})
		rest = rest[end:]
	}
	slices.SortStableFunc(args, func(a, b Argument) int { return strings.Compare(a.Name, b.Name) })
	return args.latest(), nil
}

// memberName reads the name of a member.
func memberName(raw []byte, names map[string]string) (string, error) {
	if known, ok := names[string(raw)]; ok {
		return known, nil
	}
	return Text(raw)
}

const jsonBlanks = " \t\r\n"

// valueEnd is where the value at the beginning of valid JSON ends.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			if i += quotedEnd(text[i:]); depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		default:
			if depth == 0 && strings.IndexByte(jsonBlanks+",:", c) >= 0 {
				return i
			}
		}
	}
	return len(text)
}

// quotedEnd is where the closing quote of a JSON string stands that text begins with.
func quotedEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}

// Find is the argument of a name, nil for none.
func (a *Arguments) Find(name string) *Argument {
	for i := range *a {
		if (*a)[i].Name == name {
			return &(*a)[i]
		}
	}
	return nil
}

// latest drops all but the last of each name, given that equal names stand together.
func (a Arguments) latest() Arguments {
	kept := a[:0]
	for i := range a {
		if i+1 == len(a) || a[i+1].Name != a[i].Name {
			kept = append(kept, a[i])
		}
	}
	return kept
}

// Raw is an argument as it stands, nil if there is none.
func (a *Arguments) Raw(name string) json.RawMessage {
	if found := a.Find(name); found != nil {
		return found.Raw
	}
	return nil
}

// Take returns the texts of an argument: one for a string, each of a list, none for null, which programs write for
// what is not there. They are good as long as the arguments are.
func (a *Arguments) Take(name string) ([]string, error) {
	found := a.Find(name)
	if found == nil {
		return nil, nil
	}
	found.Used = true
	if string(found.Raw) == "null" {
		return nil, nil
	}
	if len(found.Raw) > 0 && found.Raw[0] == '[' {
		var list []string
		if err := json.Unmarshal(found.Raw, &list); err != nil {
			return nil, ErrArgument
		}
		return list, nil
	}
	text, err := Text(found.Raw)
	if err != nil {
		return nil, err
	}
	found.text[0] = text
	return found.text[:], nil
}

// Text is the text that a JSON value is. Any other value is ErrArgument.
func Text(raw []byte) (string, error) {
	if text, ok := plainText(raw); ok {
		return text, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || raw[0] != '"' {
		return "", ErrArgument
	}
	return text, nil
}

// plainText reads a JSON string as far as its escapes are those of ASCII, which
// nearly all are. It reports false for any other.
func plainText(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	inside := raw[1 : len(raw)-1]
	escaped, ascii := false, true
	for i, c := range inside {
		if c < ' ' || c == '"' && (i == 0 || inside[i-1] != '\\') {
			return "", false
		}
		escaped = escaped || c == '\\'
		ascii = ascii && c < utf8.RuneSelf
	}
	switch {
	case !ascii && !utf8.Valid(inside):
		return "", false
	case escaped:
		return withoutEscapes(inside)
	}
	return string(inside), true
}

// withoutEscapes decodes what stands between the quotes of valid JSON.
func withoutEscapes(inside []byte) (string, bool) {
	var usual [256]byte
	out := usual[:0]
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i++
		if i == len(inside) {
			return "", false
		}
		if inside[i] == 'u' {
			code, err := strconv.ParseUint(string(inside[min(i+1, len(inside)):min(i+5, len(inside))]), 16, 16)
			if err != nil || code >= utf8.RuneSelf || i+4 >= len(inside) {
				return "", false
			}
			out = append(out, byte(code))
			i += 4
			continue
		}
		at := strings.IndexByte(`"\/bfnrt`, inside[i])
		if at < 0 {
			return "", false
		}
		out = append(out, "\"\\/\b\f\n\r\t"[at])
	}
	return string(out), true
}

// Ignore marks arguments that have no effect.
func (a *Arguments) Ignore(names []string) {
	for _, name := range names {
		if found := a.Find(name); found != nil {
			found.Used = true
		}
	}
}

// Rest returns the names that nothing has used.
func (a *Arguments) Rest() []string {
	var out []string
	for i := range *a {
		if !(*a)[i].Used {
			out = append(out, (*a)[i].Name)
		}
	}
	return out
}

// Given are the arguments without those that are null, which ACP's programs write
// for what is not there.
func (a Arguments) Given() Arguments {
	out := a[:0:0]
	for i := range a {
		if string(a[i].Raw) != "null" {
			out = append(out, a[i])
		}
	}
	return out
}

// Texts are the texts of a value that is a text or a list of nothing else.
func Texts(value any) ([]string, bool) {
	switch value := value.(type) {
	case string:
		return []string{value}, true
	case []any:
		out := make([]string, 0, len(value))
		for _, element := range value {
			text, ok := element.(string)
			if !ok {
				return nil, false
			}
			out = append(out, text)
		}
		return out, len(out) > 0
	}
	return nil, false
}
