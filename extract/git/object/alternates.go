package object

import (
	"bytes"
	"strconv"
)

// MaxAlternateDepth is how far git follows alternates of alternates.
const MaxAlternateDepth = 5

// Alternates are the paths in objects/info/alternates: of other directories of objects, relative
// to this one. One that can't be unquoted is returned as it is, and then exists nowhere.
func Alternates(content []byte) (paths []string) {
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		path := string(line)
		if unquoted, err := strconv.Unquote(path); line[0] == '"' && err == nil {
			path = unquoted
		}
		paths = append(paths, path)
	}
	return paths
}
