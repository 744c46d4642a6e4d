package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/command"
)

// sequence counts the steps of a line: the statements at its top that run one after the other. What runs within
// one of them, in a loop, a function or a pipe, runs in the same step.
type sequence struct {
	step int
	// within is how many statements surround the one that is walked, beside how many of them run beside what follows.
	within, beside int
}

// begin begins a statement and returns what ends it.
func (s *sequence) begin(stmt *syntax.Stmt) (end func()) {
	if s.within == 0 {
		s.step++
	}
	list, isList := stmt.Cmd.(*syntax.BinaryCmd)
	inTurn := s.within == 0 && isList && (list.Op == syntax.AndStmt || list.Op == syntax.OrStmt) && !stmt.Background
	if !inTurn {
		s.within++
	}
	if stmt.Background {
		s.beside++
	}
	return func() {
		if !inTurn {
			s.within--
		}
		if stmt.Background {
			s.beside--
		}
	}
}

// current is the step of the command that is walked.
func (s *sequence) current() int {
	if s.beside > 0 {
		return command.AnyStep
	}
	return s.step
}
