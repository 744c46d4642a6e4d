//go:build !darwin && !(linux && (amd64 || arm64))

package contain

import "fmt"

// Stage does nothing here.
func Stage() {}

func run(*Command) (*Result, error) {
	return nil, fmt.Errorf("%w: containment needs Linux on amd64 or arm64, or macOS", ErrUnsupported)
}

// Probe reports that nothing works here.
func Probe() Report {
	const why = "containment needs Linux on amd64 or arm64, or macOS"
	return Report{Capabilities: []Capability{{Profile: "read_only", Why: why}, {Profile: "project", Why: why}}}
}
