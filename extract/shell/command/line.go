package command

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/shell/expansion"
)

// Line is what a command line does.
type Line struct {
	// Commands are in the order in which the line names them. Every command
	// that could be found is there, also in a messy line.
	Commands []Command
	// Messy lists why the line is not fully explained; empty when it is.
	Messy []string
	// Crossed is true when what programs print to may be a file that was opened
	// for reading: /dev/stdout opens it once more, for writing.
	Crossed bool
}

// Description is what is known of a command line before it runs, in words of JSON.
type Description struct {
	// Messy holds the codes of what can't be explained; empty for a line that is understood.
	Messy    []string            `json:"messy"`
	Commands []SimpleDescription `json:"commands"`
}

// SimpleDescription describes one simple command, without the wrappers around it.
type SimpleDescription struct {
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
	out := Description{Messy: append([]string{}, l.Messy...), Commands: make([]SimpleDescription, 0, len(l.Commands))}
	for i := range l.Commands {
		out.Commands = append(out.Commands, describe(&l.Commands[i]))
	}
	return out
}

func describe(c *Command) SimpleDescription {
	out := SimpleDescription{
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
			Op: access.Op, Path: access.Text, Pattern: access.Naming == ByGlob, Below: access.Below == Tree,
			Maybe: access.Presence == IfPathLike, Dynamic: access.Naming == Unnamed,
		})
	}
	return out
}

// Detach drops what only the walk needs, and the room behind every list.
func (l *Line) Detach() {
	for i := range l.Commands {
		c := &l.Commands[i]
		c.Printing.Found, c.Printing.Ran, c.Printing.Lines = nil, nil, nil
		c.Form, c.Accesses, c.Cwd.Known = slices.Clip(c.Form), slices.Clip(c.Accesses), slices.Clip(c.Cwd.Known)
		c.Caveats, c.Variables = slices.Clip(c.Caveats), slices.Clip(c.Variables)
	}
	l.Commands, l.Messy = slices.Clip(l.Commands), slices.Clip(l.Messy)
}
