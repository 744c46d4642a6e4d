package shell

import (
	"slices"
	"strings"

	"policyd/extract/windows"
)

// commonParameters are those that every cmdlet has.
var commonParameters = map[string]option{
	"-erroraction": {canonical: "-ErrorAction", kinds: []string{"value"}}, "-ea": {canonical: "-ErrorAction", kinds: []string{"value"}},
	"-warningaction": {canonical: "-WarningAction", kinds: []string{"value"}}, "-wa": {canonical: "-WarningAction", kinds: []string{"value"}},
	"-verbose": {canonical: "-Verbose", kinds: []string{"none"}}, "-vb": {canonical: "-Verbose", kinds: []string{"none"}},
	"-debug": {canonical: "-Debug", kinds: []string{"unknown"}}, "-errorvariable": {canonical: "-ErrorVariable", kinds: []string{"unknown"}},
	"-warningvariable": {canonical: "-WarningVariable", kinds: []string{"unknown"}}, "-outvariable": {canonical: "-OutVariable", kinds: []string{"unknown"}},
	"-outbuffer": {canonical: "-OutBuffer", kinds: []string{"unknown"}}, "-pipelinevariable": {canonical: "-PipelineVariable", kinds: []string{"unknown"}},
	"-informationaction":   {canonical: "-InformationAction", kinds: []string{"unknown"}},
	"-informationvariable": {canonical: "-InformationVariable", kinds: []string{"unknown"}},
	"-progressaction":      {canonical: "-ProgressAction", kinds: []string{"unknown"}},
}

// parameter resolves the name of a parameter: as it is, or as the beginning of
// one parameter alone.
func (p *Program) parameter(name string) (option, bool) {
	name = strings.ToLower(name)
	if known, ok := p.folded[name]; ok {
		return known, true
	}
	if known, ok := commonParameters[name]; ok {
		return known, true
	}
	var found option
	for _, names := range []map[string]option{p.folded, commonParameters} {
		for full, known := range names {
			if !strings.HasPrefix(full, name) || known.canonical == found.canonical {
				continue
			}
			if found.canonical != "" {
				return option{}, false
			}
			found = known
		}
	}
	return found, found.canonical != ""
}

// cmdlet reads parameters in the manner of PowerShell. Arguments that commas
// tie together are one.
func (p *parsed) cmdlet(program *Program, words []windows.Word) {
	var positional [][]Word
	if program.piped == "text" && slices.ContainsFunc(words, deepProperty) {
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
		known, ok := program.parameter(name)
		if !ok || known.kinds[0] == "none" && attached {
			p.unknownOption(name)
			p.anyPath(Word{Kind: Literal, Text: value})
			continue
		}
		if known.kinds[0] == "none" {
			p.c.Form.Put(known.canonical, "none")
			continue
		}
		n := 0
		switch {
		case attached && value != "":
			p.value(known.canonical, known.kinds[0], Word{Kind: Literal, Text: value})
			for n < len(words) && words[n].Joined {
				n++
			}
		case len(words) > 0 && !words[0].IsParameter():
			n = group(words)
		default:
			p.unknownOption(name)
		}
		for _, word := range literals(words[:n]) {
			p.value(known.canonical, known.kinds[0], word)
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
func (p *parsed) positional(program *Program, groups [][]Word) {
	rule, _ := program.rule(p.has)
	for i, words := range groups {
		at := i
		if last := len(rule.roles) - 1; last >= 0 && rule.roles[last].repeat {
			at = min(i, last)
		}
		for _, word := range words {
			if at >= len(rule.roles) {
				p.c.Form.Put("<more>", "unknown")
				p.c.Caveats.Add("unknown_option")
				p.unlistedOperand("", word)
				p.anyPath(word)
				continue
			}
			r := rule.roles[at]
			r.repeat = true
			p.role(program, r, word, p.walks(program))
			if at == len(rule.roles)-1 && program.filters[r.label] != "" {
				p.filter(r.label, word)
			}
		}
	}
	if len(p.c.Accesses) == 0 {
		p.impliedAccess(program, false)
	}
	p.land(program)
}

// switches reads options in the manner of cmd: /S, /O:N, /ON, several in one
// word, upper and lower case alike.
func (p *parsed) switches(program *Program, words []windows.Word) {
	if program.style == "text" {
		p.operands = literals(words)
		words = nil
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		known, ok := program.folded[strings.ToLower(word.Text)]
		switch {
		case ok && !word.Quoted && known.kinds[0] == "list" && len(words) > 0 && !strings.HasPrefix(words[0].Text, "/"):
			p.value(known.canonical, "list", Word{Kind: Literal, Text: words[0].Text}) // where /R takes the next word
			words = words[1:]
		case word.Quoted || !strings.HasPrefix(word.Text, "/"):
			if strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/") {
				p.c.Form.Put(optionName(word.Text), "unknown")
				p.c.Caveats.Add("unknown_option")
			}
			p.operands = append(p.operands, Word{Kind: Literal, Text: word.Text})
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

func (p *parsed) switchOption(program *Program, text string) {
	name, value, attached := strings.Cut(text, ":")
	known, ok := program.folded[strings.ToLower(name)]
	switch {
	case ok && known.kinds[0] == "none" && !attached:
		p.c.Form.Put(known.canonical, "none")
		return
	case ok && known.kinds[0] != "none" && (attached || strings.HasSuffix(known.kinds[0], "?")):
		p.value(known.canonical, known.kinds[0], Word{Kind: Literal, Text: value})
		return
	case !attached && len(text) > 2:
		if p.bundled(program, text[1:]) {
			return
		}
		known, ok := program.folded[strings.ToLower(text[:2])]
		if ok && strings.HasSuffix(known.kinds[0], "?") {
			p.value(known.canonical, known.kinds[0], Word{Kind: Literal, Text: text[2:]})
			return
		}
	}
	p.c.Form.Put(optionName(text), "unknown")
	p.c.Caveats.Add("unknown_option")
	p.anyPath(Word{Kind: Literal, Text: value})
}

// bundled reads letters behind one slash, each an option without a value.
func (p *parsed) bundled(program *Program, letters string) bool {
	var found []string
	for i := range len(letters) {
		known, ok := program.folded["/"+strings.ToLower(letters[i:i+1])]
		if !ok || !slices.Equal(known.kinds, []string{"none"}) {
			return false
		}
		found = append(found, known.canonical)
	}
	for _, canonical := range found {
		p.c.Form.Put(canonical, "none")
	}
	return true
}
