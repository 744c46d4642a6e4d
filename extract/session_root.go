package extract

// sessionRoot adds a directory that the session's host named. Where it was kept
// by its real path and leads elsewhere by now, somebody has put a link in its
// place: it gives no space then.
func (e *extraction) sessionRoot(dir, space string) {
	if e.call.Session.Resolved && dir != "" {
		if resolved, err := e.resolver.Resolve(dir); err != nil || resolved.Real != dir {
			return
		}
	}
	e.root(dir, space)
}
