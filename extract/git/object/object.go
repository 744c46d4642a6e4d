package object

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own ids
	"crypto/sha256"
	"strconv"
	"strings"
)

// Kind is what an object is, as packs number it (gitformat-pack(5)).
type Kind byte

// Kinds of objects. What is stored as a difference has the kind of what it differs from.
const (
	KindCommit Kind = 1
	KindTree   Kind = 2
	KindBlob   Kind = 3
	KindTag    Kind = 4

	kindOffsetDelta Kind = 6
	kindNamedDelta  Kind = 7
)

// kinds are the names of those that are stored whole.
var kinds = map[string]Kind{"commit": KindCommit, "tree": KindTree, "blob": KindBlob, "tag": KindTag}

// String is git's name of the kind.
func (k Kind) String() string {
	for name, kind := range kinds {
		if kind == k {
			return name
		}
	}
	return ""
}

// Object is an object that was read. A blob has no Body: what a file holds is never read.
type Object struct {
	Kind Kind
	Body []byte
}

// HashOf is the id that git gives to an object.
func HashOf(kind Kind, body []byte, hashSize int) []byte {
	sum := sha1.New() //nolint:gosec // git's own ids
	if hashSize == SHA256Size {
		sum = sha256.New()
	}
	sum.Write([]byte(kind.String() + " " + strconv.Itoa(len(body)) + "\x00"))
	sum.Write(body)
	return sum.Sum(nil)
}

// Target is the id of the object that a tag names.
func (o Object) Target() (id string, ok bool) {
	line, _, _ := strings.Cut(string(o.Body), "\n")
	id, ok = strings.CutPrefix(line, "object ")
	return id, ok && o.Kind == KindTag
}

// TreeEntry is one line of a tree.
type TreeEntry struct{ Mode, Name, ID []byte }

// IsTree reports whether the entry is a directory.
func (e TreeEntry) IsTree() bool { return string(e.Mode) == "40000" || string(e.Mode) == "040000" }

// CutEntry cuts the first entry off the body of a tree.
func CutEntry(body []byte, hashSize int) (e TreeEntry, rest []byte, ok bool) {
	header, rest, ended := bytes.Cut(body, []byte{0})
	mode, name, spaced := bytes.Cut(header, []byte{' '})
	if !ended || !spaced || len(rest) < hashSize {
		return e, nil, false
	}
	return TreeEntry{Mode: mode, Name: name, ID: rest[:hashSize]}, rest[hashSize:], true
}

// Commit is the header of a commit.
type Commit struct {
	Tree    string
	Parents []string
	// Date counts seconds since 1970; Dated is false if it can't be read.
	Date  int64
	Dated bool
}

// ParseCommit reads a commit of the repository.
func (r *Repository) ParseCommit(body []byte) (*Commit, bool) {
	head, _, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	tree, ok := strings.CutPrefix(lines[0], "tree ")
	if !ok || !r.IsID(tree) {
		return nil, false
	}
	c := Commit{Tree: tree}
	for lines = lines[1:]; len(lines) > 0; lines = lines[1:] {
		parent, found := strings.CutPrefix(lines[0], "parent ")
		if !found {
			break
		}
		if !r.IsID(parent) {
			return nil, false
		}
		c.Parents = append(c.Parents, parent)
	}
	// git looks for the author and the committer nowhere else.
	if len(lines) > 1 && strings.HasPrefix(lines[0], "author ") {
		c.Date, c.Dated = committed(lines[1])
	}
	return &c, true
}

// committed reads when a commit was made, behind the name and address of who made it. gits
// differ about which of several brackets ends the address.
func committed(line string) (seconds int64, ok bool) {
	who, when, _ := strings.Cut(line, ">")
	fields := strings.Fields(when)
	if !strings.HasPrefix(who, "committer ") || len(fields) != 2 || strings.Contains(when, ">") || strings.Trim(fields[0], "0123456789") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	return seconds, err == nil
}
