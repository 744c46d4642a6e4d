package lexical

import (
	"strings"

	"policyd/extract/value"
)

// Dialect is how a shell reads a text. The zero value is a current bash.
type Dialect struct {
	// Zsh is true for zsh.
	Zsh bool
	// Posix is true for sh, dash and ksh: what only some of them know is messy.
	Posix bool
	// Ksh is true for what can be ksh.
	Ksh bool
	// OldBash is true for what can be the bash that macOS ships.
	OldBash bool
}

// DialectOf returns the dialect of a program on a platform. It reports false for a program that is
// no known shell.
func DialectOf(program, platform string) (d Dialect, known bool) {
	mac := platform == "darwin"
	switch name := strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe"); name {
	case "", "bash":
		return Dialect{OldBash: mac}, true
	case "zsh":
		return Dialect{Zsh: true}, true
	case "sh":
		return Dialect{Posix: true, Ksh: true, OldBash: mac}, true
	case "ksh":
		return Dialect{Posix: true, Ksh: true}, true
	case "dash":
		return Dialect{Posix: true}, true
	}
	return Dialect{}, false
}

// Program returns the name of a shell of the dialect.
func (d Dialect) Program() string {
	switch {
	case d.Zsh:
		return "zsh"
	case d.Ksh:
		return "sh"
	case d.Posix:
		return "dash"
	}
	return "bash"
}

// Rereads reports whether the shell splits or matches what an expansion outside of quotes gives.
func (d Dialect) Rereads(text string) bool {
	return strings.ContainsFunc(text, value.Separates) || d.Matches(text)
}

// Matches reports whether such a text is a pattern, or more than one word: ksh expands braces in
// it.
func (d Dialect) Matches(text string) bool {
	return strings.ContainsAny(text, "*?[\\") || value.HasGroup(text) || d.Posix && strings.ContainsAny(text, "{(")
}
