package config

import "fmt"

// Error is a setting that was refused. Source is the file, environment variable or flag. Line counts from 1
// and is 0 outside of files. Key is the dotted name of the setting.
type Error struct {
	Source  string
	Line    int
	Key     string
	Message string
}

// Error names the place, the key and what is allowed.
func (e *Error) Error() string {
	text := e.Source
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Key != "" {
		text += ": " + e.Key
	}
	return text + ": " + e.Message
}

var _ error = (*Error)(nil)
