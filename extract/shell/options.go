package shell

import (
	"math"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/value"
)

// options reads the options and leaves the operands.
func (p *parsed) options(program *argv.Program) {
	p.args.Begin(program)
	if program.AtFiles {
		p.noAtFiles()
	}
	switch program.Style {
	case "find":
		p.find(program)
	case "raw":
		p.raw()
	default:
		p.args.Parse(program)
	}
	p.c.Git.Dashes = p.c.Git.Dashes || p.args.Dashes >= 0
}

// Operand notes a word that may turn into an option when it is expanded.
func (p *parsed) Operand(program *argv.Program, word Word) {
	if !program.Inert && p.mayTurn(program, word) {
		p.c.Caveats.Add("dynamic_option")
	}
}

// mayTurn reports whether a word may become an option of a program when it is expanded.
func (p *parsed) mayTurn(program *argv.Program, word Word) bool {
	if word.Kind != Literal && strings.HasPrefix(word.Text, "-") {
		return true // a pattern that matches nothing stays as it is
	}
	switch word.Kind {
	case Number:
		// A command that fails prints nothing. Digits of other options may follow the sign.
		return word.Dashed || word.Signed && (!word.Letters || program.Digits())
	case Hash:
		return word.Dashed
	case Dynamic, Output:
		return !p.begun(word) && (word.Split || !strings.HasPrefix(strings.TrimPrefix(word.Text, "."), "/"))
	case Glob:
		return !p.begun(word) && hasMeta(word.Text[:min(len(word.Text), 1)]) && matchesOptions(program, word.Text)
	default:
		return false
	}
}

// matchesOptions reports whether a pattern may match an option that does more than choose output. No word of an
// expression ends in a slash, and find refuses words that it doesn't know.
func matchesOptions(program *argv.Program, pattern string) bool {
	return program.Acts() && (program.Style != "find" || !strings.HasSuffix(pattern, "/"))
}

// begun reports whether the beginning of a word is known not to be a dash, whatever it expands to: text, or a name.
func (p *parsed) begun(word Word) bool {
	if word.Split {
		return false
	}
	return word.Led || word.bare && !word.Dashed || word.begins != nil && p.partsHere(word.begins.word(word.begins.roots[0]))
}

// Value notes an option's value, and what it accesses by its kind.
func (p *parsed) Value(known argv.Option, kind string, word Word) {
	canonical := known.Canonical
	switch canonical {
	case argv.OptionNumber:
		p.count(word)
		return
	case "--max-count":
		p.count(word)
	case "-I":
		p.mark = word // the last one counts
	case "-d":
		p.cutAt = word
	}
	p.judge(p.args.Program, canonical, word)
	p.defined(canonical, kind, word)
	p.riskOf(known.Risk, &word)
	if p.args.Program != nil && word.Text != "" && slices.Contains(p.args.Program.Modifies, canonical) {
		p.backups = append(p.backups, word)
	}
	if kind == "archive" {
		// An option behind it may make it one that is only read.
		p.archives, p.archiveOptions = append(p.archives, word), append(p.archiveOptions, canonical)
		return
	}
	if kind = p.kind(kind, word); kind == "" {
		return
	}
	p.filter(canonical, word)
	if p.args.Program != nil && p.args.Program.Places != nil {
		p.places.option(p.args.Program.Places, canonical, kind, word)
	}
	p.printing(canonical, word)
	p.states(canonical, kind)
}

// states puts an option into the form. Of several values the gravest kind counts.
func (p *parsed) states(canonical, kind string) {
	if held, ok := p.c.Form.Get(canonical); ok && held != kind {
		if acts, _ := argv.KnownKind(strings.TrimSuffix(kind, "?")); !acts {
			kind = held
		}
		p.c.Form = slices.DeleteFunc(p.c.Form, func(e v1.Entry) bool { return e.Name == canonical })
	}
	p.c.Form.Put(canonical, kind)
}

// printing notes an option that chooses how output looks.
func (p *parsed) printing(canonical string, word Word) {
	if colors(p.c, canonical) {
		p.c.color = max(p.c.color, colorOf(word))
	}
	if p.c.Program != "git" {
		return
	}
	if slices.Contains(formatOptions, canonical) {
		p.c.Git.Formats = append(p.c.Git.Formats, word.Text)
		if checksSignature(word) {
			p.c.Caveats.Add("executes")
		}
	}
	switch canonical {
	case "--format", "--pretty":
		p.c.Git.Format = word.Text
	case "--date":
		p.c.Git.date = word.Text
		if word.Kind != Literal {
			p.c.Git.date = "\n"
		}
	}
}

// count notes how many commits git is to print. Of several numbers the last one counts, of which
// the largest is no less.
func (p *parsed) count(word Word) {
	number, err := strconv.Atoi(word.Text)
	if word.Kind != Literal || err != nil || number < 0 {
		number = math.MaxInt
	}
	p.c.Git.Count = max(p.c.Git.Count, number)
}

// Single notes a word whose place gives it its meaning.
func (p *parsed) Single(word Word) { p.single(word, p.args.Program != nil && p.args.Program.Inert) }

// inert notes a word that has no effect on files, as long as it is known.
func (p *parsed) inert(word Word) {
	switch word.Kind {
	case Dynamic:
		p.c.Caveats.Add("dynamic_word")
	case Output:
		p.c.Caveats.Add("output_word")
	case Glob:
		p.c.Accesses = append(p.c.Accesses, Access{Text: word.Text, Op: v1.OpList, Glob: true})
	case Fed:
		// The names are looked at on the disk: one that begins with a dash is an option.
		switch {
		case p.args.Program != nil && p.args.Program.Inert:
		case word.feed != nil && word.feed.refs && p.refsHere(word):
		case word.feed != nil && word.feed.Parts && p.partsHere(word):
		default:
			p.access(word, v1.OpList, false)
		}
	default: // a known word has no effect
	}
}

// pathOperand remembers the first path-like operand (V3).
func (p *parsed) pathOperand(word Word) {
	if p.c.Operand == "" && word.Kind == Literal && pathLike(word.Text) {
		p.c.Operand = word.Text
	}
}

// operandOf does the same for an operand whose kind is known: one that is a path is one
// however it is written.
func (p *parsed) operandOf(program *argv.Program, kind string, word Word) {
	if p.c.Operand != "" || word.Kind != Literal || !certainPaths[kind] || word.Text == "" || word.Text == "-" {
		return
	}
	noPath := kind == "input" && value.AsInput.Misread(word.Text) || kind == "local" && hasScheme(word.Text)
	if !noPath {
		p.c.Operand, p.c.OperandFile = word.Text, program.FilesUnless != nil && !slices.ContainsFunc(program.FilesUnless, p.has)
	}
}

// pathLike reports whether a word looks like a path and like nothing else.
func pathLike(text string) bool {
	switch text {
	case "~", ".", "..", "./...":
		return true
	}
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./") ||
		strings.HasPrefix(text, "../")
}
