package sidecar

import (
	"os"
	"path/filepath"
	"slices"
)

// swapped is the link by which Kubernetes replaces the files of a volume at once.
const swapped = "..data"

// secretFiles are the files outside of the state directory that let their reader
// in: tokens and the key of the certificate.
func (s *Settings) secretFiles() []string {
	var files []string
	for _, token := range s.Tokens {
		files = append(files, token.File)
	}
	if s.TLS.Key != "" {
		files = append(files, s.TLS.Key)
	}
	return files
}

// own is what agents may neither read nor change. For a volume that is swapped it is the whole directory,
// since its files have other real names after each swap.
func (s *Settings) own() []string {
	own := []string{s.StateDir, s.RunDir}
	for _, file := range s.secretFiles() {
		if file = whole(file); !slices.Contains(own, file) {
			own = append(own, file)
		}
	}
	return own
}

// whole is the volume that a file is swapped with, or else the file.
func whole(file string) string {
	dir := filepath.Dir(file)
	if _, err := os.Lstat(filepath.Join(dir, swapped)); err == nil {
		return dir
	}
	return file
}
