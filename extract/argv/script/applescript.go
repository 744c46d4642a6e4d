package script

import "strings"

// appleNotifies reports whether a text of AppleScript is one statement that shows a notification with literal texts,
// or beeps (Standard Additions, "display notification" and "beep").
func appleNotifies(text string) bool {
	r := appleReader{rest: text}
	switch {
	case r.words("display", "notification"):
		if !r.string() {
			return false
		}
		for r.words("with", "title") || r.words("subtitle") || r.words("sound", "name") {
			if !r.string() {
				return false
			}
		}
	case r.words("beep"):
		r.rest = strings.TrimLeft(r.rest, "0123456789")
	default:
		return false
	}
	return r.rest == ""
}

// appleReader takes words and strings off a statement, and the blanks behind them.
type appleReader struct{ rest string }

// words takes words of the language, in any case, if they come next.
func (r *appleReader) words(words ...string) bool {
	rest := r.rest
	for _, word := range words {
		if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
			return false
		}
		behind := strings.TrimLeft(rest[len(word):], " \t")
		if len(behind) == len(rest)-len(word) && behind != "" {
			return false
		}
		rest = behind
	}
	r.rest = rest
	return true
}

// string takes a string.
func (r *appleReader) string() bool {
	if !strings.HasPrefix(r.rest, `"`) {
		return false
	}
	end := stringEnd(r.rest, 0)
	if end < 0 {
		return false
	}
	r.rest = strings.TrimLeft(r.rest[end:], " \t")
	return true
}
