package extract

import (
	v1 "policyd/api/v1"
	"policyd/extract/paths"
)

// gitEntry is what git looks for in each directory on its way up.
const gitEntry = ".git"

// aroundProject reports whether a repository may hold both a real path and one of the
// project's directories that isn't a repository itself.
func (e *extraction) aroundProject(real string) bool {
	if e.view.Windows {
		return false
	}
	for i := range e.roots {
		if e.roots[i].Space == v1.SpaceProject && e.around(e.roots[i].Real, real) {
			return true
		}
	}
	return false
}

func (e *extraction) around(root, real string) bool {
	for at := root; paths.Depth(at) >= 2; at = paths.Parent(at) {
		if e.view.IsThere(at, gitEntry) {
			return at != root && paths.Within(real, at)
		}
	}
	return false
}

// addRepositories adds the work trees that the project's directories lie in.
// It is the directory that holds .git: another work tree of the same repository is no part
// of it, and neither are repositories inside. What no session may work in (P6), and what is shallow, gives no space.
func (e *extraction) addRepositories() {
	for _, root := range e.roots {
		if root.Space != v1.SpaceProject {
			continue
		}
		verdict := e.inspectAnywhere(root.Real, "rev-parse")
		if verdict.Trusted && verdict.Above && paths.Depth(verdict.Top) >= 2 && !e.sensitiveRoot(verdict.Top) {
			e.roots = append(e.roots, paths.Root{Real: verdict.Top, Space: v1.SpaceRepository})
		}
	}
}

// spaceAround is the space of a path that lies in no other than the repository around the
// project, outside if it lies in another repository inside.
func (e *extraction) spaceAround(real string) string {
	for at := real; ; at = paths.Parent(at) {
		for i := range e.roots {
			if e.roots[i].Space == v1.SpaceRepository && e.roots[i].Real == at {
				return v1.SpaceRepository
			}
		}
		if at == "/" || e.view.IsThere(at, gitEntry) {
			return v1.SpaceOutside
		}
	}
}
