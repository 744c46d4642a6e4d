package extract

// moved reports whether a directory of the session, which was kept by its real
// path, leads elsewhere by now: somebody has put a link in its place, and it
// gives no space then.
func (e *extraction) moved(dir string) bool {
	if !e.call.Session.Resolved || dir == "" {
		return false
	}
	resolved, err := e.view.Resolver.Resolve(dir)
	return err != nil || resolved.Real != dir
}
