package record

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-json"
)

// decodeArgs reads the arguments of a call, with numbers as they are written.
func decodeArgs(text []byte) (map[string]any, error) {
	if members, flat := flatMembers(string(text)); flat {
		return members, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var members map[string]any
	err := decoder.Decode(&members)
	return members, err
}

// flatMembers parses an object of texts, whole numbers and truth values, as most arguments are. ok is false
// for everything else, which may still be valid JSON. Texts share the memory of the object's.
func flatMembers(text string) (members map[string]any, ok bool) {
	members = map[string]any{}
	if text == "{}" {
		return members, true
	}
	rest, ok := strings.CutPrefix(text, "{")
	for ok {
		var name string
		if name, rest, ok = flatText(blank(rest)); !ok {
			break
		}
		if rest, ok = strings.CutPrefix(rest, ":"); !ok {
			break
		}
		if members[name], rest, ok = flatValue(blank(rest)); !ok {
			break
		}
		if rest == "}" {
			return members, true
		}
		rest, ok = strings.CutPrefix(rest, ",")
	}
	return nil, false
}

// blank skips the one space that some programs write after a colon or a comma.
func blank(text string) string { return strings.TrimPrefix(text, " ") }

// flatValue cuts a value off the text.
func flatValue(text string) (value any, rest string, ok bool) {
	switch {
	case strings.HasPrefix(text, `"`):
		value, rest, ok := flatText(text)
		return value, rest, ok
	case strings.HasPrefix(text, "true"):
		return true, text[len("true"):], true
	case strings.HasPrefix(text, "false"):
		return false, text[len("false"):], true
	}
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == 0 || text[0] == '0' {
		return nil, "", false
	}
	return json.Number(text[:end]), text[end:], true
}

// flatText cuts a text off, which begins and ends with a quote. Escapes are left to the
// JSON package.
func flatText(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", "", false
	}
	escaped, foreign := false, false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && escaped:
			var usual [256]byte
			unescaped, err := jsontext.AppendUnquote(usual[:0], text[:i+1])
			return string(unescaped), text[i+1:], err == nil
		case c == '"':
			return text[1:i], text[i+1:], !foreign || utf8.ValidString(text[1:i])
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return "", "", false
		case c >= utf8.RuneSelf:
			foreign = true
		}
	}
	return "", "", false
}
