package record

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/goccy/go-json"
)

// decodeArgs decodes a call's arguments, with numbers as they are written.
func decodeArgs(data []byte) (map[string]any, error) {
	if args, ok := flatArgs(data); ok {
		return args, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var args map[string]any
	if err := decoder.Decode(&args); err != nil {
		return nil, fmt.Errorf("decode arguments: %w", err)
	}
	return args, nil
}

const blanks = " \t\r\n"

// flatArgs decodes an object whose members are texts of ASCII and whole numbers,
// as nearly all arguments are. It reports false for any other, and for what is no
// object at all.
func flatArgs(data []byte) (map[string]any, bool) {
	rest := bytes.Trim(data, blanks)
	if len(rest) < 2 || rest[0] != '{' {
		return nil, false
	}
	args := make(map[string]any, 4)
	for rest = bytes.TrimLeft(rest[1:], blanks); ; rest = bytes.TrimLeft(rest[1:], blanks) {
		if string(rest) == "}" && len(args) == 0 {
			return args, true
		}
		name, behind, ok := flatText(rest)
		if !ok {
			return nil, false
		}
		if rest = bytes.TrimLeft(behind, blanks); len(rest) == 0 || rest[0] != ':' {
			return nil, false
		}
		value, behind, ok := flatValue(bytes.TrimLeft(rest[1:], blanks))
		if !ok {
			return nil, false
		}
		args[name] = value
		switch rest = bytes.TrimLeft(behind, blanks); {
		case string(rest) == "}":
			return args, true
		case len(rest) == 0 || rest[0] != ',':
			return nil, false
		}
	}
}

func flatValue(data []byte) (value any, rest []byte, ok bool) {
	if len(data) > 0 && data[0] == '"' {
		return flatText(data)
	}
	end := 0
	for end < len(data) && data[end] >= '0' && data[end] <= '9' {
		end++
	}
	if end == 0 || end > 1 && data[0] == '0' || end == len(data) || strings.IndexByte(blanks+",}", data[end]) < 0 {
		return nil, nil, false
	}
	return json.Number(data[:end]), data[end:], true
}

// flatText decodes a text of ASCII.
func flatText(data []byte) (text string, rest []byte, ok bool) {
	if len(data) == 0 || data[0] != '"' {
		return "", nil, false
	}
	for i := 1; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return string(data[1:i]), data[i+1:], true
		case c == '\\':
			return escapedText(data, i)
		case c < ' ' || c > '~':
			return "", nil, false
		}
	}
	return "", nil, false
}

// escapedText goes on where flatText came upon the first escape.
func escapedText(data []byte, at int) (text string, rest []byte, ok bool) {
	end := at
	for end < len(data) && data[end] != '"' {
		if data[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(data) {
		return "", nil, false
	}
	var out strings.Builder
	out.Grow(end - 1)
	out.Write(data[1:at])
	for i := at; i < end; i++ {
		c := data[i]
		if c < ' ' || c > '~' {
			return "", nil, false
		}
		if c == '\\' {
			length := 0
			if c, length = unescaped(data[i+1 : end]); length == 0 {
				return "", nil, false
			}
			i += length
		}
		out.WriteByte(c)
	}
	return out.String(), data[end+1:], true
}

// unescaped is the ASCII character that what stands behind a backslash means, and how
// long that is: 0 for any other.
func unescaped(escape []byte) (c byte, length int) {
	if escape[0] != 'u' {
		known := strings.IndexByte(`"\/bfnrt`, escape[0])
		if known < 0 {
			return 0, 0
		}
		return "\"\\/\b\f\n\r\t"[known], 1
	}
	const whole = len("u0026")
	if len(escape) < whole || escape[1] != '0' || escape[2] != '0' || escape[3] < '0' || escape[3] > '7' {
		return 0, 0
	}
	low := strings.IndexByte("0123456789abcdef", escape[4]|0x20)
	if low < 0 || escape[4] < '0' {
		return 0, 0
	}
	return (escape[3]-'0')<<4 | byte(low), whole //nolint:gosec // below 16
}
