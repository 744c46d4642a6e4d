//go:build !(linux && (amd64 || arm64))

package contain

// Left returns nothing: runs leave nothing here.
func Left([]string) []string { return nil }

// RemoveLeft returns nothing: runs leave nothing here.
func RemoveLeft([]string) []string { return nil }
