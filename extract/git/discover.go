package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

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

// discover walks up from dir as git does: at each level a .git first, then the
// directory itself if it has the shape of a repository. Mount points and
// GIT_CEILING_DIRECTORIES, where git would stop, are passed over: git then
// finds less than is judged here.
func (in *inspection) discover(dir string) (repository, error) {
	for range maxDiscoveryParents {
		place, err := in.repositoryAt(dir)
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

func (in *inspection) repositoryAt(dir string) (repository, error) {
	place, err := in.dotGit(dir)
	if err != nil || place.layout != layoutNone {
		return place, err
	}
	common, shaped, err := in.shapedAt(dir)
	if err != nil || !shaped {
		return repository{}, err
	}
	return repository{layout: layoutBare, gitDir: dir, commonDir: common}, nil
}

// dotGit looks at dir/.git alone.
func (in *inspection) dotGit(dir string) (repository, error) {
	path := filepath.Join(dir, ".git")
	found, err := in.probe.stat(path, true)
	if err != nil {
		return repository{}, refuse(CodeUnreadable, path)
	}
	switch found.Kind {
	case stat.Absent:
		return repository{}, nil
	case stat.File:
		return in.followGitfile(dir, path)
	case stat.Directory:
		return in.gitDirectory(dir, path)
	case stat.Link, stat.Other:
	}
	return repository{}, refuse(CodeAmbiguous, path)
}

func (in *inspection) gitDirectory(dir, path string) (repository, error) {
	common, shaped, err := in.shapedAt(path)
	if err != nil || !shaped {
		return repository{}, err
	}
	gitDir, err := in.probe.resolve(dir, path)
	if err != nil {
		return repository{}, refuse(CodeUnreadable, path)
	}
	if common == path {
		common = gitDir
	}
	return repository{layout: layoutDirectory, top: dir, gitDir: gitDir, commonDir: common}, nil
}

func (in *inspection) followGitfile(dir, path string) (repository, error) {
	content, err := in.probe.read(path, maxGitfileBytes)
	if err != nil {
		return repository{}, refuse(CodeUnreadable, path)
	}
	target, ok := bytes.CutPrefix(content, []byte("gitdir: "))
	target = bytes.TrimRight(target, "\r\n")
	if !ok || len(target) == 0 || bytes.ContainsAny(target, "\x00\r\n") {
		return repository{}, refuse(CodeGitfile, path)
	}
	gitDir, err := in.probe.resolve(dir, string(target))
	if err != nil {
		return repository{}, refuse(CodeGitfile, path)
	}
	common, shaped, err := in.shapedAt(gitDir)
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
func (in *inspection) shapedAt(dir string) (common string, shaped bool, err error) {
	headPath := filepath.Join(dir, "HEAD")
	head, err := in.probe.stat(headPath, false)
	if err != nil {
		return "", false, refuse(CodeUnreadable, headPath)
	}
	if head.Kind == stat.Absent {
		return "", false, nil
	}
	common, err = in.commonDir(dir)
	if err != nil {
		return "", false, err
	}
	for _, name := range []string{"objects", "refs"} {
		path := filepath.Join(common, name)
		found, err := in.probe.stat(path, true)
		if err != nil {
			return "", false, refuse(CodeUnreadable, path)
		}
		if found.Kind == stat.Absent {
			return "", false, nil
		}
		if found.Kind != stat.Directory || !searchable(found) {
			return "", false, refuse(CodeAmbiguous, path)
		}
	}
	if !in.validHead(headPath, head) {
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

func (in *inspection) commonDir(dir string) (string, error) {
	path := filepath.Join(dir, "commondir")
	found, err := in.probe.stat(path, true)
	if err != nil {
		return "", refuse(CodeUnreadable, path)
	}
	if found.Kind == stat.Absent {
		return dir, nil
	}
	content, err := in.probe.read(path, maxGitfileBytes)
	if err != nil {
		return "", refuse(CodeUnreadable, path)
	}
	target := bytes.TrimRight(content, "\r\n")
	if len(target) == 0 || bytes.ContainsAny(target, "\x00\r\n") {
		return "", refuse(CodeCommonDir, path)
	}
	common, err := in.probe.resolve(dir, string(target))
	if err != nil {
		return "", refuse(CodeCommonDir, path)
	}
	return common, nil
}

func (in *inspection) validHead(path string, head stat.Stamp) bool {
	if head.Kind == stat.Link {
		path, err := disk(in.probe.view, path, false)
		if err != nil {
			return false
		}
		target, err := os.Readlink(path)
		return err == nil && strings.HasPrefix(target, "refs/")
	}
	content, err := in.probe.read(path, maxGitfileBytes)
	if err != nil {
		return false
	}
	if reference, ok := bytes.CutPrefix(content, []byte("ref:")); ok {
		return bytes.HasPrefix(bytes.TrimLeft(reference, " \t\r\n"), []byte("refs/"))
	}
	const shortestObjectName = 40
	return len(content) >= shortestObjectName && syntax.IsHash(string(content[:shortestObjectName]))
}
