package paths

import (
	"path"
	"strings"
	"testing"
)

// An entry of several segments is found at the end of a path as by trying every
// place that it could begin at.
func FuzzMatchTail(f *testing.F) {
	for _, seed := range [][2]string{
		{"/home/dev/.kube/config", ".kube/config"},
		{"/a/b/c", "b/*"},
		{"/a/b", "?/b"},
		{"/a/b", "[^x]b"},
		{"/a/b/c", "[^x]*c"},
		{"/a", "a"},
		{"/a/b/c", `b\/c`},
		{"/proc/1/environ", "/proc/*/environ"},
		{"//a", "/a"},
		{"/a//b", "a//b"},
		{"a/b", "a/b"},
		{"", ""},
		{"/x", ""},
		{"/", ""},
		{"/a/", "/"},
		{"/a/b", "a/[b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, real, entry string) {
		want := false
		if strings.HasPrefix(entry, "/") {
			ok, err := path.Match(entry, real)
			want = ok && err == nil
		} else {
			for i := range len(real) {
				ok, err := path.Match(entry, real[i+1:])
				want = want || real[i] == '/' && ok && err == nil
			}
		}
		if got := matchTail(real, entry); got != want {
			t.Fatalf("%q at the end of %q: %v", entry, real, got)
		}
	})
}
