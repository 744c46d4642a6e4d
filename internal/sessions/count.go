package sessions

// Active returns how many active sessions are in memory. Sessions that the store
// has and that sent no call since the start are not among them.
func (r *Registry) Active() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	count := 0
	for _, held := range r.sessions {
		if !held.row.Archived {
			count++
		}
	}
	return count
}
