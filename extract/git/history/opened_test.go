package history

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/git/object"
)

// V5: of each kind, every object that is opened has to be there, and no other.
func TestStored(t *testing.T) {
	s := newSandbox(t)
	dir := s.Project
	git := func(args ...string) string { return strings.TrimSpace(s.Git(dir, args...)) }
	git("init", "-q")
	for i, text := range []string{"one", "two", "three"} {
		s.Write(dir+"/a.txt", text+"\n")
		s.Write(dir+"/sub/b.txt", "same\n")
		s.Write(dir+"/sub/.gitignore", "*.o\n")
		s.Write(dir+"/.gitattributes", "*.txt text\n")
		git("add", ".")
		git("commit", "-q", "-m", text)
		if i == 0 {
			git("tag", "-a", "-m", "first", "first")
			git("branch", "old")
		}
	}
	git("notes", "add", "-m", "a note")
	s.Write(dir+"/a.txt", "staged\n")
	git("add", ".")
	repository := s.repository(dir)
	past := NewPast(func(string) bool { return false })
	kinds := func(names string) Opens {
		opens, err := ParseOpens(names)
		require.NoError(t, err)
		return opens
	}
	all := strings.Fields(git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
	called := map[string]string{}
	for _, line := range strings.Split(git("rev-list", "--objects", "--all", "--reflog", "--indexed-objects"), "\n") {
		id, path, _ := strings.Cut(line, " ")
		called[id] = strings.TrimSpace(id[:7] + " " + path)
	}
	for name, test := range map[string]struct {
		of Opened
		// needs are the objects, beside HEAD's commit where bare is false.
		needs string
		bare  bool
	}{
		"nothing":       {Opened{}, "", true},
		"a word":        {Opened{Revisions: []string{"HEAD"}}, "", false},
		"steps":         {Opened{Revisions: []string{"HEAD~2"}}, "HEAD~1 HEAD~2", false},
		"a tree":        {Opened{Revisions: []string{"HEAD~1^{tree}"}}, "HEAD~1 HEAD~1^{tree}", false},
		"a tag":         {Opened{Revisions: []string{"first"}}, "first first^{}", true},
		"a path":        {Opened{Objects: []ObjectName{{"HEAD", "sub/b.txt"}}}, "HEAD^{tree} HEAD:sub", false},
		"a file":        {Opened{Opens: kinds("named"), Objects: []ObjectName{{"HEAD", "sub/b.txt"}}}, "HEAD^{tree} HEAD:sub HEAD:sub/b.txt", false},
		"a staged file": {Opened{Opens: kinds("named"), Objects: []ObjectName{{"", "a.txt"}}}, ":a.txt", true},
		"now or before": {Opened{Revisions: []string{"@{u}"}}, "", true},
		"parted":        {Opened{Revisions: []string{"HEAD...old"}}, "HEAD~1 HEAD~2", false},
		"refs":          {Opened{Opens: kinds("refs")}, "old first notes", false},
		"logs":          {Opened{Opens: kinds("logs")}, "HEAD~1 HEAD~2 first notes", false},
		"history":       {Opened{Opens: kinds("named history")}, "HEAD~1 HEAD~2", false},
		"youngest":      {Opened{Opens: kinds("named history"), Count: 1}, "HEAD~1", false},
		"all":           {Opened{Opens: kinds("all")}, "HEAD~1 HEAD~2 first notes", false},
		"top":           {Opened{Opens: kinds("named top")}, "HEAD^{tree}", false},
		"trees":         {Opened{Opens: kinds("named trees")}, "HEAD^{tree} HEAD:sub", false},
		"files":         {Opened{Opens: kinds("named files")}, "HEAD^{tree} HEAD:sub HEAD:a.txt HEAD:sub/b.txt HEAD:sub/.gitignore HEAD:.gitattributes", false},
		"names":         {Opened{Opens: kinds("named names")}, "HEAD^{tree} HEAD~1 HEAD~1^{tree}", false},
		"changes":       {Opened{Opens: kinds("named changes")}, "HEAD^{tree} HEAD~1 HEAD~1^{tree} HEAD:a.txt HEAD~1:a.txt :.gitattributes", false},
		"between": {
			Opened{Opens: kinds("named tracked between"), Revisions: []string{"HEAD", "old"}},
			"HEAD^{tree} old old^{tree} HEAD:a.txt old:a.txt :.gitattributes", false,
		},
		"notes":      {Opened{Opens: kinds("notes")}, "notes notes^{tree} notes:", true},
		"attributes": {Opened{Opens: kinds("attributes")}, ":.gitattributes", true},
		"ignores":    {Opened{Opens: kinds("ignores")}, ":sub/.gitignore", true},
		"tracked": {
			Opened{Opens: kinds("tracked named")},
			"HEAD^{tree} HEAD:sub HEAD:a.txt :a.txt :sub/b.txt :sub/.gitignore :.gitattributes", false,
		},
		"index": {Opened{Opens: kinds("index")}, ":a.txt :sub/b.txt :sub/.gitignore :.gitattributes", true},
	} {
		var needs []string
		if !test.bare {
			needs = []string{git("rev-parse", "HEAD")}
		}
		for word := range strings.FieldsSeq(test.needs) {
			word = strings.Replace(word, "notes", "refs/notes/commits", 1)
			if word == "refs/notes/commits:" {
				needs = append(needs, strings.Fields(git("ls-tree", "-r", "--object-only", "refs/notes/commits"))...)
				continue
			}
			needs = append(needs, git("rev-parse", word))
		}
		if strings.Contains(name, "refs") || name == "logs" || name == "all" {
			needs = append(needs, git("rev-parse", "old"))
		}
		for _, id := range all {
			file := dir + "/.git/objects/" + id[:2] + "/" + id[2:]
			require.NoError(t, os.Rename(file, file+".gone"))
			of := test.of
			of.Budget = &object.Budget{}
			assert.Equalf(t, !slices.Contains(needs, id), past.Stored(repository, of), "%s without %s", name, called[id])
			require.NoError(t, os.Rename(file+".gone", file))
		}
		of := test.of
		of.Budget = &object.Budget{}
		assert.True(t, past.Stored(repository, of), name)
	}
}

// V5: what can't be known isn't there.
func TestStoredIsNotKnown(t *testing.T) {
	s := newSandbox(t)
	dir := s.Project
	s.Git(dir, "init", "-q")
	s.Write(dir+"/a.txt", "one\n")
	s.Git(dir, "add", ".")
	s.Git(dir, "commit", "-q", "-m", "one")
	past := NewPast(func(string) bool { return false })
	stored := func(of Opened) bool {
		of.Budget = &object.Budget{}
		return past.Stored(s.repository(dir), of)
	}
	named := Opened{Opens: OpensNamed | OpensHistory}
	require.True(t, stored(named))
	for _, word := range []string{strings.Repeat("1", 40), "HEAD:nosuch", ":/one", "HEAD^{/one}", "HEAD^{tree}~1", "HEAD@{u}{0}", "refs/heads/", "deadbeef"} {
		of := named
		of.Revisions = []string{word}
		assert.False(t, stored(of), word)
	}
	assert.False(t, stored(Opened{Opens: OpensNamed | OpensTop, Revisions: []string{"@{u}"}}), "which tree isn't known")
	assert.False(t, stored(Opened{Objects: []ObjectName{{"HEAD", "nosuch"}}}), "git looks elsewhere")
	few := named
	few.Budget = &object.Budget{MostObjects: 1, MostBytes: 1}
	assert.False(t, NewPast(func(string) bool { return false }).Stored(s.repository(dir), few), "the budget is spent")
	tracked := Opened{Opens: OpensTracked | OpensNamed}
	require.True(t, stored(tracked))
	require.NoError(t, os.Mkdir(dir+"/.git/rebase-merge", 0o700))
	assert.False(t, stored(tracked), "git status resolves what the list of a rebase names")
	require.NoError(t, os.Remove(dir+"/.git/rebase-merge"))
	s.Git(dir, "replace", "HEAD^{tree}", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
	assert.False(t, stored(named), "objects are replaced")
}
