package main

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"policyd/internal/visible"
)

// outWidth is the width of the terminal for answers in columns, 0 if it is none.
func (p *Program) outWidth() int {
	out, isFile := visible.Raw(p.Stdout).(*os.File)
	if !isFile || !term.IsTerminal(int(out.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil || width <= 0 {
		const usual = 80
		return usual
	}
	return width
}

// widestColumn bounds all columns but the last on a terminal.
const widestColumn = 24

// columns sets rows in columns. With a width no line is longer: texts are cut, the last
// column of a row first.
func columns(rows [][]string, width int) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i], _ = visible.Line(row[i])
			if width > 0 && i < len(row)-1 {
				row[i] = shortened(row[i], widestColumn)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		var line strings.Builder
		for i, text := range row {
			line.WriteString(text)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)+2))
			}
		}
		text := strings.TrimRight(line.String(), " ")
		if width > 0 {
			text = shortened(text, width)
		}
		lines = append(lines, text)
	}
	return lines
}

// shortened is a text of at most so many characters.
func shortened(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(most-1, 0)]) + "…"
}

// ago states how long a time in RFC 3339 is past, or the time itself if it can't be read.
func ago(text string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	switch past := now.Sub(at); {
	case past < time.Second:
		return "now"
	case past < time.Minute:
		return fmt.Sprintf("%ds", int(past.Seconds()))
	case past < time.Hour:
		return fmt.Sprintf("%dm", int(past.Minutes()))
	case past < 48*time.Hour: //nolint:mnd // two days are still shown in hours
		return fmt.Sprintf("%dh", int(past.Hours()))
	default:
		return fmt.Sprintf("%dd", int(past.Hours())/24) //nolint:mnd // hours of a day
	}
}
