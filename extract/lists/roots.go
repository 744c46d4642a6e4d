package lists

import "policyd/extract/paths"

// Root is a sensitive root; itself is true when what lies below is not.
type Root struct {
	Real   string
	Itself bool
}

// Sensitive are the sensitive roots that a policy lists.
type Sensitive struct {
	// System are those that are in no home, resolved.
	System []Root
	// Sidecar are those by the sidecar's own names; they matter with a path map alone.
	Sidecar     []Root
	SystemHomes systemHomes
	// sensitiveHome are those in a home, beginning with "~".
	sensitiveHome []string
	// ownHome are the same in the sidecar's own home, which most sessions share.
	ownHome []string
}

// InHome names the sensitive roots of a home; own is the sidecar's.
func (s *Sensitive) InHome(home, own string) []string {
	if home == own {
		return s.ownHome
	}
	return joinHome(home, s.sensitiveHome)
}

func joinHome(home string, entries []string) []string {
	out := make([]string, len(entries))
	for i, entry := range entries {
		out[i] = home + entry[1:]
	}
	return out
}

// systemRoots resolves the sensitive roots that are in no home, as the agent
// names them.
func systemRoots(roots, itself []string, pathMap paths.Map) []Root {
	resolver := paths.Resolver{Map: pathMap}
	var out []Root
	for _, dir := range roots {
		if resolved, err := resolver.Resolve(dir); err == nil {
			out = append(out, Root{resolved.Real, dir == "/"})
		}
	}
	for _, dir := range itself {
		if resolved, err := resolver.Resolve(dir); err == nil {
			out = append(out, Root{resolved.Real, true})
		}
	}
	return out
}

// sidecarRoots are the sensitive roots of the sidecar's own disk, which a path
// map could show an agent under another name.
func sidecarRoots(roots, inHome []string, home string) []Root {
	out := systemRoots(roots, nil, nil)
	var resolver paths.Resolver
	for _, dir := range inHome {
		if resolved, err := resolver.Resolve(dir); err == nil {
			out = append(out, Root{resolved.Real, dir == home})
		}
	}
	return out
}
