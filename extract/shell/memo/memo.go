// Package memo remembers what command lines were explained as.
package memo

import (
	"sync"

	"policyd/extract/argv"
	"policyd/extract/shell"
	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

// Bounds of a Memo. It holds two generations of at most so many lines and bytes
// each. What is longer than a person or an agent types again isn't kept; an ordinary
// line of as many commands as a line may have is.
const (
	maxKeptLines = 512
	maxKeptBytes = 7 << 18
	maxKeptLine  = 2 << 10
	maxKeptSize  = 168 << 10
	// keptBytes is what a line takes besides what it refers to, rounded up.
	keptBytes = 256
)

// Memo explains lines, and remembers what they were explained as.
//
// An explanation follows from the text, the options and the answers that the
// options' functions gave, and from nothing else. So a line is known when text
// and options are the same, and every question that it led to, put again and in
// the same order, is answered as it was: nothing about the disk is remembered.
// Lines are kept in memory alone, as they are.
//
// A Memo may be used concurrently.
type Memo struct {
	table *shell.Table
	mutex sync.RWMutex
	// young takes new lines; old holds those of before, until young is full.
	young, old map[lineKey]*explained
	bytes      int // of young
}

type lineKey struct{ line, shell, platform, home, cwd string }

// explained is a line with the questions that it led to. It is not changed once it is
// in a memo.
type explained struct {
	line    command.Line
	answers host.Answers
	size    int
}

// New returns a Memo for the lines that a table explains.
func New(table *shell.Table) *Memo {
	return &Memo{table: table, young: make(map[lineKey]*explained)}
}

// Operands are what the table knows of words that options and operands of many programs may be.
func (m *Memo) Operands() *argv.OperandWords { return &m.table.Words.Operands }

// Parse does what shell.Table.Parse does. The line that it returns is shared with other
// callers: nothing in it may be changed, nor anything appended to its lists.
func (m *Memo) Parse(line string, options *host.Options) *command.Line {
	key := lineKey{line, options.Shell, options.Platform, options.Home, options.Cwd}
	if known := m.get(key); known != nil && known.answers.Hold(options) {
		return &known.line
	}
	fresh := &explained{}
	fresh.line, fresh.answers = m.table.Explain(line, options)
	fresh.line.Detach()
	if len(line) > maxKeptLine || !fresh.answers.Repeatable() {
		return &fresh.line
	}
	fresh.size = keptBytes + key.Size() + fresh.Size()
	if fresh.size <= maxKeptSize {
		m.put(key, fresh)
	}
	return &fresh.line
}

func (m *Memo) get(key lineKey) *explained {
	m.mutex.RLock()
	known, old := m.young[key], m.old[key]
	m.mutex.RUnlock()
	if known == nil && old != nil {
		m.put(key, old) // it is asked for still
		return old
	}
	return known
}

func (m *Memo) put(key lineKey, line *explained) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if before := m.young[key]; before != nil {
		m.bytes -= before.size
	} else if len(m.young) >= maxKeptLines || m.bytes+line.size > maxKeptBytes {
		m.old, m.young, m.bytes = m.young, make(map[lineKey]*explained), 0
	}
	m.young[key] = line
	m.bytes += line.size
}
