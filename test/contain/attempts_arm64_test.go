//go:build linux

package contain

import "errors"

func callOf32Bits(*world) error { return errors.New("not tried on this architecture") }
