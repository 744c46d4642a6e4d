package gate

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	v1 "policyd/api/v1"
)

// maxShown is how many bytes of a text a person is shown.
const maxShown = 4096

// callText is the call as text: the command line of a shell tool, with its
// other arguments behind it, and else all arguments.
func callText(call *v1.Call, kind string) string {
	whole := string(call.Args)
	if kind == v1.ToolShell {
		if text, ok := commandText(call.Args); ok {
			return text
		}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, call.Args); err == nil {
		whole = compact.String()
	}
	return whole
}

// commandText returns the command line, followed by a line with the other
// arguments if there are any, since they may say where it runs.
func commandText(args json.RawMessage) (string, bool) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(args, &members); err != nil {
		return "", false
	}
	for _, name := range [...]string{"command", "cmd", "script"} {
		var command string
		if err := json.Unmarshal(members[name], &command); err != nil {
			continue
		}
		delete(members, name)
		if len(members) == 0 {
			return command, true
		}
		others, err := json.Marshal(members)
		if err != nil {
			return "", false
		}
		return command + "\n" + string(others), true
	}
	return "", false
}

// exposure makes text safe to look at and remembers whether it had to.
type exposure struct{ altered bool }

// expose writes everything that a person can't see, or that moves what they
// see, as an escape, and cuts text that is too long. Line feeds and tabs stay.
func (e *exposure) expose(text string) string {
	cut := text
	if len(cut) > maxShown {
		cut = strings.ToValidUTF8(cut[:maxShown], "") + "…"
	}
	if strings.IndexFunc(cut, hidden) >= 0 || !utf8.ValidString(cut) {
		var out strings.Builder
		for _, r := range cut {
			if hidden(r) || r == utf8.RuneError {
				out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
				continue
			}
			out.WriteRune(r)
		}
		cut = out.String()
	}
	if cut != text {
		e.altered = true
	}
	return cut
}

// hidden reports whether a character shows as nothing or as something else: all
// that isn't printable (control, format and direction characters, every space
// but the common one), the letters that are drawn blank, and the selectors that
// change the character before them.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f':
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r)
}
