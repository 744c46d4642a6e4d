package reply

// codex is what Codex is told: seen with 0.169.0. For a tool it has deny alone: an
// ask, or an allow without another command line (see Rewritten), makes the hook fail and the
// call go on, so allow is silence.
func codex(event string, verdict Verdict) (body any, known bool) {
	switch {
	case verdict == Nothing, verdict == Allow && event != permissionEvent:
		return struct{}{}, true
	case verdict == Allow:
		return allowPermission(), true
	}
	return nil, false
}
