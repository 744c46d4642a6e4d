package extract

import (
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell"
)

// trackedNames says what reading the tracked files that pathspecs select
// reaches, as git names them from dir. It reports false where git's index
// can't be relied on: then the disk is looked at instead.
func (e *extraction) trackedNames(dir string, a *shell.Access, base string) (answer string, known bool) {
	verdict := e.inspect(dir, "ls-files")
	if a.AtHead && (!verdict.Trusted || !verdict.Repository || !e.x.git.NamesHead(verdict)) {
		return reachesUnknown, true // HEAD may name what is on no disk
	}
	if !verdict.Trusted || !verdict.Repository {
		return reachesNone, false
	}
	if verdict.AltersNames {
		return reachesUnknown, true
	}
	f := filter{handing: a.Handing, braces: a.Braces, reading: a.Reading}
	left := maxReached
	err := e.x.git.Tracked(verdict, a.Tracked, dir, func(path string) bool {
		if left--; left < 0 || !quotedAsItIs(path, a.Handing) {
			answer = reachesUnknown
			return false
		}
		full := verdict.Top + "/" + path
		named, below := strings.CutPrefix(full, strings.TrimSuffix(dir, "/")+"/")
		if answer = e.handed(named, base, &f); answer == reachesNone {
			answer = e.trackedFile(full)
		}
		if !below && answer == reachesNone && strings.ContainsAny(named, " \t") {
			answer = reachesUnknown // printed with other words in front
		}
		return answer == reachesNone
	})
	if err != nil {
		return reachesUnknown, true
	}
	return answer, true
}

// quotedAsItIs reports whether git prints a path as it is: without -z it writes
// unusual characters in quotes and with backslashes (core.quotePath).
func quotedAsItIs(path string, handing shell.Handing) bool {
	if handing == shell.Whole {
		return true
	}
	return strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) < 0
}

// trackedFile says what reading one tracked file reaches: the disk may hold a
// link or a directory where the index has a file.
func (e *extraction) trackedFile(full string) string {
	resolved, err := e.resolver.Resolve(full)
	if err != nil {
		return reachesUnknown
	}
	lists := e.x.lists.secrets
	space := e.space(resolved.Real)
	switch {
	case lists.File(full) != "" || lists.File(resolved.Real) != "" || lists.Directory(full) != "" || lists.Directory(resolved.Real) != "":
		return reachesSecret
	case space == v1.SpaceOutside || space == v1.SpaceUnknown:
		return reachesOutside
	case resolved.Dir:
		return reachesUnknown // a submodule
	case resolved.HardLinks && e.readsSecret(&resolved):
		return reachesSecret
	}
	return reachesNone
}
