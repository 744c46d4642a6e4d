package store

import "time"

// Options configure a store.
type Options struct {
	// Address is "sqlite", or a postgres:// address, which may contain a password.
	Address string
	// Dir is the state directory. The SQLite file is policyd.db in it.
	Dir string
	// Used is true if the state directory was in use, so that a SQLite database has to be
	// there.
	Used bool
	// Timeout bounds each operation; 0 is two seconds. One that changes or reads
	// many rows has as much again for every thousand of them.
	Timeout time.Duration
}

const usualTimeout = 2 * time.Second

func (o *Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return usualTimeout
}
