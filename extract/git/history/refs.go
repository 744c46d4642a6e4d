package history

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// maxRefs is how many files of refs are looked at.
const maxRefs = 10_000

// RefsAreWords reports whether the name of each ref is one word wherever git prints it, and no
// option: a clone brings tags of any name. How much of a name git prints depends on the other
// names, so no part of any may begin with a dash. If no branch is checked out git prints more than
// names, and the answer is false.
func RefsAreWords(repository object.Repository) bool {
	if repository.HashSize == 0 || repository.Has("reftable") {
		return false
	}
	// The branch may have no commit yet, and so no ref.
	head, known := repository.HeadText()
	branch, onBranch := strings.CutPrefix(head, "ref: refs/heads/")
	if !known || !onBranch || !syntax.IsRefWord(branch) {
		return false
	}
	packed, known := repository.PackedRefs()
	if !known || slices.ContainsFunc(packed, func(ref object.Ref) bool { return !syntax.IsRefWord(ref.Name) }) {
		return false
	}
	left := maxRefs
	return !slices.ContainsFunc([]string{repository.CommonDir, repository.GitDir}, func(dir string) bool {
		return walkRefs(&repository, dir, "refs", func(_ string, entry fs.DirEntry) bool {
			left--
			return left >= 0 && syntax.IsRefWord(entry.Name()) && (entry.IsDir() || entry.Type().IsRegular())
		}) != nil
	})
}

// walkRefs visits what lies at a name below dir, by full names, until visit returns false, which is
// an error. What is missing is none.
func walkRefs(repository *object.Repository, dir, name string, visit func(name string, entry fs.DirEntry) bool) error {
	root, err := object.OnDisk(repository.View, filepath.Join(dir, name), false)
	if err == nil {
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case stat.Missing(err):
				return nil
			case err != nil:
				return err
			case !visit(name+filepath.ToSlash(strings.TrimPrefix(path, root)), entry):
				return fs.ErrInvalid
			}
			return nil
		})
	}
	if stat.Missing(err) {
		return nil
	}
	return err
}

// TagsAreWords reports whether the name inside each tag object is one that RefsAreWords accepts:
// git describe before 2.27 prints that name, which may be anything, and not the name of the ref.
// The answer is false if there are more tags than objects are read for one answer.
func TagsAreWords(repository object.Repository) bool {
	ids, known := tagIDs(&repository)
	if !known || len(ids) == 0 {
		return known
	}
	source, ok := NewPast(nil).open(&repository, &object.Budget{MostObjects: maxNamed, MostBytes: maxNamedBytes})
	if !ok {
		return false
	}
	defer source.reader.Close()
	return !slices.ContainsFunc(ids, func(id string) bool { return !source.isWord(id) })
}

// isWord reports whether a tag is a commit, or an object that has a name which is a word.
func (s *source) isWord(id string) bool {
	found, err := s.object(id)
	if err != nil || found.Kind != object.KindTag {
		_, ok := s.commit(id)
		return ok
	}
	lines := strings.SplitN(string(found.Body), "\n", 4)
	if len(lines) < 4 {
		return false
	}
	name, named := strings.CutPrefix(lines[2], "tag ")
	return named && syntax.IsRefWord(name)
}

// tagIDs are the objects that tags name, packed refs that a loose one overrides included.
func tagIDs(repository *object.Repository) (ids []string, known bool) {
	packed, known := repository.PackedRefs()
	if !known {
		return nil, false
	}
	for _, ref := range packed {
		if strings.HasPrefix(ref.Name, "refs/tags/") {
			ids = append(ids, ref.ID)
		}
	}
	err := walkRefs(repository, repository.CommonDir, "refs/tags", func(name string, entry fs.DirEntry) bool {
		if entry.IsDir() {
			return true
		}
		id, _, known := repository.LooseRef(name)
		ids = append(ids, id)
		return known && len(ids) <= maxRefs
	})
	return ids, err == nil
}

// MayNameTags reports whether one of some revisions may be, or begin with, the name of a tag, or
// of another ref than a branch: these name objects of any kind.
func MayNameTags(repository object.Repository, revisions []string) bool {
	return slices.ContainsFunc(revisions, func(word string) bool {
		ends, ranged := syntax.CutRange(word)
		return mayNameTag(&repository, ends.From) || ranged && mayNameTag(&repository, ends.To)
	})
}

func mayNameTag(repository *object.Repository, revision string) bool {
	name, _, _ := strings.Cut(revision, "~")
	name, _, _ = strings.Cut(name, "^")
	if name == "" || name == "HEAD" || name == "@" || strings.HasPrefix(name, "HEAD@{") {
		return false
	}
	if !syntax.IsRefName(name) || strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "tags/") {
		return true
	}
	_, there, known := repository.Ref("refs/tags/" + name)
	return there || !known
}

// MayName reports whether git may take a word for a revision, or for a range between two, be there
// a file of that name: most commands refuse a word that is both, but git log takes the
// range, and others look for no file. The repository remembers what it reads of packed refs.
func MayName(repository *object.Repository, word string) bool {
	if repository.HashSize == 0 || word == ".." {
		return false
	}
	ends, ranged := syntax.CutRange(word)
	return mayName(repository, ends.From) && (!ranged || mayName(repository, ends.To))
}

// mayName reports whether a name is that of a ref, or may be a hash. What isn't known counts.
func mayName(repository *object.Repository, name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment[0] == '.' {
			return false
		}
	}
	return name == "@" || syntax.HashIn(name) != "" || slices.ContainsFunc(syntax.RefPlaces(name), repository.MayHaveRef)
}
