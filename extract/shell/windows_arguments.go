package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/windows"
)

// cmdlet reads parameters in the manner of PowerShell. Arguments that commas
// tie together are one.
func (p *parsed) cmdlet(program *argv.Program, words []windows.Word) {
	var positional [][]Word
	if program.Piped == "text" && slices.ContainsFunc(words, deepProperty) {
		p.c.Caveats.Add("dynamic_word")
	}
	for len(words) > 0 {
		if !words[0].IsParameter() {
			n := group(words)
			positional = append(positional, literals(words[:n]))
			words = words[n:]
			continue
		}
		name, value, attached := strings.Cut(words[0].Text, ":")
		words = words[1:]
		known, ok := program.Parameter(name)
		if !ok || known.Kinds[0] == "none" && attached {
			p.args.Unknown(name)
			p.AnyPath(Word{Kind: Literal, Text: value})
			continue
		}
		if known.Kinds[0] == "none" {
			p.c.Form.Put(known.Canonical, "none")
			continue
		}
		n := 0
		switch {
		case attached && value != "":
			p.Value(known, known.Kinds[0], Word{Kind: Literal, Text: value})
			for n < len(words) && words[n].Joined {
				n++
			}
		case len(words) > 0 && !words[0].IsParameter():
			n = group(words)
		default:
			p.args.Unknown(name)
		}
		for _, word := range literals(words[:n]) {
			p.Value(known, known.Kinds[0], word)
		}
		words = words[n:]
	}
	p.positional(program, positional)
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
func (p *parsed) positional(program *argv.Program, groups [][]Word) {
	rule, _ := program.Rule(p.has)
	for i, words := range groups {
		at := i
		if last := len(rule.Roles) - 1; last >= 0 && rule.Roles[last].Repeat {
			at = min(i, last)
		}
		for _, word := range words {
			if at >= len(rule.Roles) {
				p.c.Form.Put("<more>", "unknown")
				p.c.Caveats.Add("unknown_option")
				p.unlistedOperand("", word)
				p.AnyPath(word)
				continue
			}
			r := rule.Roles[at]
			r.Repeat = true
			p.role(program, r, word, p.walks(program))
			if at == len(rule.Roles)-1 && program.Filters[r.Label] != "" {
				p.filter(r.Label, word)
			}
		}
	}
	if len(p.c.Accesses) == 0 {
		p.impliedAccess(program, false)
	}
	p.places.land(&p.effects, program.Places)
}

// switches reads options in the manner of cmd: /S, /O:N, /ON, several in one
// word, upper and lower case alike.
func (p *parsed) switches(program *argv.Program, words []windows.Word) {
	if program.Style == "text" {
		p.args.Operands = literals(words)
		words = nil
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		known, ok := program.Switch(word.Text)
		switch {
		case ok && !word.Quoted && known.Kinds[0] == "list" && len(words) > 0 && !strings.HasPrefix(words[0].Text, "/"):
			p.Value(known, "list", Word{Kind: Literal, Text: words[0].Text}) // where /R takes the next word
			words = words[1:]
		case word.Quoted || !strings.HasPrefix(word.Text, "/"):
			if strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/") {
				p.c.Form.Put(argv.OptionName(word.Text), "unknown")
				p.c.Caveats.Add("unknown_option")
			}
			p.args.Operands = append(p.args.Operands, Word{Kind: Literal, Text: word.Text})
		case strings.Contains(word.Text, ":"):
			p.switchOption(program, word.Text)
		default:
			for part := range strings.SplitSeq(word.Text[1:], "/") {
				p.switchOption(program, "/"+part)
			}
		}
	}
	p.roles(program)
}

func (p *parsed) switchOption(program *argv.Program, text string) {
	name, value, attached := strings.Cut(text, ":")
	known, ok := program.Switch(name)
	switch {
	case ok && known.Kinds[0] == "none" && !attached:
		p.c.Form.Put(known.Canonical, "none")
		return
	case ok && known.Kinds[0] != "none" && (attached || strings.HasSuffix(known.Kinds[0], "?")):
		p.Value(known, known.Kinds[0], Word{Kind: Literal, Text: value})
		return
	case !attached && len(text) > 2:
		if p.bundled(program, text[1:]) {
			return
		}
		known, ok := program.Switch(text[:2])
		if ok && strings.HasSuffix(known.Kinds[0], "?") {
			p.Value(known, known.Kinds[0], Word{Kind: Literal, Text: text[2:]})
			return
		}
	}
	p.c.Form.Put(argv.OptionName(text), "unknown")
	p.c.Caveats.Add("unknown_option")
	p.AnyPath(Word{Kind: Literal, Text: value})
}

// bundled reads letters behind one slash, each an option without a value.
func (p *parsed) bundled(program *argv.Program, letters string) bool {
	var found []string
	for i := range len(letters) {
		known, ok := program.Switch("/" + letters[i:i+1])
		if !ok || !slices.Equal(known.Kinds, []string{"none"}) {
			return false
		}
		found = append(found, known.Canonical)
	}
	for _, canonical := range found {
		p.c.Form.Put(canonical, "none")
	}
	return true
}
