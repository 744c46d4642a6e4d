package shell

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/effect"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/output"
	"policyd/extract/shell/state"
	"policyd/extract/shell/stream"
	"policyd/extract/windows"
)

// Limits on what one line may hold. More of any of them is messy.
const (
	maxWords    = 256
	maxCommands = 64
	// maxHereDocs is enough for the files of a small project in one line.
	maxHereDocs = 16
	// maxRedirections is that of one statement: each is looked up on the disk.
	maxRedirections = 64
	maxDepth        = 8
	maxSteps        = 2048
	// maxSpliced is how long all may be on one line that words become by what variables hold: each
	// assignment can double what the last one left.
	maxSpliced = 16 * guard.MaxLine
)

// walker interprets one line: it walks the syntax tree with what is known of the shell's state, and
// reports the commands that the shell would run.
type walker struct {
	diskView
	streams
	flow
	nesting
	// spliced is how many bytes of values of variables the words of the line hold.
	spliced int
	// mapped are the variables that mapfile made arrays of, doubtful those that a declaration gave
	// a value which can be taken for members.
	mapped, doubtful v1.Set
	outset           state.State // before the first command
}

// surroundings are what a line is read in: the program table, the shell, the host, and what the line
// makes known of its variables to programs.
type surroundings struct {
	table *Table
	lexical.Dialect
	host.Host
	// exported are variables that the line exports.
	exported  []string
	producers output.Producers
}

// report is what was found so far, and how much of the limits is used up.
type report struct {
	surroundings
	line      command.Line
	wordCount int
	steps     int
	documents int
	// closes is true if a standard stream may be closed, changes if a round of a loop may have
	// changed the disk.
	closes, changes bool
	// expandedNames are variables of the environment that were expanded since the last command: in
	// an assignment, a here-string, the word of a case.
	expandedNames []string
	// standing are patterns of names that words were made of since then.
	standing []command.Access
	// shown is by what else than its words the line shows values.
	shown shown
}

// diskView is what is known of the disk after what the line did so far.
type diskView struct{ report }

// streams are what commands read and print.
type streams struct {
	// in is the name stream on standard input of the command that is walked, text its text if that
	// is known; input is the stream that it shares with the commands around it.
	in    stream.Lines
	text  string
	input *input
	// piped is what the last pipeline prints, substituted what the last process substitution prints.
	piped, substituted stream.Lines
}

// flow is how control leaves the constructs that are walked.
type flow struct {
	loops   int            // how many loops surround the command
	jumps   []*state.State // for each body that is walked, the state in which it was left
	aborted *state.State   // the state in which a line may have been given up
	sequence
}

// nesting is the scripts, functions and substitutions that are walked.
type nesting struct {
	depth int
	// file is the script that is walked.
	file *syntax.File
	// called are the functions that the script defines, and whether it calls them; calling are those
	// that are walked, and calls is how often one was called.
	called  map[*syntax.FuncDecl]bool
	calling []*syntax.FuncDecl
	calls   int
	// walked are the first statements of the substitutions that were walked.
	walked    []*syntax.Stmt
	fewWalked [4]*syntax.Stmt
}

// Parse explains a command line. It never fails: what it can't explain makes
// the line messy.
func (t *Table) Parse(line string, options host.Options) command.Line {
	w := t.explain(line, &options)
	defer w.release()
	return w.line
}

var walkers sync.Pool

// release gives a walker back whose line was taken out of it.
func (w *walker) release() {
	*w = walker{}
	walkers.Put(w)
}

// read begins to read by a table, under an assumption about its producers.
func (s *surroundings) read(table *Table, assumed output.Assumption) {
	s.table, s.producers = table, output.Producers{Words: table.Words, Host: &s.Host, Assumed: assumed}
}

// walk explains a line under one assumption about its producers.
func (t *Table) walk(line string, options *host.Options, assumed output.Assumption) *walker {
	w, ok := walkers.Get().(*walker)
	if !ok {
		w = &walker{}
	}
	w.Begin(options)
	w.read(t, assumed)
	w.walked = w.fewWalked[:0]
	w.line.Commands = make([]command.Command, 0, likelyCommands(line))
	st := &w.outset
	if options.Cwd == "" {
		st.Cwd.Others = true
	} else {
		st.Cwd.Known = []string{options.Cwd}
	}
	if language, ok := windows.DialectOf(options.Shell); ok && options.Platform == "windows" {
		w.windowsLine(st, line, language)
		return w
	}
	w.script(st, line, options.Shell)
	w.importers()
	w.shows()
	if len(w.expandedNames)+len(w.standing) > 0 {
		w.emit(w.newCommand(st, ":", nil))
	}
	return w
}

// importers looks at the commands that import modules: where any command of the
// line may change the disk, what lies there now says nothing about them.
func (d *diskView) importers() {
	for i := range d.line.Commands {
		if c := &d.line.Commands[i]; len(c.Selection.Imports) > 0 && !d.OnlyRead() {
			c.Caveats.Add("project_chooses_program")
		}
	}
}

// likelyCommands guesses how many commands a line has, to make room for them.
func likelyCommands(line string) int {
	count, apart := 1, false
	for i := range len(line) {
		separates := strings.IndexByte(";&|\n", line[i]) >= 0
		if separates && !apart {
			count++
		}
		apart = separates
	}
	return min(count, 8)
}

func (r *report) messy(code string) {
	for _, known := range r.line.Messy {
		if known == code {
			return
		}
	}
	r.line.Messy = append(r.line.Messy, code)
}

func (w *walker) emit(c command.Command) {
	if len(w.line.Commands) >= maxCommands {
		w.messy(guard.MessyLimits)
		w.steps = maxSteps // nothing that is still to be walked can be told
		return
	}
	w.reads(&c, w.table.Words.Printing.InputIgnorers)
	for i := range c.Accesses {
		c.Accesses[i].Braces = w.Posix
	}
	c.Variables = append(c.Variables, w.expandedNames...)
	c.Implied.Held = append(c.Implied.Held, w.standing...)
	w.expandedNames, w.standing = nil, nil
	c.Step = w.current()
	if w.depth > 1 || c.Caveats.Has(effect.RunBy) {
		c.Step = command.AnyStep // what programs run can outlive them (setsid, timeout)
	}
	w.line.Commands = append(w.line.Commands, c)
}

// count adds n words and says whether the line is still small enough.
func (r *report) count(n int) bool {
	if r.wordCount += n; r.wordCount > maxWords {
		r.messy(guard.MessyLimits)
		return false
	}
	return true
}

// Table is the program table by which lines are parsed. It is safe for concurrent use.
type Table struct{ *argv.Table }

// NewTable returns the embedded program table.
func NewTable() (*Table, error) {
	programs, err := argv.NewTable()
	if err != nil {
		return nil, err
	}
	return &Table{programs}, nil
}

// With returns a table that has the programs of an operator as well; see argv.Table.With.
func (t *Table) With(entries map[string]any) (*Table, error) {
	programs, err := t.Table.With(entries)
	if err != nil {
		return nil, err
	}
	return &Table{programs}, nil
}

// Explain does what Parse does, and returns the answers that the explanation depends on.
func (t *Table) Explain(line string, options *host.Options) (command.Line, host.Answers) {
	w := t.explain(line, options)
	defer w.release()
	return w.line, w.Answers()
}
