package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// readSettings reads a settings file; a missing path is fs.ErrNotExist. Anything that isn't a regular file is
// refused before it is opened: a pipe would never end, and a file would replace a dangling link.
func readSettings(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && exists(path):
		return nil, fmt.Errorf("read settings: %s is a link that leads nowhere; mend or remove it", path)
	case err != nil:
		return nil, fmt.Errorf("read settings: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read settings: %s is no file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return text, nil
}
