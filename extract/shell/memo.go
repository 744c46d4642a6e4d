package shell

import (
	"slices"
	"sync"
)

// Bounds of a Memo. It holds two generations of at most so many lines and bytes
// each. What is longer than a person or an agent types again isn't kept; an ordinary
// line of maxCommands is.
const (
	maxKeptLines = 512
	maxKeptBytes = 1 << 20
	maxKeptLine  = 2 << 10
	maxKeptSize  = 96 << 10
	maxQuestions = 16
)

// What the parts of a line take besides their texts, rounded up.
const (
	lineBytes     = 256
	questionBytes = 64
	commandBytes  = 512
	accessBytes   = 384
	textBytes     = 16
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
	table *Table
	mutex sync.RWMutex
	// young takes new lines; old holds those of before, until young is full.
	young, old map[lineKey]*explained
	bytes      int // of young
}

type lineKey struct{ line, shell, platform, home, cwd string }

// explained is a line with the questions that it led to. It is not changed once it is
// in a memo.
type explained struct {
	line  Line
	asked []question
	size  int
}

// NewMemo returns a Memo for the lines that a table explains.
func NewMemo(table *Table) *Memo {
	return &Memo{table: table, young: make(map[lineKey]*explained)}
}

// Parse does what Table.Parse does. The line that it returns is shared with other
// callers: nothing in it may be changed, nor anything appended to its lists.
func (m *Memo) Parse(line string, options *Options) *Line {
	key := lineKey{line, options.Shell, options.Platform, options.Home, options.Cwd}
	if known := m.get(key); known != nil && known.holds(options) {
		return &known.line
	}
	w := m.table.explain(line, options)
	defer w.release()
	fresh := &explained{line: w.line}
	fresh.line.detach()
	if len(line) > maxKeptLine || w.unsteady || len(w.asked) > maxQuestions {
		return &fresh.line
	}
	fresh.asked = slices.Clone(w.asked)
	fresh.size = fresh.measure(key)
	if fresh.size <= maxKeptSize {
		m.put(key, fresh)
	}
	return &fresh.line
}

// holds puts every question again.
func (k *explained) holds(options *Options) bool {
	for i := range k.asked {
		if options.ask(k.asked[i].about, k.asked[i].path) != k.asked[i] {
			return false
		}
	}
	return true
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

// detach drops what only the walk needs, and the room behind every list.
func (l *Line) detach() {
	for i := range l.Commands {
		c := &l.Commands[i]
		c.found, c.lines = nil, nil
		c.Form, c.Accesses, c.Dirs = slices.Clip(c.Form), slices.Clip(c.Accesses), slices.Clip(c.Dirs)
		c.Caveats, c.Variables = slices.Clip(c.Caveats), slices.Clip(c.Variables)
	}
	l.Commands, l.Messy = slices.Clip(l.Commands), slices.Clip(l.Messy)
}

// measure is how many bytes a line takes, at least: names that come from tables
// count like others.
func (k *explained) measure(key lineKey) int {
	size := lineBytes + 2*len(key.line) + len(key.home) + len(key.cwd) + texts(k.line.Messy)
	for i := range k.asked {
		size += questionBytes + len(k.asked[i].path)
	}
	for i := range k.line.Commands {
		c := &k.line.Commands[i]
		size += commandBytes + len(c.Verb) + texts(c.Dirs) + texts(c.Caveats) + texts(c.Variables) +
			texts(c.ChosenBy) + texts(c.VersionFiles) + texts(c.ReadsAbove) + texts(c.Git.Pathspecs) + texts(c.Git.Revisions) +
			texts(c.Git.Objects) + texts(c.Git.Holders) + texts(c.Git.Staged) + texts(c.Git.Patterns) + texts(c.Git.Expanded)
		for _, entry := range c.Form {
			size += 2*textBytes + len(entry.Name) + len(entry.Kind)
		}
		for j := range c.Accesses {
			size += c.Accesses[j].measure()
		}
	}
	return size
}

func (a *Access) measure() int {
	size := accessBytes + len(a.Text) + texts(a.Include) + texts(a.Exclude) + texts(a.ExcludeDir) + texts(a.Types) + texts(a.IgnoreFiles) + texts(a.Tracked) + texts(a.Commits) + texts(a.Dirs)
	if a.Landing != nil {
		for i := range a.Landing.Sources {
			size += a.Landing.Sources[i].measure()
		}
	}
	return size
}

func texts(list []string) int {
	size := 0
	for _, text := range list {
		size += textBytes + len(text)
	}
	return size
}
