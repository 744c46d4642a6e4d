// Package versions reads files by which version managers, and the go command, choose a program: whether they only
// name versions, and which.
package versions

import (
	"strconv"
	"strings"
)

// Lists say by the kind of a file of a version manager whether all that it holds are
// names of tools and their versions, which choose among what a person installed.
var Lists = map[string]func(content string) bool{
	"versions": listsVersions,
	"tools":    func(content string) bool { return listsTools(content, "[tools]") },
	"protos":   func(content string) bool { return listsTools(content, "") },
}

// listsVersions reports whether a .tool-versions only names tools and versions of them: no
// path, reference, prefix, backend (path:, ref:, npm:) and no template, which asdf and mise
// know besides. The source of its grammar is asdf's manual, "Configuration", and that of mise,
// "asdf compatibility".
func listsVersions(content string) bool {
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			if !isVersion(word) {
				return false
			}
		}
	}
	return true
}

// listsTools reports whether a file in TOML does no more in its table of tools, and has
// nothing else that counts whatever program is started: mise sets variables ([env]), reads
// files, and runs commands in templates, wherever they stand but in tasks. A line says what it
// does by itself as long as none before it left a text or an array open; of tasks, which may,
// no line is read but one that could begin the next table. A dot in a name would say something of
// a tool: where it lies. The sources are the manuals of
// mise, "Configuration" and "Templates", and proto, ".prototools".
func listsTools(content, tools string) bool {
	table := ""
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.Trim(line, " \t\r\n")
		switch {
		case line == "":
		case line[0] == '[':
			if table = line; line != tools && (!isTasks(line) || tools == "") {
				return false
			}
		case table != tools && table != "":
		default:
			name, value, ok := strings.Cut(line, "=")
			name = strings.Trim(name, " \t")
			if !ok || table != tools && name != "min_version" || !namesVersions(name, strings.Trim(value, " \t")) {
				return false
			}
		}
	}
	return true
}

func isTasks(table string) bool {
	return table == "[tasks]" || strings.HasPrefix(table, "[tasks.") && strings.HasSuffix(table, "]")
}

// namesVersions reports whether a line says no more than which versions of a tool there are.
func namesVersions(name, value string) bool {
	return !strings.Contains(name, ".") && isVersion(unquoted(name)) && versionsOf(value)
}

// versionsOf reports whether a value is a version, or an array of them in one line.
func versionsOf(value string) bool {
	if inside, array := strings.CutPrefix(value, "["); array {
		if inside, array = strings.CutSuffix(inside, "]"); !array {
			return false
		}
		for member := range strings.SplitSeq(inside, ",") {
			if member = strings.Trim(member, " \t"); !isVersion(unquoted(member)) {
				return false
			}
		}
		return true
	}
	return isVersion(unquoted(value))
}

// unquoted is a text in TOML without its quotes.
func unquoted(text string) string {
	if last := len(text) - 1; last > 0 && text[0] == text[last] && (text[0] == '"' || text[0] == '\'') {
		return text[1:last]
	}
	return text
}

// isVersion reports whether a word is a plain name or version.
func isVersion(word string) bool {
	return word != "" && word[0] != '.' && word[0] != '-' && !strings.ContainsFunc(word, notInVersions)
}

func notInVersions(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._+-", r)
}

// Directs reports whether a line of a go.mod or a go.work begins with a word, and
// names a version above the bound if there is one. Lines are read as the go
// command reads them when it chooses a toolchain.
func Directs(content, word, bound string) bool {
	for line := range strings.SplitSeq(content, "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), word)
		if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		version, _, _ := strings.Cut(rest, "//")
		if bound == "" || Above(strings.TrimPrefix(strings.TrimSpace(version), "go"), bound) {
			return true
		}
	}
	return false
}

// Above reports whether a version is not known to be at most the bound. More
// segments are more.
func Above(version, bound string) bool {
	segments, limits := strings.Split(version, "."), strings.Split(bound, ".")
	for i, segment := range segments {
		number, err := strconv.Atoi(segment)
		if err != nil || i >= len(limits) {
			return true
		}
		limit, err := strconv.Atoi(limits[i])
		if err != nil || number != limit {
			return err != nil || number > limit
		}
	}
	return false
}
