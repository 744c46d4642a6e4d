package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

type layout uint8

const (
	layoutNone layout = iota
	layoutDirectory
	layoutGitfile
	layoutBare
)

// repository is a place that git would use.
type repository struct {
	layout    layout
	top       string
	gitDir    string
	commonDir string
}

// Bounds on the way to a repository. git itself bounds a gitfile at 1 MiB.
const (
	maxGitfileBytes     = 4 << 10
	maxDiscoveryParents = 256
)

// discovery finds repositories.
type discovery struct{ *probe }

// find walks up from dir as git does: at each level a .git first, then the
// directory itself if it has the shape of a repository. Mount points and
// GIT_CEILING_DIRECTORIES, where git would stop, are passed over: git then
// finds less than is judged here.
func (d discovery) find(dir string) (repository, error) {
	for range maxDiscoveryParents {
		place, err := d.dotGit(dir)
		if err == nil && place.layout == layoutNone {
			place, err = d.bare(dir)
		}
		if err != nil || place.layout != layoutNone {
			return place, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return repository{}, nil
		}
		dir = parent
	}
	return repository{}, refuse(CodeLimit, "directory depth")
}

func (d discovery) bare(dir string) (repository, error) {
	common, shaped, err := d.shapedAt(dir)
	if err != nil || !shaped {
		return repository{}, err
	}
	return repository{layout: layoutBare, gitDir: dir, commonDir: common}, nil
}

// dotGit looks at dir/.git alone.
func (d discovery) dotGit(dir string) (repository, error) {
	path := filepath.Join(dir, ".git")
	found, err := d.stat(path, true)
	if err != nil {
		return repository{}, err
	}
	switch found.Kind {
	case stat.Absent:
		return repository{}, nil
	case stat.File:
		return d.followGitfile(dir, path)
	case stat.Directory:
		return d.gitDirectory(dir, path)
	default:
		return repository{}, refuse(CodeAmbiguous, path)
	}
}

func (d discovery) gitDirectory(dir, path string) (repository, error) {
	common, shaped, err := d.shapedAt(path)
	if err != nil || !shaped {
		return repository{}, err
	}
	gitDir, err := d.resolve(dir, path)
	if err != nil {
		return repository{}, refuse(CodeUnreadable, path)
	}
	if common == path {
		common = gitDir
	}
	return repository{layout: layoutDirectory, top: dir, gitDir: gitDir, commonDir: common}, nil
}

func (d discovery) followGitfile(dir, path string) (repository, error) {
	content, err := d.read(path, maxGitfileBytes)
	if err != nil {
		return repository{}, err
	}
	target, isGitfile := bytes.CutPrefix(content, []byte("gitdir: "))
	named, ok := onePath(target)
	if !isGitfile || !ok {
		return repository{}, refuse(CodeGitfile, path)
	}
	gitDir, err := d.resolve(dir, named)
	if err != nil {
		return repository{}, refuse(CodeGitfile, path)
	}
	common, shaped, err := d.shapedAt(gitDir)
	if err != nil {
		return repository{}, err
	}
	if !shaped {
		return repository{}, refuse(CodeGitfile, path)
	}
	return repository{layout: layoutGitfile, top: dir, gitDir: gitDir, commonDir: common}, nil
}

// shapedAt reports whether git takes dir for a repository directory, and its
// common directory. Where git's answer hangs on more than is looked at here,
// it is an error: stopping too early is as wrong as walking on too far.
func (d discovery) shapedAt(dir string) (common string, shaped bool, err error) {
	headPath := filepath.Join(dir, "HEAD")
	head, err := d.stat(headPath, false)
	if err != nil {
		return "", false, err
	}
	if head.Kind == stat.Absent {
		return "", false, nil
	}
	common, err = d.commonDir(dir)
	if err != nil {
		return "", false, err
	}
	for _, name := range []string{"objects", "refs"} {
		path := filepath.Join(common, name)
		found, err := d.stat(path, true)
		if err != nil {
			return "", false, err
		}
		if found.Kind == stat.Absent {
			return "", false, nil
		}
		if found.Kind != stat.Directory || !searchable(found) {
			return "", false, refuse(CodeAmbiguous, path)
		}
	}
	if !d.validHead(headPath, head) {
		return "", false, refuse(CodeAmbiguous, headPath)
	}
	return common, true, nil
}

// searchable errs on the side of no: git skips a directory it can't enter.
func searchable(s stat.Stamp) bool {
	if s.Permissions&0o111 == 0o111 {
		return true
	}
	return int64(s.Owner) == int64(os.Geteuid()) && s.Permissions&0o100 != 0
}

func (d discovery) commonDir(dir string) (string, error) {
	path := filepath.Join(dir, "commondir")
	found, err := d.stat(path, true)
	if err != nil {
		return "", err
	}
	if found.Kind == stat.Absent {
		return dir, nil
	}
	content, err := d.read(path, maxGitfileBytes)
	if err != nil {
		return "", err
	}
	target, ok := onePath(content)
	if !ok {
		return "", refuse(CodeCommonDir, path)
	}
	common, err := d.resolve(dir, target)
	if err != nil {
		return "", refuse(CodeCommonDir, path)
	}
	return common, nil
}

func (d discovery) validHead(path string, head stat.Stamp) bool {
	if head.Kind == stat.Link {
		path, err := object.OnDisk(d.view, path, false)
		if err != nil {
			return false
		}
		target, err := os.Readlink(path)
		return err == nil && strings.HasPrefix(target, "refs/")
	}
	content, err := d.read(path, maxGitfileBytes)
	if err != nil {
		return false
	}
	if reference, ok := bytes.CutPrefix(content, []byte("ref:")); ok {
		return bytes.HasPrefix(bytes.TrimLeft(reference, " \t\r\n"), []byte("refs/"))
	}
	const shortestObjectName = 40
	return len(content) >= shortestObjectName && syntax.IsHash(string(content[:shortestObjectName]))
}

// checkBackLink holds that the target of a gitfile knows of it. A linked work
// tree is named by worktrees/<id>/gitdir; a submodule by core.worktree, which
// the configuration check compares.
func (d discovery) checkBackLink(place repository) error {
	if place.commonDir == place.gitDir {
		return nil
	}
	holder := filepath.Dir(place.gitDir)
	if filepath.Base(holder) != "worktrees" || filepath.Dir(holder) != place.commonDir {
		return refuse(CodeCommonDir, place.gitDir)
	}
	path := filepath.Join(place.gitDir, "gitdir")
	content, err := d.read(path, maxGitfileBytes)
	if err != nil {
		return err
	}
	named, ok := onePath(content)
	if !ok {
		return refuse(CodeGitfileUnlinked, path)
	}
	back, err := d.resolve(place.gitDir, named)
	if err != nil || back != filepath.Join(place.top, ".git") {
		return refuse(CodeGitfileUnlinked, path)
	}
	return nil
}

// onePath is the path that a file of one line holds.
func onePath(content []byte) (path string, ok bool) {
	path = strings.TrimRight(string(content), "\r\n")
	return path, path != "" && !strings.ContainsAny(path, "\x00\r\n")
}
