package effect

import (
	"path"
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/windows"
)

// Program text in an argument or on standard input can be anything, so such a line is
// answered once or denied, never remembered (A1).

// textReader notes program text in an argument or on standard input.
type textReader struct{ *Reader }

// inlineText notes a command that runs program text of its line, or may: that of the
// program itself, or of an interpreter that one of its words names.
func (t textReader) inlineText(program *argv.Program) {
	if t.Command.Form.Has("<version>") {
		return
	}
	switch operands := t.Args.Operands; {
	case program == nil:
		t.namedInterpreter()
	case program.Inline == argv.InlineAlways, len(operands) > 0 && slices.Contains(program.InlineWords, operands[0].Text),
		program.Interprets() && (t.Command.Caveats.Has("dynamic_option") || program.MayTakeText(t.Command.Form) || len(operands) > 0 && isStream(operands[0])):
		t.Command.Caveats.Add("inline_code")
	case t.Command.Caveats.Has("runs_anything"): // xargs has it only if what it runs is no item
		t.namedInterpreter()
	}
}

// windowsText does the same for a command of Windows. Interpreters that only other systems'
// files describe are known by their names there: any option may take text.
func (t textReader) windowsText(piped bool) {
	if t.Command.Form.Has("<version>") {
		return
	}
	program := t.Args.Program
	stem := windows.Stem(t.Command.Program)
	if program == nil {
		program = t.Table.WindowsProgram(stem)
	}
	if program == nil {
		if program = t.Table.On(t.Platform, stem); program == nil || !program.Interprets() {
			t.namedInterpreter()
			return
		}
		t.Command.Caveats.Add("runs_anything")
	}
	option := slices.ContainsFunc(t.Args.Words, func(word expansion.Word) bool {
		return strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/")
	})
	if program.Interprets() && (option || piped || len(t.Args.Words) == 0 || len(program.TextIn) > 0) {
		t.Command.Caveats.Add("inline_code")
	}
	t.inlineText(program)
}

// isStream reports whether a file is standard input, or what another command prints.
func isStream(word expansion.Word) bool {
	clean := path.Clean(word.Text)
	return word.Kind == expansion.Pipe || word.Is("-") || strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/")
}

// namedInterpreter looks for an interpreter among the words of a program that may run it,
// and reads what stands behind as its command line.
func (t textReader) namedInterpreter() {
	words := t.Command.Argv
	for i := 1; i < len(words); i++ {
		name := words[i].Text[strings.LastIndexAny(words[i].Text, `/\`)+1:]
		if words[i].Kind != expansion.Literal || name == "" {
			continue
		}
		entry := t.Table.Program(name)
		if entry == nil || !entry.Interprets() || i+1 == len(words) {
			continue
		}
		inner, _ := t.Shell.Aside(slices.Concat([]expansion.Word{{Kind: expansion.Literal, Text: name}}, words[i+1:]))
		shell := argv.IsShell(name) && slices.ContainsFunc(words[i+1:], func(word expansion.Word) bool {
			return strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "c")
		})
		if shell || slices.ContainsFunc(inner, func(c command.Command) bool { return c.Caveats.Has("inline_code") }) {
			t.Command.Caveats.Add("inline_code")
		}
		return
	}
}

// showsVariables notes the variables whose values a program prints: under "*" always,
// under "<bare>" without operands, else with an option.
func (r commandReader) showsVariables(program *argv.Program) {
	if program == nil || slices.ContainsFunc(program.ShowsUnless, r.Has) {
		return
	}
	for when, names := range program.Shows {
		if when != "*" && (when != "<bare>" || len(r.Args.Operands) > 0) && !r.Has(when) {
			continue
		}
		for _, name := range names {
			if name == "*" {
				r.Command.Caveats.Add("reads_environment")
				continue
			}
			// A person can approve the program for good, so this is no private_variable.
			r.Command.Variables = append(r.Command.Variables, name)
			if !slices.Contains(r.Table.Words.Variables.Public, name) {
				r.Command.Caveats.Add("shows_variable")
				if program.RunsAnything {
					r.Command.Caveats.Add("runs_anything") // an approval of the program allows more than this
				}
			}
		}
	}
}
