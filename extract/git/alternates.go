package git

import (
	"bytes"
	"path/filepath"
	"strconv"

	"policyd/extract/git/syntax"
)

// maxAlternateDepth is how far git follows alternates of alternates.
const maxAlternateDepth = 5

// inspectObjects notes whether git reads objects that lie outside of the roots:
// it prints any of them by its hash.
func (in *inspection) inspectObjects(place repository, v *Verdict) error {
	objects := filepath.Join(place.commonDir, "objects")
	real, err := in.probe.resolve("", objects)
	if err != nil {
		return refuse(CodeUnreadable, objects)
	}
	if real != objects && !syntax.Within(place.commonDir, real) && in.checkRoots("", real) != nil {
		v.ForeignObjects = true
	}
	return in.inspectAlternates(objects, v, 0)
}

func (in *inspection) inspectAlternates(objects string, v *Verdict, depth int) error {
	if v.ForeignObjects {
		return nil
	}
	if depth > maxAlternateDepth {
		return refuse(CodeLimit, "alternates")
	}
	file := filepath.Join(objects, "info", "alternates")
	content, err := in.probe.read(file, maxConfigBytes)
	if err != nil {
		return refuse(CodeUnreadable, file)
	}
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		path, ok := alternate(string(line))
		if !ok {
			continue
		}
		real, err := in.probe.resolve(objects, path)
		if err != nil || in.checkRoots("", real) != nil {
			v.ForeignObjects = true
			return nil
		}
		if err := in.inspectAlternates(real, v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// alternate reads a line of objects/info/alternates. What can't be read is
// taken as it stands, and then lies nowhere.
func alternate(line string) (path string, ok bool) {
	if line == "" || line[0] == '#' {
		return "", false
	}
	if unquoted, err := strconv.Unquote(line); line[0] == '"' && err == nil {
		return unquoted, true
	}
	return line, true
}
