package shell

import "slices"

// color says whether a command prints marks for a terminal among its text.
type color uint8

const (
	colorUnsaid color = iota
	colorNone         // none into a pipe
	colorGiven
)

// colors reports whether an option chooses when a command prints in colors.
func colors(c *Command, option string) bool {
	return option == "--color" || option == "--colour" || option == "-c" && (c.Program == "fd" || c.Program == "fdfind")
}

// colorOf reads the value of such an option. Without one it means always.
func colorOf(value Word) color {
	if value.Kind == Literal && slices.Contains([]string{"never", "no", "none", "auto", "tty", "if-tty"}, value.Text) {
		return colorNone
	}
	return colorGiven
}
