package extract

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
	"policyd/extract/scope"
)

// ErrAmbiguous is for a path that leads elsewhere for a program that takes ".."
// out of the text before it opens it.
var ErrAmbiguous = errors.New(`path leads elsewhere by its text than by its links`)

// Place is what there is to know about a directory or file before a grant is
// given for it. Names are those that the agent uses. It says nothing of
// whether a grant should be given.
type Place struct {
	// Real is the path with every symbolic link followed, clean and absolute.
	Real string
	// Space is where Real lies for this session, one of v1.Space….
	Space string
	// Sensitive is true for what may never be granted and never be a project
	// (P6): the sensitive roots, those of both homes, policyd's own state, what
	// lies in one of them and what holds one. Only a home and the directories
	// of config.sensitive.itself may hold a place that is not sensitive.
	Sensitive bool
	// Own is true where the place is policyd's own state, lies in it or holds it.
	Own bool
	// Exists and Dir describe Real as it is now.
	Exists, Dir bool
	// Links are the segments that were symbolic links, in the order they were met.
	Links []string
	// Visible is false for a place on a disk that the sidecar can't see: Real is
	// then what the path spells, and nothing is known of what lies there.
	Visible bool
	// Changeable is true for what is not sensitive below the directories of config.sensitive.changeable, unless
	// a segment of the way from there begins with a dot: what lies there may be settings of programs. A name for data
	// is changeable there, too.
	Changeable bool
	// Data is true if the name has an ending of config.sensitive.data_files.
	Data bool
	// Temporary is the pattern of all files of the directory for temporary files that the place lies in directly,
	// such as "/tmp/*". It is empty elsewhere, and for directories.
	Temporary string
}

// Located is a Place, or the reason why a path leads to no place that is known.
type Located struct {
	Place
	Err error
}

// Place looks at an absolute path as the session's agent would name it, given
// the path grants that the session has. It reads the disk anew with each call
// and remembers nothing, so that a second look sees what has changed since. An
// error says that the path leads to no place that is known: it is relative,
// holds a NUL, is too long, loops, or can be read in two ways.
func (x *Extractor) Place(session *v1.Session, grants []v1.PathGrant, path string) (Place, error) {
	located, err := x.Places(context.Background(), session, grants, []string{path})
	if err != nil {
		return Place{}, err
	}
	return located[0].Place, located[0].Err
}

// Places is Place for several paths. The session's own directories are looked up once,
// and not for each path. The error is the context's: the look-up ends with it.
func (x *Extractor) Places(ctx context.Context, session *v1.Session, grants []v1.PathGrant, names []string) ([]Located, error) {
	e := x.begin(&v1.Call{Session: *session})
	defer e.end()
	e.session()
	e.surroundings(grants)
	located := make([]Located, len(names))
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		located[i].Place, located[i].Err = e.place(name)
	}
	return located, nil
}

func (e *extraction) place(path string) (Place, error) {
	resolved, err := e.view.Resolve(path)
	if err != nil {
		return Place{}, err
	}
	if len(resolved.Links) > 0 && strings.Contains(path, "..") {
		if other, err := e.view.Resolve(e.view.Spelling(path)); err != nil || other.Real != resolved.Real {
			return Place{}, ErrAmbiguous
		}
	}
	place := Place{
		Real: resolved.Real, Space: e.scope.SpaceOf(&resolved), Sensitive: e.sensitive.SensitiveRoot(resolved.Real),
		Own: e.sensitive.OwnPlace(resolved.Real), Exists: resolved.Exists, Dir: resolved.Dir, Links: resolved.Links,
		Visible: !resolved.Unseen, Data: e.sensitive.Policy.Lists.DataFile(resolved.Real),
	}
	if resolved.ViaProc {
		// What /proc leads to is the sidecar's, not the agent's.
		place.Sensitive = true
	}
	if !resolved.Dir && place.Visible {
		place.Temporary = e.sensitive.Policy.Lists.TemporaryFiles(resolved.Real)
	}
	place.Changeable = !place.Sensitive && e.sensitive.Changeable(resolved.Real)
	return place, nil
}

// WorkTree is scope.WorkTreeOf for a directory that the sidecar sees by its own name. Places that only a path map
// shows have none.
func (x *Extractor) WorkTree(directory string) (scope.WorkTree, bool) {
	if x.Lists.PathMap != nil {
		return scope.WorkTree{}, false
	}
	return scope.WorkTreeOf(directory)
}

// Under reports whether path is root or lies below it, with the case rules of
// the session's platform. Both are real names as Place returns them.
func (x *Extractor) Under(path, root string, session *v1.Session) bool {
	platform := session.Platform
	if platform == "" {
		platform = x.options.Platform
	}
	return paths.NamesOf(platform).Within(path, root)
}

// repositoryMarks are what makes a directory the top of a project (P7).
var repositoryMarks = []string{".git", "package.json", "go.mod", "Cargo.toml"}

// RepositoryShaped reports whether a directory, given by its real name, holds
// what a project has at its top. A link that bears such a name counts, wherever
// it leads; a directory that can't be seen holds nothing.
func (x *Extractor) RepositoryShaped(dir string) bool {
	disk, visible := x.Lists.PathMap.Sidecar(dir)
	if !visible || !filepath.IsAbs(disk) {
		return false
	}
	return slices.ContainsFunc(repositoryMarks, func(mark string) bool {
		_, err := os.Lstat(strings.TrimSuffix(disk, "/") + "/" + mark)
		return err == nil
	})
}
