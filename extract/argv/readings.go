package argv

import (
	"net/url"
	"strings"
)

// maxReadings bounds how many paths are looked for in one word.
const maxReadings = 96

// Certainty says on what condition a part of a word counts as a path.
type Certainty uint8

const (
	// IfPathLike counts if the text looks like a path, names something that exists, or is
	// on a list.
	IfPathLike Certainty = iota
	// IfThere counts if something exists where the text begins, or the text is on a list:
	// the letters in front of it may be a bundle of options, or a part of the path.
	IfThere
	// IfMentioned is a part of a text with blanks, which may be prose. It names nothing for
	// certain, so that it makes a command unknown and denies nothing.
	IfMentioned
)

// PathReading is a path that a program may find in a word.
type PathReading struct {
	Text      string
	Certainty Certainty
}

// PathReadings returns the paths that a program may find in a word whose role is not known:
// the word itself, the value of an option attached to its letter (-oX), and what stands
// behind or between marks (k=X, @X, a=b=X, X:Y, scheme:X). Addresses of the network are left
// out. ok is false for a word with more marks than are looked at.
func (o *OperandWords) PathReadings(text string) (readings []PathReading, ok bool) {
	r := pathReader{certainty: IfPathLike}
	text = o.withoutAddresses(text)
	if strings.ContainsAny(text, blanks) {
		r.spaced(text)
	} else {
		r.parts(text)
	}
	return r.readings, len(r.readings) <= maxReadings
}

const (
	blanks = " \t\n\r\v\f"
	// pathMarks separate a path from what stands beside it in some program's notation.
	pathMarks = "=:@,;<>()[]{}|&!?#%^+$\"'`" + blanks
)

type pathReader struct {
	readings  []PathReading
	certainty Certainty
}

func (r *pathReader) add(text string, certainty Certainty) {
	if text == "" || len(r.readings) > maxReadings {
		return
	}
	certainty = max(certainty, r.certainty)
	for i := range r.readings {
		if known := &r.readings[i]; known.Text == text {
			known.Certainty = min(known.Certainty, certainty)
			return
		}
	}
	r.readings = append(r.readings, PathReading{Text: text, Certainty: certainty})
}

// spaced reads a text with blanks: one path with blanks in it, or prose that mentions some.
func (r *pathReader) spaced(text string) {
	r.whole(text)
	if _, value, found := strings.Cut(text, "="); found {
		r.whole(strings.TrimLeft(value, "@"))
	}
	r.whole(strings.TrimLeft(text, "@"))
	r.certainty = IfMentioned
	r.parts(text)
}

// parts reads the text behind each mark, up to the next one and up to the end. A path with
// a mark in a directory's name still begins as its parts do.
func (r *pathReader) parts(text string) {
	for rest := text; ; {
		r.whole(rest)
		mark := strings.IndexAny(rest, pathMarks)
		if mark < 0 || len(r.readings) > maxReadings {
			return
		}
		r.whole(rest[:mark])
		r.scheme(rest[:mark], rest[mark:])
		rest = rest[mark+1:]
	}
}

// scheme reads an address of what is no network: file:///x, fileb://x.
func (r *pathReader) scheme(name, rest string) {
	path, found := strings.CutPrefix(rest, "://")
	if !found || name == "" {
		return
	}
	r.whole(path)
	if _, behind, slash := strings.Cut(path, "/"); slash {
		r.whole("/" + behind) // behind a host
	}
	if plain, err := url.PathUnescape(path); err == nil && plain != path {
		r.whole(plain)
	}
}

// maxBundle bounds how many letters in front of an attached value may be options.
const maxBundle = 5

// whole reads one text: a path, or an option with a path attached.
func (r *pathReader) whole(text string) {
	if !strings.HasPrefix(text, "-") {
		r.add(text, IfPathLike)
		return
	}
	letters := strings.TrimLeft(text, "-")
	if len(letters) < 2 {
		return
	}
	if !isAlphanumeric(letters[0]) {
		r.add(letters, IfPathLike)
		return
	}
	if len(text)-len(letters) == 1 {
		r.add(letters[1:], IfPathLike)
	}
	for i := 1; i < len(letters) && i <= maxBundle && isAlphanumeric(letters[i-1]); i++ {
		r.add(letters[i:], IfThere)
	}
	if slash := strings.IndexByte(letters, '/'); slash > 0 {
		r.add(letters[slash:], IfThere)
	}
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
