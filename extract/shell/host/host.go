// Package host answers what an interpreter of command lines asks about the disk that a line runs on, and keeps the
// answers.
//
// Options hold the functions that look at the disk: the package has none of its own. A Host puts the questions of one
// line to them. Its Answers are all that the explanation of the line rests on besides the text and the options, so that
// the explanation holds for as long as the answers do.
package host

import (
	"slices"

	"policyd/extract/shell/lexical"
)

// subject is what a question about the disk is about.
type subject uint8

const (
	aboutLinks subject = iota
	aboutEntering
	aboutReading
	aboutText
	aboutToplevel
	aboutMatches
	aboutValue
)

// question is one thing that the surroundings were asked while a line was
// explained, and what they said.
type question struct {
	about subject
	path  string
	yes   bool
	text  string
}

// Host answers questions about the disk that a line is explained on.
type Host struct {
	Options Options
	answers Answers
	few     [2]question
}

// Answers are the questions that were asked while a line was explained, and what the surroundings said.
type Answers struct {
	asked []question
	// unsteady is true if a question was answered in two ways.
	unsteady bool
}

// maxQuestions is how many questions are put again.
const maxQuestions = 16

// Repeatable reports whether the questions can be put again.
func (a *Answers) Repeatable() bool { return !a.unsteady && len(a.asked) <= maxQuestions }

// Hold puts every question again, and reports whether all are answered as they were.
func (a *Answers) Hold(options *Options) bool {
	return !slices.ContainsFunc(a.asked, func(q question) bool { return options.ask(q.about, q.path) != q })
}

// Begin begins to answer by options.
func (h *Host) Begin(options *Options) { h.Options, h.answers.asked = *options, h.few[:0] }

// Answers returns a copy of the answers so far.
func (h *Host) Answers() Answers {
	return Answers{asked: slices.Clone(h.answers.asked), unsteady: h.answers.unsteady}
}

// Join adds the answers that another explanation of the line got.
func (h *Host) Join(other *Host) {
	h.answers.asked = append(slices.Clip(h.answers.asked), other.answers.asked...)
	h.answers.unsteady = h.answers.unsteady || other.answers.unsteady
}

// ask puts a question to the surroundings. What isn't known there is no.
func (o *Options) ask(about subject, path string) question {
	q := question{about: about, path: path}
	switch {
	case about == aboutLinks && o.Plain != nil:
		q.yes = o.Plain(path)
	case about == aboutEntering && o.Enterable != nil:
		q.yes = o.Enterable(path)
	case about == aboutReading && o.Readable != nil:
		q.yes = o.Readable(path)
	case about == aboutText && o.Textual != nil:
		q.yes = o.Textual(path)
	case about == aboutToplevel && o.Toplevel != nil:
		q.text = o.Toplevel(path)
	case about == aboutMatches && o.Directories != nil:
		q.text = o.Directories(path)
	case about == aboutValue && o.Produced != nil:
		q.text = o.Produced(path)
	}
	return q
}

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

// ask does the same, and keeps the answer.
func (h *Host) ask(about subject, path string) question {
	q := h.Options.ask(about, path)
	for i := range h.answers.asked {
		if asked := &h.answers.asked[i]; asked.about == about && asked.path == path {
			h.answers.unsteady = h.answers.unsteady || *asked != q
			return q
		}
	}
	h.answers.asked = append(h.answers.asked, q)
	return q
}

func (h *Host) isPlain(dir string) bool { return h.ask(aboutLinks, dir).yes }

// Toplevel returns the top of the work tree that git finds from a directory; see Options.
func (h *Host) Toplevel(dir string) string { return h.ask(aboutToplevel, dir).text }

// IsReadable reports whether a path is a file that everyone may read.
func (h *Host) IsReadable(path string) bool { return h.ask(aboutReading, path).yes }

// IsText reports whether every program takes what a path names for text.
func (h *Host) IsText(path string) bool { return h.ask(aboutText, lexical.CleanPath(path)).yes }

// Directories returns the directories among the matches of a pattern; see Options.
func (h *Host) Directories(pattern string) string { return h.ask(aboutMatches, pattern).text }

// Produces returns what a producer prints; see Options.
func (h *Host) Produces(name, operand, dir string) string {
	return h.ask(aboutValue, name+"\n"+operand+"\n"+dir).text
}

// Enterable reports whether directories are there for everyone.
func (h *Host) Enterable(dirs []string) bool {
	return !slices.ContainsFunc(dirs, func(dir string) bool { return !h.ask(aboutEntering, dir).yes })
}

// Enter cleans the path that cd goes to, and lists the directories that a ".." in it leaves. The shell takes ".." as it
// is written, unless given -P. If a link makes that differ from the disk, the directory counts as unknown.
func (h *Host) Enter(path string, physical bool) (clean string, passed []string, known bool) {
	clean, passed = lexical.CleanPath(path), lexical.LeftByDots(path)
	if len(passed) == 0 && !physical {
		return clean, nil, true
	}
	if physical && !h.isPlain(clean) {
		return "", nil, false
	}
	return clean, passed, !slices.ContainsFunc(passed, func(dir string) bool { return !h.isPlain(dir) })
}
