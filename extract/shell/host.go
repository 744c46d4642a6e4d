package shell

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

// host answers questions about the disk that a line is explained on.
type host struct {
	options Options
	answers
	few [2]question
}

// answers are the questions that were asked while a line was explained, and what the surroundings said.
type answers struct {
	asked []question
	// unsteady is true if a question was answered in two ways.
	unsteady bool
}

// maxQuestions is how many questions are put again.
const maxQuestions = 16

// repeatable reports whether the questions can be put again.
func (a *answers) repeatable() bool { return !a.unsteady && len(a.asked) <= maxQuestions }

// hold puts every question again, and reports whether all are answered as they were.
func (a *answers) hold(options *Options) bool {
	return !slices.ContainsFunc(a.asked, func(q question) bool { return options.ask(q.about, q.path) != q })
}

// begin begins to answer by options.
func (h *host) begin(options *Options) { h.options, h.asked = *options, h.few[:0] }

// said returns a copy of the answers so far.
func (h *host) said() answers { return answers{asked: slices.Clone(h.asked), unsteady: h.unsteady} }

// join adds the answers that another explanation of the line got.
func (h *host) join(other *host) {
	h.asked = append(slices.Clip(h.asked), other.asked...)
	h.unsteady = h.unsteady || other.unsteady
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

// ask does the same, and keeps what was said: with the line, the options and
// these answers the explanation is settled.
func (h *host) ask(about subject, path string) question {
	q := h.options.ask(about, path)
	for i := range h.asked {
		if h.asked[i].about == about && h.asked[i].path == path {
			h.unsteady = h.unsteady || h.asked[i] != q
			return q
		}
	}
	h.asked = append(h.asked, q)
	return q
}

func (h *host) isPlain(dir string) bool     { return h.ask(aboutLinks, dir).yes }
func (h *host) isEnterable(dir string) bool { return h.ask(aboutEntering, dir).yes }
func (h *host) isReadable(path string) bool { return h.ask(aboutReading, path).yes }
func (h *host) isTextual(path string) bool  { return h.ask(aboutText, path).yes }
func (h *host) toplevel(dir string) string  { return h.ask(aboutToplevel, dir).text }

// directories returns the directories among the matches of a pattern; see Options.
func (h *host) directories(pattern string) string { return h.ask(aboutMatches, pattern).text }

// produces returns what a producer prints; see Options.
func (h *host) produces(name, operand, dir string) string {
	return h.ask(aboutValue, name+"\n"+operand+"\n"+dir).text
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

func (h *host) isText(path string) bool { return h.isTextual(lexical.CleanPath(path)) }

// enterable reports whether directories are there for everyone.
func (h *host) enterable(dirs []string) bool {
	return !slices.ContainsFunc(dirs, func(dir string) bool { return !h.isEnterable(dir) })
}

// enter cleans the path that cd goes to, and lists the directories that a ".."
// in it leaves. The shell takes ".." as it is written, unless told -P; where a
// link makes that differ from the disk, the directory counts as unknown.
func (h *host) enter(path string, physical bool) (clean string, passed []string, known bool) {
	clean, passed = lexical.CleanPath(path), lexical.LeftByDots(path)
	if len(passed) == 0 && !physical {
		return clean, nil, true
	}
	if physical && !h.isPlain(clean) {
		return "", nil, false
	}
	return clean, passed, !slices.ContainsFunc(passed, func(dir string) bool { return !h.isPlain(dir) })
}
