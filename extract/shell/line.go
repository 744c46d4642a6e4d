package shell

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
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

// Options say in what surroundings a line runs.
type Options struct {
	// Shell is the program that runs it: bash, sh, dash, zsh or ksh, by base
	// name. Empty is bash.
	Shell string
	// Platform is linux, darwin or windows.
	Platform string
	// Home is the directory that ~ stands for; empty when unknown.
	Home string
	// Cwd is the real directory in force at the start; empty when unknown.
	Cwd string
	// Plain reports whether no segment of an absolute path is a symbolic link,
	// so that its ".." is the lexical one. Nil means no.
	Plain func(dir string) bool
	// Enterable reports whether an absolute path is a directory that everyone may
	// make the working directory. Nil means never.
	Enterable func(dir string) bool
	// Readable reports whether an absolute path is a file that everyone may read.
	// Nil means never.
	Readable func(path string) bool
	// Textual reports whether every program takes what an absolute path names for
	// text, or finds nothing there. Nil means never.
	Textual func(path string) bool
	// Toplevel returns the top of the work tree that git finds from dir, or ""
	// when that is not certain. Nil means never.
	Toplevel func(dir string) string
	// Directories returns the directories among the matches of an absolute pattern, as the
	// pattern spells them and each behind a newline, or "" when it is not certain that these
	// are all. Nil means never.
	Directories func(pattern string) string
	// Produced returns what a producer prints, or "" when that is not certain: the name of its
	// value, its operand and its working directory, separated by newlines. Nil means never.
	Produced func(value string) string
}

// Line is what a command line does.
type Line struct {
	// Commands are in the order in which the line names them. Every command
	// that could be found is there, also in a messy line.
	Commands []command.Command
	// Messy lists why the line is not fully explained; empty when it is.
	Messy []string
	// Crossed is true when what programs print to may be a file that was opened
	// for reading: /dev/stdout opens it once more, for writing.
	Crossed bool
}

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
	outset           state // before the first command
}

// surroundings are what a line is read in: the program table, the shell, the host, and what the line
// makes known of its variables to programs.
type surroundings struct {
	table *Table
	lexical.Dialect
	host
	// exported are variables that the line exports.
	exported []string
	// producing is what the producers are taken to print; produced are those whose values were used
	// although they can print nothing.
	producing producing
	produced  []*argv.Producer
}

// listings are the names that commands of the line print.
type listings struct{ surroundings }

// report is what was found so far, and how much of the limits is used up.
type report struct {
	listings
	line      Line
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
	loops   int      // how many loops surround the command
	jumps   []*state // for each body that is walked, the state in which it was left
	aborted *state   // the state in which a line may have been given up
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
func (t *Table) Parse(line string, options Options) Line {
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

// walk explains a line under one assumption about its producers.
func (t *Table) walk(line string, options *Options, printing producing) *walker {
	w, ok := walkers.Get().(*walker)
	if !ok {
		w = &walker{}
	}
	w.table, w.options, w.producing = t, *options, printing
	w.asked, w.walked = w.fewAsked[:0], w.fewWalked[:0]
	w.line.Commands = make([]command.Command, 0, likelyCommands(line))
	st := &w.outset
	if options.Cwd == "" {
		st.cwd.Others = true
	} else {
		st.cwd.Known = []string{options.Cwd}
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
		if c := &d.line.Commands[i]; len(c.Selection.Imports) > 0 && !d.onlyRead() {
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

// Description is what is known of a command line before it runs, in words of JSON.
type Description struct {
	// Messy holds the codes of what can't be explained; empty for a line that is understood.
	Messy    []string             `json:"messy"`
	Commands []CommandDescription `json:"commands"`
}

// CommandDescription describes one simple command, without the wrappers around it.
type CommandDescription struct {
	Verb string `json:"verb"`
	// Directories are those that it may run in.
	Directories []string `json:"directories"`
	// AnyDirectory is true if it may run in others, too.
	AnyDirectory bool `json:"any_directory"`
	// Words are its argv; empty if that isn't known.
	Words []WordDescription `json:"words"`
	// Form holds the options and operand roles, each with its kind.
	Form     v1.Form             `json:"form"`
	Accesses []AccessDescription `json:"accesses"`
	Caveats  []string            `json:"caveats"`
	Risks    []string            `json:"risks"`
}

// WordDescription describes the value of one word.
type WordDescription struct {
	// Kind is dynamic, literal, pattern, number, substitution, hash, names or output.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Splits is true if the shell splits the value at blanks and expands patterns in it.
	Splits bool `json:"splits"`
	// Vanishes is true if the shell may make no word of it.
	Vanishes bool `json:"vanishes"`
}

// AccessDescription describes a path that a command names or implies.
type AccessDescription struct {
	Op   string `json:"op"`
	Path string `json:"path"`
	// Pattern is true if the path is a pattern, Below if everything below it is accessed, Maybe if
	// the word counts as a path only if it looks like one or exists, and Dynamic if the run alone
	// knows the path.
	Pattern bool `json:"pattern"`
	Below   bool `json:"below"`
	Maybe   bool `json:"maybe"`
	Dynamic bool `json:"dynamic"`
}

// wordKinds are the names of kinds of words, in their order.
var wordKinds = [...]string{
	expansion.Dynamic: "dynamic", expansion.Literal: "literal", expansion.Glob: "pattern", expansion.Number: "number", expansion.Pipe: "substitution", expansion.Hash: "hash", expansion.Names: "names", expansion.Output: "output",
}

// Describe returns the line in words. It shares nothing with the line.
func (l *Line) Describe() Description {
	out := Description{Messy: append([]string{}, l.Messy...), Commands: make([]CommandDescription, 0, len(l.Commands))}
	for i := range l.Commands {
		out.Commands = append(out.Commands, describe(&l.Commands[i]))
	}
	return out
}

func describe(c *command.Command) CommandDescription {
	out := CommandDescription{
		Verb: c.Verb, Directories: append([]string{}, c.Cwd.Known...), AnyDirectory: c.Cwd.Others,
		Words: make([]WordDescription, 0, len(c.Argv)), Form: slices.Clone(c.Form),
		Accesses: make([]AccessDescription, 0, len(c.Accesses)), Caveats: append([]string{}, c.Caveats...), Risks: append([]string{}, c.Approval.Risks...),
	}
	for i := range c.Argv {
		word := &c.Argv[i]
		out.Words = append(out.Words, WordDescription{Kind: wordKinds[word.Kind], Text: word.Text, Splits: word.Split, Vanishes: word.Vanishes})
	}
	for i := range c.Accesses {
		access := &c.Accesses[i]
		out.Accesses = append(out.Accesses, AccessDescription{
			Op: access.Op, Path: access.Text, Pattern: access.Naming == command.ByGlob, Below: access.Below == command.Tree,
			Maybe: access.Presence == command.IfPathLike, Dynamic: access.Naming == command.Unnamed,
		})
	}
	return out
}
