package script

import (
	"slices"
	"strings"

	"policyd/extract/value"
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

// yqOnlyPrints reports whether an expression contains nothing but paths, strings, numbers, operators and plain
// functions, and isn't the name of a file that holds the expression.
func yqOnlyPrints(text string) bool {
	for i := 0; i < len(text); {
		end := yqToken(text, i)
		if end < 0 {
			return false
		}
		i = end
	}
	return !strings.HasSuffix(text, ".yq")
}

// yqToken returns the index behind the token at text[start], or -1 for one that isn't plain.
func yqToken(text string, start int) int {
	rest := text[start:]
	switch c := rest[0]; {
	case c == '"':
		end := stringEnd(text, start)
		if end < 0 || strings.Contains(text[start:end], "\\") {
			return -1
		}
		return end
	case strings.HasPrefix(rest, ".."):
		if len(rest) == 2 || strings.IndexByte(" |)", rest[2]) >= 0 {
			return start + 2 // everything below, and no segment
		}
		return -1
	case c == '.':
		return yqSegment(text, start+1)
	case value.IsNameByte(c):
		end := nameEnd(text, start)
		if name := text[start:end]; strings.Trim(name, "0123456789") != "" && !slices.Contains(yqPlain, name) {
			return -1
		}
		return end
	case strings.IndexByte("$@#\\`'", c) >= 0 || c >= 0x80:
		return -1
	}
	return start + 1
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
	for start < len(text) && value.IsNameByte(text[start]) {
		start++
	}
	return start
}
