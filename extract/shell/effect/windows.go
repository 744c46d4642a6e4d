package effect

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/shell/expansion"
	"policyd/extract/windows"
)

// ProviderPath notes PowerShell's drives that are no directories.
func ProviderPath(e *Effects, text string) {
	folded := strings.ToLower(text)
	if colon := strings.LastIndex(folded, "::"); colon >= 0 {
		folded = folded[strings.LastIndexByte(folded[:colon], '\\')+1:colon] + ":"
	}
	if strings.HasPrefix(folded, "env:") || strings.HasPrefix(folded, "environment:") || strings.HasPrefix(folded, "variable:") {
		e.Command.Caveats.Add("reads_environment")
	}
}

// windowsArguments reads the words of a command of Windows.
type windowsArguments struct{ operandReader }

// cmdlet reads parameters in the manner of PowerShell. Arguments that commas
// tie together are one.
func (a windowsArguments) cmdlet(words []windows.Word) {
	var positional [][]expansion.Word
	if a.program.Piped == "text" && slices.ContainsFunc(words, deepProperty) {
		a.Command.Caveats.Add("dynamic_word")
	}
	for len(words) > 0 {
		if !words[0].IsParameter() {
			n := group(words)
			positional = append(positional, Literals(words[:n]))
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
		a.Args.Unknown(name)
		a.AnyPath(expansion.Word{Kind: expansion.Literal, Text: value})
		return words
	case !takes:
		a.Command.Form.Put(known.Canonical, "none")
		return words
	}
	n := 0
	switch {
	case attached && value != "":
		a.Value(known, known.Kinds[0], expansion.Word{Kind: expansion.Literal, Text: value})
		for n < len(words) && words[n].Joined {
			n++
		}
	case len(words) > 0 && !words[0].IsParameter():
		n = group(words)
	default:
		a.Args.Unknown(name)
	}
	for _, word := range Literals(words[:n]) {
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

// Literals are the words of a line of Windows as words that are known to the byte.
func Literals(words []windows.Word) []expansion.Word {
	out := make([]expansion.Word, 0, len(words))
	for _, word := range words {
		out = append(out, expansion.Word{Kind: expansion.Literal, Text: word.Text})
	}
	return out
}

// positional gives arguments without a name their roles by their places.
func (a windowsArguments) positional(groups [][]expansion.Word) {
	rule, _ := a.program.Rule(a.Has)
	for i, words := range groups {
		at := i
		if last := len(rule.Roles) - 1; last >= 0 && rule.Roles[last].Repeat {
			at = min(i, last)
		}
		for _, word := range words {
			if at >= len(rule.Roles) {
				a.Command.Form.Put("<more>", "unknown")
				a.Command.Caveats.Add("unknown_option")
				riskReader{&a.Effects}.operand("", word)
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
	if len(a.Command.Accesses) == 0 {
		a.impliedAccess(false)
	}
	a.places.land(&a.Effects, a.program.Places)
}

// switches reads options in the manner of cmd: /S, /O:N, /ON, several in one
// word, upper and lower case alike.
func (a windowsArguments) switches(words []windows.Word) {
	if a.program.Style == "text" {
		a.Args.Operands = Literals(words)
		words = nil
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		known, ok := a.program.Switch(word.Text)
		switch {
		case ok && !word.Quoted && known.Kinds[0] == "list" && len(words) > 0 && !strings.HasPrefix(words[0].Text, "/"):
			a.Value(known, "list", expansion.Word{Kind: expansion.Literal, Text: words[0].Text}) // where /R takes the next word
			words = words[1:]
		case word.Quoted || !strings.HasPrefix(word.Text, "/"):
			if strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/") {
				a.Command.Form.Put(argv.OptionName(word.Text), "unknown")
				a.Command.Caveats.Add("unknown_option")
			}
			a.Args.Operands = append(a.Args.Operands, expansion.Word{Kind: expansion.Literal, Text: word.Text})
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
		a.Command.Form.Put(known.Canonical, "none")
		return
	case ok && known.Kinds[0] != "none" && (attached || strings.HasSuffix(known.Kinds[0], "?")):
		a.Value(known, known.Kinds[0], expansion.Word{Kind: expansion.Literal, Text: value})
		return
	case !attached && len(text) > 2:
		if a.bundled(text[1:]) {
			return
		}
		known, ok := a.program.Switch(text[:2])
		if ok && strings.HasSuffix(known.Kinds[0], "?") {
			a.Value(known, known.Kinds[0], expansion.Word{Kind: expansion.Literal, Text: text[2:]})
			return
		}
	}
	a.Command.Form.Put(argv.OptionName(text), "unknown")
	a.Command.Caveats.Add("unknown_option")
	a.AnyPath(expansion.Word{Kind: expansion.Literal, Text: value})
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
		a.Command.Form.Put(canonical, "none")
	}
	return true
}

// ReadBuiltin reads a cmdlet, or a command with options in the manner of cmd.
func (v Invocation) ReadBuiltin(entry *argv.Program, words []windows.Word) {
	v.Args.Begin(entry)
	arguments := windowsArguments{operandReader{verbChain{v.Reader, entry}}}
	if entry.Style == "cmdlet" {
		arguments.cmdlet(words)
	} else {
		arguments.switches(words)
	}
	v.attributes(entry)
	riskReader{&v.Effects}.form(entry)
	if entry.Environment && len(v.Command.Form) == 0 {
		v.Command.Caveats.Add("reads_environment")
	}
}

// CompleteOnWindows adds what follows from the command as a whole, as Complete does elsewhere.
func (v Invocation) CompleteOnWindows(name string, piped bool) {
	v.Command.Argv = append([]expansion.Word{{Kind: expansion.Literal, Text: name}}, v.Args.Words...)
	textReader{v.Reader}.windowsText(piped)
	for i := range v.Command.Accesses {
		ProviderPath(&v.Effects, v.Command.Accesses[i].Text)
	}
	v.Finish()
}
