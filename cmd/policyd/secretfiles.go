package main

import (
	"os"
	"path/filepath"
	"slices"
)

// swapped is the link by which Kubernetes replaces the files of a volume at once.
const swapped = "..data"

// secretFiles are the files outside of the state directory that let their reader
// in: tokens and the key of the certificate.
func (s *settings) secretFiles() []string {
	var files []string
	for _, token := range s.Tokens {
		files = append(files, token.File)
	}
	if s.TLS.Key != "" {
		files = append(files, s.TLS.Key)
	}
	return files
}

// own is what agents may neither read nor change. A volume that is swapped is its
// whole directory, since its files have other real names after each swap.
func (s *settings) own() []string {
	own := []string{s.StateDir, s.RunDir}
	for _, file := range s.secretFiles() {
		dir := filepath.Dir(file)
		if _, err := os.Lstat(filepath.Join(dir, swapped)); err == nil {
			file = dir
		}
		if !slices.Contains(own, file) {
			own = append(own, file)
		}
	}
	return own
}
