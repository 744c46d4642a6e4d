// Package patch reads what a patch changes: unified diffs, and the format of apply_patch. It knows texts
// alone, and neither commands nor the disk.
package patch

import (
	"strconv"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
)

// Change is what a patch does to one path.
type Change struct{ Op, Path string }

// Marks of patches in the apply_patch format.
const (
	Begin    = "*** Begin Patch"
	patchEnd = "*** End Patch"
)

// Format reads what a patch of one format changes. ok is false where it
// can't be read wholly; what could be read is returned all the same.
type Format func(text string) (changes []Change, ok bool)

// Parse reads a patch whose reader isn't known, in the apply_patch format
// or as a unified diff. What either of them finds counts, since the one is a
// comment to readers of the other.
func Parse(text string) (changes []Change, ok bool) {
	changes, ok = ParseUnified(text)
	if !strings.Contains(text, Begin) {
		return changes, ok
	}
	applied, applies := ParseEnvelope(text)
	return append(applied, changes...), applies && (ok || len(changes) == 0)
}

// endsLine reports whether only some readers end a line at a character, or
// trim it off the end of a name.
func endsLine(r rune) bool {
	return strings.ContainsRune("\r\v\f\x1c\x1d\x1e\x1f\u0085\u2028\u2029", r)
}

// unseen reports whether some readers trim a character off a line: JavaScript's trim takes U+FEFF for white space.
func unseen(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }

// Headers of the apply_patch format that matter to the one behind them.
const (
	applyUpdate = "*** Update File:"
	applyMove   = "*** Move to:"
)

// applyHeaders are the headers of the apply_patch format that name a path.
var applyHeaders = []struct{ prefix, op string }{
	{"*** Add File:", v1.OpWrite}, {applyUpdate, v1.OpWrite}, {"*** Delete File:", v1.OpDelete}, {applyMove, v1.OpWrite},
}

// ParseEnvelope reads the format of Codex's apply_patch. A line of context
// that looks like a header counts as one: that can only tighten.
func ParseEnvelope(text string) (changes []Change, ok bool) {
	var p applyPatch
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if header := strings.Index(line, "***"); header >= 0 && strings.ContainsFunc(line[header:], endsLine) {
			p.bad = true // where the name ends is a matter of the reader
		}
		for _, piece := range strings.FieldsFunc(line, endsLine) { // a header that only some readers see counts
			p.line(piece)
		}
	}
	return p.changes, !p.bad && p.begun && len(p.changes) > 0
}

// applyPatch reads a patch in the apply_patch format.
type applyPatch struct {
	changes []Change
	updated string // the file of the header before, if that updates one
	begun   bool
	bad     bool
}

func (p *applyPatch) line(whole string) {
	line := strings.TrimFunc(whole, unseen)
	p.bad = p.bad || strings.HasPrefix(line, "***") && line != strings.TrimSpace(whole)
	for _, header := range applyHeaders {
		if name, ok := strings.CutPrefix(line, header.prefix); ok {
			p.bad = p.bad || strings.TrimFunc(name, unseen) != strings.TrimSpace(name)
			p.header(header.prefix, Change{header.op, strings.TrimFunc(name, unseen)})
			return
		}
	}
	switch {
	case line == Begin:
		p.begun = true
	case line == patchEnd, line == "*** End of File":
	case strings.HasPrefix(whole, "***"):
		p.bad = true // a header that nobody here knows
	}
}

func (p *applyPatch) header(prefix string, named Change) {
	if prefix == applyMove {
		p.bad = p.bad || p.updated == ""
		p.changes = append(p.changes, Change{v1.OpDelete, p.updated})
	}
	p.updated = ""
	if prefix == applyUpdate {
		p.updated = named.Path
	}
	p.bad = p.bad || named.Path == ""
	p.changes = append(p.changes, named)
}

// unified reads a unified diff.
type unified struct {
	changes []Change
	// from and to are the paths of the file at hand, and same is the one that a
	// "diff --git" line gives for both.
	from, to, same string
	open           bool // a "diff --git" line whose paths nothing has named yet
	oldLines       int  // what is left of the hunk at hand
	newLines       int
	hunks          int
	bad            bool
}

// ParseUnified reads a unified diff, with git's own headers. A patch is wholly
// read when every hunk has the lines that it says, and every file its names.
func ParseUnified(text string) (changes []Change, ok bool) {
	var u unified
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		inHunk := u.oldLines > 0 || u.newLines > 0
		if strings.ContainsFunc(line, endsLine) && (!inHunk || strings.Contains(line, "--- ") || strings.Contains(line, "+++ ")) {
			u.bad = true
		}
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		if inHunk {
			u.inHunk(line, next)
			continue
		}
		u.header(line, next)
	}
	u.finish()
	return u.changes, !u.bad && len(u.changes) > 0 && u.oldLines == 0 && u.newLines == 0
}

// inHunk counts a line of a hunk. What looks like the header of a file there
// is one for readers that don't count.
func (u *unified) inHunk(line, next string) {
	if strings.HasPrefix(line, "--- ") && strings.HasPrefix(next, "+++ ") {
		u.bad = true
	}
	switch {
	case line == "" || line[0] == ' ':
		u.oldLines--
		u.newLines--
	case line[0] == '-':
		u.oldLines--
	case line[0] == '+':
		u.newLines--
	case line[0] != '\\':
		u.bad = true
	}
	u.bad = u.bad || u.oldLines < 0 || u.newLines < 0
	if u.bad {
		u.oldLines, u.newLines = 0, 0
	}
}

// header reads a line between hunks. Text that is no header is a comment, as
// patch(1) and git take it.
func (u *unified) header(line, next string) {
	name, rest, _ := strings.Cut(line, " ")
	switch {
	case indented(line):
		u.bad = true // patch(1) takes indented diffs, and how far each of their lines is, it guesses
	case strings.HasPrefix(line, "diff --git "):
		u.finish()
		u.open = true
		u.sameNames(strings.TrimPrefix(line, "diff --git "))
	case name == "---" && strings.HasPrefix(next, "+++ "):
		if u.hunks > 0 {
			u.finish()
		}
		u.open, u.from = false, u.path(rest)
	case name == "+++":
		u.to = u.path(rest)
		u.pair()
	case name == "@@":
		u.hunk(rest)
	default:
		u.extended(line, name, rest)
	}
}

// moved are lines of git's that name what becomes of a file.
var moved = []struct{ prefix, op string }{
	{"rename from ", v1.OpDelete},
	{"rename old ", v1.OpDelete},
	{"rename to ", v1.OpWrite},
	{"rename new ", v1.OpWrite},
	{"copy from ", v1.OpRead},
	{"copy to ", v1.OpWrite},
}

// extended reads a line between hunks that only some formats have.
func (u *unified) extended(line, name, rest string) {
	for _, form := range moved {
		if path, found := strings.CutPrefix(line, form.prefix); found {
			u.open = false
			u.add(form.op, u.path(path))
			return
		}
	}
	switch {
	case strings.HasPrefix(line, "Index: "), name == "***", name == "---" && rest != "":
		u.bad = true // a context diff, or one whose name stands where only some look
	case strings.HasSuffix(line, "mode 120000"), strings.HasSuffix(line, "mode 160000"):
		u.bad = true // makes a link or a repository, and what follows may lead through it
	case strings.HasPrefix(line, "deleted file mode ") && u.same != "":
		u.both(v1.OpDelete, u.same)
	case strings.HasPrefix(line, "diff --c"), name == "@@@":
		u.bad = true // of a merge
	}
}

// indented reports whether a line is a header but for blanks, or the signs that
// patch(1) takes for such, in front of it.
func indented(line string) bool {
	bare := strings.TrimLeft(line, " \tX")
	return len(bare) < len(line) && (strings.HasPrefix(bare, "+++ ") || strings.HasPrefix(bare, "*** ") || strings.HasPrefix(bare, "Index:"))
}

const devNull = "/dev/null"

// sameNames takes the path of a "diff --git" line where both names are one, as
// they are in all but renames.
func (u *unified) sameNames(rest string) {
	half := len(rest) / 2
	if len(rest)%2 == 0 || rest[half] != ' ' || strings.HasPrefix(rest, `"`) {
		return
	}
	from, to := rest[:half], rest[half+1:]
	_, fromName, ok := strings.Cut(from, "/")
	_, toName, both := strings.Cut(to, "/")
	if ok && both && fromName == toName {
		u.open, u.same = false, from
		u.both(v1.OpWrite, from)
	}
}

// path reads a name as git and diff write it: quoted where it holds odd
// characters, and with a time behind a tab.
func (u *unified) path(text string) string {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err == nil {
			quoted, err = strconv.Unquote(quoted)
		}
		if err != nil {
			u.bad = true
			return text
		}
		return quoted
	}
	name, _, _ := strings.Cut(text, "\t")
	return strings.TrimSpace(name)
}

// pair adds what the two names of a file's header say.
func (u *unified) pair() {
	switch {
	case u.from == "" || u.from == devNull && u.to == devNull:
		u.bad = true
	case u.to == devNull:
		u.both(v1.OpDelete, u.from)
	case u.from == devNull:
		u.both(v1.OpWrite, u.to)
	default:
		u.both(v1.OpWrite, u.to)
		u.both(v1.OpWrite, u.from)
	}
}

// both adds a path as it stands and without its first segment: which of the two
// is meant is an option of who applies it.
func (u *unified) both(op, path string) {
	if _, stripped, ok := strings.Cut(path, "/"); ok && stripped != "" {
		u.add(op, stripped)
	}
	u.add(op, path)
}

func (u *unified) add(op, path string) {
	for _, known := range u.changes {
		if known == (Change{op, path}) {
			return
		}
	}
	u.bad = u.bad || path == ""
	u.changes = append(u.changes, Change{op, path})
}

// hunk reads "-1,2 +3,4 @@": how many lines follow.
func (u *unified) hunk(rest string) {
	fields := strings.Fields(rest)
	if len(fields) < 3 || fields[2] != "@@" || u.to == "" {
		u.bad = true
		return
	}
	u.hunks++
	u.oldLines, u.newLines = u.count(fields[0], "-"), u.count(fields[1], "+")
}

func (u *unified) count(field, sign string) int {
	numbers, ok := strings.CutPrefix(field, sign)
	start, length, given := strings.Cut(numbers, ",")
	if !given {
		length = "1"
	}
	_, errStart := strconv.ParseUint(start, 10, 31)
	lines, err := strconv.ParseUint(length, 10, 31)
	if !ok || err != nil || errStart != nil {
		u.bad = true
		return 0
	}
	return int(lines)
}

// finish ends the part of one file.
func (u *unified) finish() {
	u.bad = u.bad || u.open
	u.from, u.to, u.same, u.open, u.hunks = "", "", "", false, 0
}

// InLine cuts patches out of a command line, from a here-document or an
// argument. envelope is true for those of the apply_patch format.
func InLine(line string, envelope bool) []string {
	if envelope {
		begin := strings.Index(line, Begin)
		if begin < 0 {
			return nil
		}
		text := line[begin:]
		if end := strings.LastIndex(text, patchEnd); end >= 0 {
			text = text[:end+len(patchEnd)]
		}
		return []string{text}
	}
	if begin := strings.IndexByte(line, '\n'); begin >= 0 && strings.Contains(line, "\n+++ ") {
		return []string{line[begin+1:]}
	}
	return nil
}

// HandedTo reports whether a line hands the patch in it to the one command of
// that name: as its here-document, as that of a cat in front of it, or as an
// argument. Any other patch in the line may be there for show.
func HandedTo(name, line string) bool {
	head, rest, _ := strings.Cut(line, "\n")
	before, after, document := strings.Cut(head, "<<")
	if !document {
		return !strings.Contains(line, "<<") && mentions(line, name) == 1 && !strings.ContainsAny(head, "|;&`$")
	}
	expanded := strings.IndexAny(strings.TrimLeft(after, "- "), `'"\`) != 0
	mark, after := hereMark(after)
	if mark == "" || strings.Contains(after, "<<") || !readsDocument(name, before, after) {
		return false
	}
	for rest != "" {
		var text string
		if text, rest, _ = strings.Cut(rest, "\n"); strings.TrimLeft(strings.TrimRight(text, `"' )`), "\t") == mark {
			return mentions(rest, name) == 0
		}
		if expanded && strings.ContainsAny(text, "$`\\") {
			return false // the shell makes another patch of it
		}
	}
	return true
}

// readsDocument reports whether the command of that name, and no other, reads the here-document that stands between
// two parts of a line: by itself, or from a cat.
func readsDocument(name, before, after string) bool {
	reader := strings.TrimSpace(before[strings.LastIndexAny(before, ";&|({`")+1:])
	if mentions(before, name) == 1 && mentions(reader, name) == 1 && mentions(after, name) == 0 && !strings.ContainsAny(after, "<") {
		return true
	}
	next, piped := strings.CutPrefix(strings.TrimSpace(after), "|")
	return reader == "cat" && mentions(before, name) == 0 && mentions(after, name) == 1 && piped && !strings.ContainsAny(next, "|;&<`")
}

// hereMark reads the word that ends a here-document, and what follows it.
func hereMark(text string) (mark, after string) {
	text = strings.TrimLeft(strings.TrimPrefix(text, "-"), " \\")
	end := strings.IndexFunc(text, func(r rune) bool { return strings.ContainsRune(" \t;&|<>()", r) })
	if end < 0 {
		end = len(text)
	}
	return strings.Trim(text[:end], `'"`), text[end:]
}

// mentions counts a name among the words of a text, as they are without quotes.
func mentions(text, name string) int {
	count, text := 0, strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>{}`", r) }) {
		if word == name || strings.HasSuffix(word, "/"+name) {
			count++
		}
	}
	return count
}
