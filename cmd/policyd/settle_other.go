//go:build !linux

package main

import "errors"

func releaseProgram() error { return errors.ErrUnsupported }
