package contain

// Die does nothing here: Windows has no signals.
func Die(int) {}
