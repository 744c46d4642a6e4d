package trust

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"policyd/extract/git/syntax"
)

// maxNamed bounds the paths that the settings of one repository may name.
const maxNamed = 4096

// Named lists paths that words of settings may name, unresolved, whether they exist or not. Settings are all that git
// reads in the repository around the query's directory. Files that it includes under a condition count always. Relative words count from the top of the work tree. known is false if a file can't be
// read or there are too many words.
//
// Nothing is remembered.
func (r *Reader) Named(q Query) (named []string, known bool) {
	seen := &probe{now: time.Duration(r.now().UnixNano()), view: q.View}
	place, err := discovery{seen}.find(q.Dir)
	if err != nil || place.top == "" {
		return nil, err == nil
	}
	n := naming{probe: seen, query: q, top: place.top}
	files := append(q.userFiles(), filepath.Join(place.commonDir, "config"), filepath.Join(place.gitDir, "config.worktree"))
	return n.paths, !slices.ContainsFunc(files, func(file string) bool { return !n.file(file, 0) })
}

// naming gathers what settings name.
type naming struct {
	*probe

	query Query
	top   string
	paths []string
	files int
}

func (n *naming) file(file string, depth int) bool {
	content, err := n.read(file, maxConfigBytes)
	if err != nil || content == nil {
		return err == nil
	}
	settings, err := syntax.ParseConfig(content)
	if n.files++; err != nil || depth > maxIncludeDepth || n.files > maxIncluded {
		return false
	}
	for _, s := range settings {
		if s.Value == "" || namesNoPath(s) {
			continue
		}
		n.value(s.Value)
		if (s.Section == "include" || s.Section == "includeif") && s.Key == "path" {
			included := n.below(filepath.Dir(file), s.Value)
			if n.paths = append(n.paths, included); !n.file(included, depth+1) {
				return false
			}
		}
	}
	return len(n.paths) <= maxNamed
}

// namesNoPath reports whether the values of a setting are words that git only prints or compares, or names of refs.
func namesNoPath(s syntax.Setting) bool {
	switch s.Section {
	case "user", "author", "committer", "color", "branch":
		return s.Key != "signingkey"
	case "remote":
		return s.Key == "fetch" || s.Key == "push"
	case "init":
		return s.Key == "defaultbranch"
	default:
		return false
	}
}

// value adds what a value may name: as a whole, as words that quotes and escapes make one, and between all
// characters that may end a word of a command line.
func (n *naming) value(value string) {
	value = behindVariable.ReplaceAllString(strings.TrimPrefix(value, "!"), "./")
	plain := strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(value)
	words := []string{value, plain}
	words = append(words, quoted(value)...)
	words = append(words, strings.FieldsFunc(value, separatesPaths)...)
	words = append(words, strings.FieldsFunc(plain, separatesPaths)...)
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		n.word(word)
	}
}

// separatesPaths reports whether a character ends a path in a command line or in a list, or quotes it.
func separatesPaths(c rune) bool { return separatesWords(c) || strings.ContainsRune(":,{}[]*?!\\%", c) }

// behindVariable is a directory that a variable names: that of the work tree, as far as is known.
var behindVariable = regexp.MustCompile(`\$(\w+|\{\w+\})/`)

// quoted are the texts between quotes, and words with escaped spaces.
func quoted(value string) (texts []string) {
	for _, quote := range []string{`"`, "'"} {
		for i, text := range strings.Split(value, quote) {
			if i%2 == 1 {
				texts = append(texts, text)
			}
		}
	}
	const space = "\x00"
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(value, `\ `, space), separatesWords) {
		if strings.Contains(word, space) {
			texts = append(texts, strings.ReplaceAll(word, space, " "))
		}
	}
	return texts
}

// word adds the path of a word, and for what follows a substitution ($(git rev-parse --show-toplevel)/x) the
// path from the top. A word that ends in a part with a pattern names its directory, since
// patterns separate words.
func (n *naming) word(word string) {
	if word == "" {
		return
	}
	n.paths = append(n.paths, n.below(n.top, word))
	if rest := strings.TrimLeft(word, "/"); rest != word {
		n.paths = append(n.paths, filepath.Join(n.top, rest))
	}
}

func (n *naming) below(dir, word string) string {
	if rest, home := strings.CutPrefix(word, "~/"); home && n.query.Home != "" {
		return filepath.Join(n.query.Home, rest)
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(dir, word)
}
