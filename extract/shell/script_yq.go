package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/guard"
)

// Two programs are named yq, one of which hands its expression to jq. What both
// take for paths, literals and these functions only reads and prints; both know
// functions that load files and read the environment, and one of them reads
// names without a break between them.
var yqPlain = []string{
	"select", "length", "keys", "has", "map", "to_entries", "from_entries", "with_entries", "sort", "sort_by", "unique",
	"unique_by", "group_by", "flatten", "join", "split", "test", "contains", "any", "all", "not", "and", "or", "true",
	"false", "null", "type", "first", "reverse", "add", "min", "max", "tostring", "tonumber", "del", "map_values", "path",
	"tag", "kind",
}

// yqOutside are the names that may not even be a part of a path's segment.
var yqOutside = []string{"env", "ENV", "input", "inputs", "input_filename", "get_search_list", "modulemeta", "import", "include"}

// plainYq reports whether an expression holds nothing but paths, strings,
// numbers, operators and plain functions.
func plainYq(text string) bool {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i)
			if end < 0 || strings.Contains(text[i:end], "\\") {
				return false
			}
			i = end
		case strings.HasPrefix(text[i:], "..") && (i+2 == len(text) || strings.IndexByte(" |)", text[i+2]) >= 0):
			i += 2 // all that lies below, and no segment
		case c == '.' && i+1 < len(text) && text[i+1] == '.' || strings.IndexByte("$@#\\`'", c) >= 0 || c >= 0x80:
			return false
		case c == '.':
			end := yqSegment(text, i+1)
			if end < 0 {
				return false
			}
			i = end
		case guard.IsNameByte(c):
			end := nameEnd(text, i)
			if name := text[i:end]; strings.Trim(name, "0123456789") != "" && !slices.Contains(yqPlain, name) {
				return false
			}
			i = end
		default:
			i++
		}
	}
	return true
}

// yqSegment returns the index behind a segment of a path, in which one of the
// programs takes a dash for a minus, or -1.
func yqSegment(text string, start int) int {
	end := nameEnd(text, start)
	for end > start && end < len(text) && text[end] == '-' {
		part := end + 1
		end = nameEnd(text, part)
		if slices.Contains(yqOutside, text[part:end]) {
			return -1
		}
	}
	return end
}

func nameEnd(text string, start int) int {
	for start < len(text) && guard.IsNameByte(text[start]) {
		start++
	}
	return start
}
