package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/windows"
)

// windowsArguments reads the words of a command of Windows.
type windowsArguments struct{ operandReader }

// cmdlet reads parameters in the manner of PowerShell. Arguments that commas
// tie together are one.
func (a windowsArguments) cmdlet(words []windows.Word) {
	var positional [][]Word
	if a.program.Piped == "text" && slices.ContainsFunc(words, deepProperty) {
		a.c.Caveats.Add("dynamic_word")
	}
	for len(words) > 0 {
		if !words[0].IsParameter() {
			n := group(words)
			positional = append(positional, literals(words[:n]))
			words = words[n:]
			continue
		}
		words = a.parameter(words)
	}
	a.positional(positional)
}

// parameter reads a parameter and its value, and returns the words behind it.
func (a windowsArguments) parameter(words []windows.Word) []windows.Word {
	name, value, attached := strings.Cut(words[0].Text, ":")
	words = words[1:]
	known, ok := a.program.Parameter(name)
	switch takes := ok && known.Kinds[0] != "none"; {
	case !ok || !takes && attached:
		a.args.Unknown(name)
		a.AnyPath(Word{Kind: Literal, Text: value})
		return words
	case !takes:
		a.c.Form.Put(known.Canonical, "none")
		return words
	}
	n := 0
	switch {
	case attached && value != "":
		a.Value(known, known.Kinds[0], Word{Kind: Literal, Text: value})
		for n < len(words) && words[n].Joined {
			n++
		}
	case len(words) > 0 && !words[0].IsParameter():
		n = group(words)
	default:
		a.args.Unknown(name)
	}
	for _, word := range literals(words[:n]) {
		a.Value(known, known.Kinds[0], word)
	}
	return words[n:]
}

// deepProperty reports whether a word may name a property of a process that
// holds its environment.
func deepProperty(word windows.Word) bool {
	folded := strings.ToLower(word.Text)
	return strings.Contains(folded, "startinfo") || strings.Contains(folded, "environment")
}

// group is the number of words that commas tie to the first.
func group(words []windows.Word) int {
	n := 1
	for n < len(words) && words[n].Joined {
		n++
	}
	return n
}

func literals(words []windows.Word) []Word {
	out := make([]Word, 0, len(words))
	for _, word := range words {
		out = append(out, Word{Kind: Literal, Text: word.Text})
	}
	return out
}

// positional gives arguments without a name their roles by their places.
func (a windowsArguments) positional(groups [][]Word) {
	rule, _ := a.program.Rule(a.has)
	for i, words := range groups {
		at := i
		if last := len(rule.Roles) - 1; last >= 0 && rule.Roles[last].Repeat {
			at = min(i, last)
		}
		for _, word := range words {
			if at >= len(rule.Roles) {
				a.c.Form.Put("<more>", "unknown")
				a.c.Caveats.Add("unknown_option")
				riskReader{&a.effects}.operand("", word)
				a.AnyPath(word)
				continue
			}
			r := rule.Roles[at]
			r.Repeat = true
			a.role(r, word, a.walks())
			if at == len(rule.Roles)-1 && a.program.Filters[r.Label] != "" {
				a.filter(r.Label, word)
			}
		}
	}
	if len(a.c.Accesses) == 0 {
		a.impliedAccess(false)
	}
	a.places.land(&a.effects, a.program.Places)
}

// switches reads options in the manner of cmd: /S, /O:N, /ON, several in one
// word, upper and lower case alike.
func (a windowsArguments) switches(words []windows.Word) {
	if a.program.Style == "text" {
		a.args.Operands = literals(words)
		words = nil
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		known, ok := a.program.Switch(word.Text)
		switch {
		case ok && !word.Quoted && known.Kinds[0] == "list" && len(words) > 0 && !strings.HasPrefix(words[0].Text, "/"):
			a.Value(known, "list", Word{Kind: Literal, Text: words[0].Text}) // where /R takes the next word
			words = words[1:]
		case word.Quoted || !strings.HasPrefix(word.Text, "/"):
			if strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/") {
				a.c.Form.Put(argv.OptionName(word.Text), "unknown")
				a.c.Caveats.Add("unknown_option")
			}
			a.args.Operands = append(a.args.Operands, Word{Kind: Literal, Text: word.Text})
		case strings.Contains(word.Text, ":"):
			a.switchOption(word.Text)
		default:
			for part := range strings.SplitSeq(word.Text[1:], "/") {
				a.switchOption("/" + part)
			}
		}
	}
	a.roles()
}

func (a windowsArguments) switchOption(text string) {
	name, value, attached := strings.Cut(text, ":")
	known, ok := a.program.Switch(name)
	switch {
	case ok && known.Kinds[0] == "none" && !attached:
		a.c.Form.Put(known.Canonical, "none")
		return
	case ok && known.Kinds[0] != "none" && (attached || strings.HasSuffix(known.Kinds[0], "?")):
		a.Value(known, known.Kinds[0], Word{Kind: Literal, Text: value})
		return
	case !attached && len(text) > 2:
		if a.bundled(text[1:]) {
			return
		}
		known, ok := a.program.Switch(text[:2])
		if ok && strings.HasSuffix(known.Kinds[0], "?") {
			a.Value(known, known.Kinds[0], Word{Kind: Literal, Text: text[2:]})
			return
		}
	}
	a.c.Form.Put(argv.OptionName(text), "unknown")
	a.c.Caveats.Add("unknown_option")
	a.AnyPath(Word{Kind: Literal, Text: value})
}

// bundled reads letters behind one slash, each an option without a value.
func (a windowsArguments) bundled(letters string) bool {
	var found []string
	for i := range len(letters) {
		known, ok := a.program.Switch("/" + letters[i:i+1])
		if !ok || !slices.Equal(known.Kinds, []string{"none"}) {
			return false
		}
		found = append(found, known.Canonical)
	}
	for _, canonical := range found {
		a.c.Form.Put(canonical, "none")
	}
	return true
}
