package argv

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv/script"
)

// Argument is what the parse of an argument vector depends on of a word.
type Argument struct {
	// Text is the text of a Literal, and the beginning or a description of any other word.
	Text  string
	Class Class
	// Option is the name of the option that a word of another class than Literal begins with, if what follows
	// is in the same word for certain.
	Option string
	// MayBeNone is true if the vector can lack the word.
	MayBeNone bool
}

// Class is how much of a word is known before the program runs.
type Class uint8

// Classes of words.
const (
	// AnyText is any number of words of any text. It is the zero value.
	AnyText Class = iota
	// Literal is known to the byte.
	Literal
	// Pattern is any number of names that match it, or itself if none does.
	Pattern
	// OneWord is one word of any text.
	OneWord
	// Digits is a decimal number.
	Digits
)

// Is reports whether the word is text.
func (a Argument) Is(text string) bool { return a.Class == Literal && a.Text == text }

// IsOption reports whether the word begins with a dash for certain.
func (a Argument) IsOption() bool {
	return a.Class == Literal && len(a.Text) > 1 && a.Text[0] == '-'
}

// Word is a word of an argument vector.
type Word interface{ Argument() Argument }

// Host receives the parts of an argument vector while it is parsed, in their order.
type Host[W Word] interface {
	// Literal returns a word of its own for a part of a word.
	Literal(text string) W
	// Tail returns a word of which only the end is meant, whose description is text.
	Tail(word W, text string) W
	// Value receives the value of an option, or the number of an option that is one.
	Value(option Option, kind string, word W)
	// Single receives a word whose place gives it its meaning: several words would move those behind it.
	Single(word W)
	// Operand receives a word that isn't an option, unless it turns into one when it is expanded.
	Operand(program *Program, word W)
	// MayLead reports whether a word can begin as an option does.
	MayLead(word W) bool
	// Unlisted receives an option that the entry doesn't list, and the words behind it.
	Unlisted(option string, behind []W)
	// AnyPath receives a word of unknown role: each path in it may be written.
	AnyPath(word W)
	// BothWays receives words that the program may read as options or as operands.
	BothWays(program *Program, words []W)
}

// OptionNumber is the name of an option that is a number (-5).
const OptionNumber = "-NUM"

// UnknownCommand is the caveat of a line that doesn't determine its subcommand: an option in front of it may take
// the next word.
const UnknownCommand = "unknown_command"

// Parser parses one argument vector by the entries of its program.
type Parser[W Word] struct {
	Host     Host[W]
	Platform string
	// Form and Caveats receive the names of options and what is unknown about them.
	Form    *v1.Form
	Caveats *v1.Set
	// Words are those that are still to be parsed.
	Words []W
	// Program is the entry whose options are parsed, nil for options in front of a subcommand.
	Program *Program
	// Operands are the words that are left after options.
	Operands []W
	// Inner is a command line that an option or a role of kind command begins.
	Inner []W
	// Dashes counts the operands in front of "--", and is -1 without one.
	Dashes int
	// Unsettled is one more than the number of operands in front of the first option that the entry doesn't list,
	// which may take the next word; 0 without one.
	Unsettled int
	Strays    Strays[W]

	// nested is true behind a subcommand: such programs have their own parser, alike on all platforms.
	nested bool
	// takesNext is true behind such an option.
	takesNext bool
	// metOperand and metDash are true behind the first operand of the kind.
	metOperand, metDash bool
}

// Leading parses the options in front of a subcommand, and returns the words behind them.
func (p *Parser[W]) Leading(program *Program) []W {
	rest := p.Words
	for len(rest) > 0 {
		first := rest[0].Argument()
		if !first.IsOption() || first.Text == "--" {
			break
		}
		rest = rest[p.Option(program, first.Text, rest):]
	}
	return rest
}

// Begin makes program the entry of the words that are left.
func (p *Parser[W]) Begin(program *Program) { p.Program, p.Dashes = program, -1 }

// Parse parses the options of a program, and leaves the operands.
func (p *Parser[W]) Parse(program *Program) {
	switch program.Style {
	case "equals":
		p.assignments(program)
		return
	case "text":
		p.Operands = p.Words
		return
	case "tar":
		if p.Words = oldBundle(p.Host, program, p.Words); len(p.Words) > 0 && p.Words[0].Argument().MayBeNone {
			p.Caveats.Add("dynamic_option") // the next word may be the bundle
		}
	}
	for rest := p.Words; len(rest) > 0 && len(p.Inner) == 0; {
		rest = p.next(program, rest)
	}
}

// next parses the word at the head of rest, and returns the words that are left.
func (p *Parser[W]) next(program *Program, rest []W) []W {
	first := rest[0].Argument()
	if p.takesNext && !first.IsOption() {
		p.Host.AnyPath(rest[0])
	}
	p.takesNext = false
	switch {
	case len(p.Operands) > 0 && first.IsOption() && program.late(first.Text, p.Platform, p.nested):
		p.Caveats.Add("unknown_option")
		p.Operands = append(p.Operands, rest[0])
	case first.Is("--"):
		p.endAtDashes(program, rest)
		return nil
	case first.IsOption():
		p.stray(program, rest[0])
		return rest[p.Option(program, first.Text, rest):]
	case p.unknownValue(program, first, rest):
	case program.endsAtOperand():
		p.endAtOperand(program, rest)
		return nil
	default:
		p.operand(program, first, rest)
	}
	return rest[1:]
}

// late reports whether an option behind the first operand is none.
func (p *Program) late(text, platform string, nested bool) bool {
	if p.Late != nil {
		return !slices.ContainsFunc(p.Late, func(name string) bool { return strings.HasPrefix(text, name) })
	}
	// BSD's getopt(3) ends the options there.
	return platform == "darwin" && p.Style == "" && !p.Permute && !nested
}

// Option parses the option at the head of rest, which is text, and returns how many words it takes.
func (p *Parser[W]) Option(program *Program, text string, rest []W) int {
	if program.Numeric && strings.Trim(text[1:], "0123456789") == "" {
		p.Form.Put(OptionNumber, "none")
		p.Host.Value(Option{Canonical: OptionNumber}, "none", p.Host.Literal(text[1:]))
		return 1
	}
	if known, value, ok := program.cutColon(text); ok {
		p.Host.Value(known, known.Kinds[0], p.Host.Literal(value))
		return 1
	}
	return p.named(program, text, rest)
}

// named parses an option by its name, with its value behind "=", attached, or in the next word.
func (p *Parser[W]) named(program *Program, text string, rest []W) int {
	name, value, attached := strings.Cut(text, "=")
	doubled := strings.HasPrefix(text, "--")
	if known, ok := program.Options[name]; ok && (doubled || len(name) > 2 || !attached) {
		return p.long(known, value, attached, rest)
	}
	if !doubled && program.Style != "go" && program.Style != "find" {
		if known, value, ok := program.cutAttached(text); ok {
			return p.long(known, value, true, rest)
		}
		return p.bundle(program, text, rest)
	}
	if known, ok := program.Options[name[1:]]; ok && doubled && program.Style == "go" {
		return p.long(known, value, attached, rest)
	}
	if program.joinable(text) {
		return p.bundle(program, text, rest)
	}
	p.Host.Unlisted(text, rest[1:])
	p.Unknown(text)
	return 1
}

// cutColon cuts an option of kind value off a plain word behind a colon (dotnet build -v:q).
func (p *Program) cutColon(text string) (known Option, value string, ok bool) {
	name, value, found := strings.Cut(text, ":")
	known, listed := p.Options[name]
	if p.Joined != "colon" || !found || !listed || strings.TrimSuffix(known.Kinds[0], "?") != "value" {
		return Option{}, "", false
	}
	plain := !strings.ContainsFunc(value, func(r rune) bool { return Unchainable(r) || strings.ContainsRune("/\\:=,@%", r) })
	return known, value, plain && value != ""
}

// cutAttached cuts an option of several letters off the value that directly follows it.
func (p *Program) cutAttached(text string) (known Option, value string, ok bool) {
	for _, name := range p.attached {
		if value, ok := strings.CutPrefix(text, name); ok {
			return p.Options[name], value, true
		}
	}
	return Option{}, "", false
}

// unknownValue parses an option with a value in the same word that only the run knows, if nothing depends on the
// value. It reports false for any other word.
func (p *Parser[W]) unknownValue(program *Program, first Argument, rest []W) bool {
	known, ok := program.Options[first.Option]
	if !ok || program.Style != "" || !known.takes(first.Class) || len(p.Operands) > 0 && program.late(first.Text, p.Platform, p.nested) {
		return false
	}
	kind := known.Kinds[0]
	_, value, _ := strings.Cut(first.Text, "=")
	if len(first.Option) < 3 || !strings.HasPrefix(first.Option, "--") {
		// A command that fails prints nothing, and the next word would be the value.
		if first.Class != Digits || !strings.HasSuffix(kind, "?") && len(rest) > 1 {
			return false
		}
		value = strings.TrimPrefix(first.Text, first.Option)
	}
	p.Host.Value(known, kind, p.Host.Tail(rest[0], value))
	return true
}

// takes reports whether any value of a class is one value of the option on which nothing depends.
func (o Option) takes(class Class) bool {
	if len(o.Kinds) != 1 {
		return false
	}
	switch o.Kinds[0] {
	case "value", "pattern":
		return class == Digits || class == OneWord
	case "value?", "number?":
		return class == Digits
	}
	return false
}

// Unknown notes an option that the entry doesn't explain. It may take the next word.
func (p *Parser[W]) Unknown(text string) {
	p.Form.Put(OptionName(text), "unknown")
	p.Caveats.Add("unknown_option")
	if p.Unsettled == 0 {
		p.Unsettled = 1 + len(p.Operands)
	}
	p.takesNext = !strings.Contains(text, "=")
	p.Host.AnyPath(p.Host.Literal(text))
}

// long parses an option that is a word of its own, or the end of a bundle.
func (p *Parser[W]) long(known Option, value string, attached bool, rest []W) int {
	kind := known.Kinds[0]
	switch {
	case kind == "none" && attached:
		p.Unknown(rest[0].Argument().Text)
		return 1
	case kind == "none":
		p.Form.Put(known.Canonical, kind)
		return 1
	case attached:
		p.Host.Value(known, kind, p.Host.Literal(value))
		return 1 + p.moreValues(known, rest[1:])
	case strings.HasSuffix(kind, "?"):
		if p.nextIsValue(kind, rest[1:]) {
			p.Host.Value(known, kind, rest[1])
			return 2
		}
		p.Host.Value(known, kind, p.Host.Literal(""))
		return 1
	case kind == "command":
		p.Form.Put(known.Canonical, kind)
		p.Inner = rest[1:]
		return len(rest)
	}
	taken := 1
	for _, kind := range known.Kinds {
		if taken == len(rest) {
			p.Form.Put(known.Canonical, "unknown")
			p.Caveats.Add("unknown_option")
			break
		}
		word := rest[taken]
		p.Host.Single(word)
		if p.Program != nil && p.Program.mayBeOption(kind, word.Argument()) {
			p.Caveats.Add("unknown_option")
		}
		p.Host.Value(known, kind, word)
		if p.Program != nil {
			p.Strays.value(p.Program.Filters[known.Canonical], word)
		}
		taken++
	}
	return taken
}

// nextIsValue reports whether the next word is the optional value of an option: to make a
// number is behind -j, to lsof any word that doesn't begin as an option does.
func (p *Parser[W]) nextIsValue(kind string, rest []W) bool {
	if len(rest) == 0 || kind != "number?" && (p.Program == nil || !p.Program.OptionalNext) {
		return false
	}
	next := rest[0].Argument()
	if kind == "number?" {
		return next.Class == Digits || next.Class == Literal && next.Text != "" && strings.Trim(next.Text, "0123456789") == ""
	}
	if p.Host.MayLead(rest[0]) && !next.IsOption() {
		p.Caveats.Add("dynamic_option")
	}
	return !next.IsOption()
}

// mayBeOption reports whether a value that is a word of its own may be an option instead: programs that parse their
// words themselves, such as ripgrep, give some options their default if the next word begins with a dash.
func (p *Program) mayBeOption(kind string, word Argument) bool {
	return p.Style == "" && p.Permute && kind != "pattern" && word.IsOption() && strings.Trim(word.Text[1:], "0123456789") != ""
}

// moreValues parses the values of an option besides the attached one.
func (p *Parser[W]) moreValues(known Option, rest []W) int {
	for i, kind := range known.Kinds[1:] {
		if i >= len(rest) {
			p.Caveats.Add("unknown_option")
			return len(rest)
		}
		p.Host.Single(rest[i])
		p.Host.Value(known, kind, rest[i])
	}
	return len(known.Kinds) - 1
}

// bundle parses short options behind one dash, the last of which may take a value: attached, or the next word.
func (p *Parser[W]) bundle(program *Program, text string, rest []W) int {
	for i := 1; i < len(text); i++ {
		known, ok := program.Options["-"+text[i:i+1]]
		if !ok {
			p.Host.Unlisted("-"+text[i:], rest[1:])
		}
		value := text[i+1:]
		if !ok || program.ambiguous(known, value) {
			p.Unknown("-" + text[i:])
			return 1
		}
		switch kind := known.Kinds[0]; {
		case kind == "none":
			p.Form.Put(known.Canonical, kind)
		case value == "":
			return p.long(known, "", false, rest)
		default:
			p.Host.Value(known, kind, p.Host.Literal(value))
			return 1 + p.moreValues(known, rest[1:])
		}
	}
	return 1
}

// ambiguous reports whether parsers disagree on a value behind a short option, and the value is one that counts: it
// begins with "=", which getopt(3) takes for a part of the value, while ripgrep, fd, npm and cobra leave it out.
func (p *Program) ambiguous(option Option, value string) bool {
	if len(value) < 2 || value[0] != '=' {
		return false
	}
	kind := strings.TrimSuffix(option.Kinds[0], "?")
	if kind != "none" && kind != "value" && kind != "pattern" && !script.Is(kind) {
		return true
	}
	filter := p.Filters[option.Canonical]
	return filter != "" && filter != "type" // no type begins with the sign
}

// assignments parses operands of the form key=value (dd).
func (p *Parser[W]) assignments(program *Program) {
	for _, word := range p.Words {
		argument := word.Argument()
		name, value, ok := strings.Cut(argument.Text, "=")
		known, listed := program.Options[name]
		if argument.Class != Literal || !ok || !listed {
			p.Unknown(argument.Text)
			continue
		}
		p.Host.Value(known, known.Kinds[0], p.Host.Literal(value))
	}
}

// oldBundle returns the words of tar with options in the place of the first word if it has no dash. The values of all
// its letters are the words behind it, in the order of the letters.
func oldBundle[W Word](host Host[W], program *Program, words []W) []W {
	if len(words) == 0 {
		return nil
	}
	first, rest := words[0].Argument(), words[1:]
	if first.Class != Literal || first.Text == "" || first.IsOption() {
		return words
	}
	var options []W
	for _, letter := range first.Text {
		name := "-" + string(letter)
		options = append(options, host.Literal(name))
		known, ok := program.Options[name]
		for range known.Kinds {
			if !ok || known.Kinds[0] == "none" || strings.HasSuffix(known.Kinds[0], "?") || len(rest) == 0 {
				break
			}
			options, rest = append(options, rest[0]), rest[1:]
		}
	}
	return slices.Concat(options, rest)
}

// OptionName returns an option without the value that is attached to it, which can be anything, a password too.
func OptionName(text string) string {
	const longest = 40
	name, _, _ := strings.Cut(text, "=")
	return name[:min(len(name), longest)]
}
