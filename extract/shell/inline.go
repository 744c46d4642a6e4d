package shell

import (
	"path"
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/windows"
)

// Program text in an argument or on standard input can be anything, so such a line is
// answered once or denied, never remembered (A1).

// inlineText notes a command that runs program text of its line, or may: that of the
// program itself, or of an interpreter that one of its words names.
func (p *parsed) inlineText(program *argv.Program) {
	if _, version := p.c.Form.Get("<version>"); version {
		return
	}
	switch {
	case program == nil:
		p.namedInterpreter()
	case program.Inline == argv.InlineAlways, p.textCommand(program),
		program.Interprets() && (p.c.Caveats.Has("dynamic_option") || p.mayTakeText(program) || p.textFromStream()):
		p.c.Caveats.Add("inline_code")
	case p.c.Caveats.Has("runs_anything"): // xargs has it only if what it runs is no item
		p.namedInterpreter()
	}
}

// windowsText does the same for a command of Windows. Interpreters that only other systems'
// files describe are known by their names there: any option may take text.
func (p *parsed) windowsText(piped bool) {
	if _, version := p.c.Form.Get("<version>"); version {
		return
	}
	program := p.args.Program
	stem := windows.Stem(p.c.Program)
	if program == nil {
		program = p.w.table.WindowsProgram(stem)
	}
	if program == nil {
		if program = p.w.table.On(p.w.options.Platform, stem); program == nil || !program.Interprets() {
			p.namedInterpreter()
			return
		}
		p.c.Caveats.Add("runs_anything")
	}
	option := slices.ContainsFunc(p.args.Words, func(word Word) bool { return strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/") })
	if program.Interprets() && (option || piped || len(p.args.Words) == 0 || len(program.TextIn) > 0) {
		p.c.Caveats.Add("inline_code")
	}
	p.inlineText(program)
}

// mayTakeText reports whether an option that the table doesn't know may be one that takes
// text: letters that stand together, or the beginning of a longer name.
func (p *parsed) mayTakeText(program *argv.Program) bool {
	for _, entry := range p.c.Form {
		if entry.Kind != "unknown" || !strings.HasPrefix(entry.Name, "-") {
			continue
		}
		if !strings.HasPrefix(entry.Name, "--") {
			return true
		}
		for name, known := range program.Options {
			if known.Kinds[0] == "code" && strings.HasPrefix(name, entry.Name) {
				return true
			}
		}
	}
	return false
}

// textCommand reports whether the first operand is a command that takes text (deno eval).
func (p *parsed) textCommand(program *argv.Program) bool {
	return len(p.args.Operands) > 0 && slices.Contains(program.InlineWords, p.args.Operands[0].Text)
}

// textFromStream reports whether the script is a stream: standard input, or what another
// command prints.
func (p *parsed) textFromStream() bool {
	if len(p.args.Operands) == 0 {
		return false
	}
	return isStream(p.args.Operands[0])
}

// isStream reports whether a file is standard input, or what another command prints.
func isStream(word Word) bool {
	clean := path.Clean(word.Text)
	return word.Kind == Pipe || word.literal("-") || strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/")
}

// namedInterpreter looks for an interpreter among the words of a program that may run it,
// and reads what stands behind as its command line.
func (p *parsed) namedInterpreter() {
	words := p.c.Argv
	for i := 1; i < len(words); i++ {
		name := words[i].Text[strings.LastIndexAny(words[i].Text, `/\`)+1:]
		if words[i].Kind != Literal || name == "" {
			continue
		}
		entry := p.w.table.Program(name)
		if entry == nil || !entry.Interprets() || i+1 == len(words) {
			continue
		}
		line := p.aside(slices.Concat([]Word{{Kind: Literal, Text: name}}, words[i+1:]))
		shell := argv.IsShell(name) && slices.ContainsFunc(words[i+1:], func(word Word) bool { return strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "c") })
		if shell || slices.ContainsFunc(line.Commands, func(c Command) bool { return c.Caveats.Has("inline_code") }) {
			p.c.Caveats.Add("inline_code")
		}
		return
	}
}

// showsVariables notes the variables whose values a program prints: under "*" always,
// under "<bare>" without operands, else with an option.
func (p *parsed) showsVariables(program *argv.Program) {
	if program == nil || slices.ContainsFunc(program.ShowsUnless, p.has) {
		return
	}
	for when, names := range program.Shows {
		if when != "*" && (when != "<bare>" || len(p.args.Operands) > 0) && !p.has(when) {
			continue
		}
		for _, name := range names {
			if name == "*" {
				p.c.Caveats.Add("reads_environment")
				continue
			}
			// A person can approve the program for good, so this is no private_variable.
			p.c.Variables = append(p.c.Variables, name)
			if !slices.Contains(p.w.table.Words.Variables.Public, name) {
				p.c.Caveats.Add("shows_variable")
				if program.RunsAnything {
					p.c.Caveats.Add("runs_anything") // an approval of the program allows more than this
				}
			}
		}
	}
}
