//go:build !linux

package watched

import (
	"errors"

	"policyd/extract/stat"
)

// Directories knows nothing on this system.
type Directories struct{}

// Open returns errors.ErrUnsupported.
func Open() (*Directories, error) { return nil, errors.ErrUnsupported }

// Now returns a View that knows nothing.
func (*Directories) Now() View { return View{} }

// Known is 0.
func (*Directories) Known() int { return 0 }

func (*Directories) learn(View, string, stat.Stamp) {}

func (*Directories) hold(string) {}

type held struct{}

func (*held) stamp() (stat.Stamp, bool) { return stat.Stamp{}, false }

// Close does nothing.
func (*Directories) Close() {}
