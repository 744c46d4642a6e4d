package record

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// NewTo returns a writer whose only sink is out.
func NewTo(out io.Writer) *Writer { return NewWith(Options{}, out) }

// NewWith is NewTo with options.
func NewWith(options Options, out io.Writer) *Writer {
	return newWriter(options, []*sink{{name: "test", out: out}})
}

// Encode is the line of a record.
func Encode(record *v1.Record) ([]byte, error) {
	e := newEntry()
	err := e.encode(record)
	return bytes.Clone(e.line), err
}

// Blocked is how many callers wait for room.
func (w *Writer) Blocked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocked
}

// LookNow makes the next write look whether the file is still in its place.
func (w *Writer) LookNow() { w.sinks[0].out.(*logFile).looked = time.Time{} }

// SetLimit changes the size in bytes at which the file is rotated.
func (w *Writer) SetLimit(bytes int64) { w.sinks[0].out.(*logFile).limit = bytes }

// SetPatience changes what a caller waits for its record.
func (w *Writer) SetPatience(patience time.Duration) { w.options.Patience = patience }

// Filter is that of lists.
type Filter = v1.RecordFilter

// SetScan changes how many bytes one page may cost.
func (r *Reader) SetScan(bytes int64) { r.scan = bytes }

// NewBackward returns what gives the lines of a file, the last one first.
func NewBackward(file io.ReaderAt, size int64, chunk int) func() ([]byte, error) {
	lines := newBackward(file, size)
	lines.chunk = chunk
	return lines.next
}

// What is assigned to secret variables, masked, and whether a text would have come so
// far; and the same by the pattern alone, with path.Match for every name.
func (m *Masker) Assigned(text string) (masked string, suspicious bool) {
	return m.assigned(text), m.hints.matching(text) != 0 || m.variables.Load().assigned(text)
}

func (m *Masker) AssignedByPattern(text string, globs []string) string {
	return m.assignment.ReplaceAllStringFunc(text, func(found string) string {
		name, _, _ := strings.Cut(found, "=")
		if !slices.ContainsFunc(globs, func(glob string) bool { return GlobMatches(glob, name) }) {
			return found
		}
		return name + "=" + Masked
	})
}

// GlobMatches is what a glob of names means.
func GlobMatches(glob, name string) bool {
	matched, err := path.Match(strings.ToLower(glob), strings.ToLower(name))
	return err == nil && matched
}

// Announced is how many here-documents a line announces.
func Announced(line string) int { return len(announced(line)) }

// What the tests of patches compare.
var (
	PatchLine = patchLine
	FindPatch = findPatch
)

// Hinted are the patterns with a hint in a text, by the single pass and by searching for each, and all hints.
func Hinted(m *Masker, text string) (found, each uint64, all []string) {
	for i := range m.patterns {
		all = append(all, m.patterns[i].hints...)
	}
	return uint64(m.hints.matching(text)), uint64(m.hints.folded(strings.ToLower(text))), all
}

// FlatMembers reads arguments of the usual kind.
var FlatMembers = flatMembers

// GiveUpIdle is a caller who gives up when nobody writes, and the number of notices that the entry's next
// record would get from this one.
func GiveUpIdle(w *Writer) (left int, err error) {
	e := newEntry()
	e.line = append(e.line, "{}\n"...)
	w.mu.Lock()
	w.enqueue(e)
	w.led = false
	w.mu.Unlock()
	e.notices <- notice{idle: true}
	err, _ = w.giveUp(e)
	return len(e.notices), err
}
