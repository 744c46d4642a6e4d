package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/value"
)

// openArchives notes the archives that options named, once all options are
// known: tar -t reads what tar -c writes. An archive named host:file lies on
// another machine, which tar asks for it.
func (o operandReader) openArchives() {
	op, kind := v1.OpWrite, "write"
	if slices.ContainsFunc(o.program.Reading, o.hasAll) {
		op, kind = v1.OpRead, "read"
	}
	for i, word := range o.archives {
		if strings.Contains(word.Text, ":") {
			o.c.Caveats.Add("network")
			o.c.Caveats.Add("executes")
		}
		o.variables(word)
		o.accessAs(value.AsArchive, word, op, false)
		o.c.Form.Put(o.archiveOptions[i], kind)
	}
}

// hasAll reports whether a command is given each of some options, with blanks between them.
func (o operandReader) hasAll(options string) bool {
	return !slices.ContainsFunc(strings.Fields(options), func(option string) bool { return !o.has(option) })
}

// packedSuffixes are what programs that unpack add to a name when nothing has
// it as it stands (gzip(1), unzip(1)).
var packedSuffixes = []string{".gz", ".z", "-gz", "-z", "_z", ".Z", ".tgz", ".taz", ".bz2", ".xz", ".lzma", ".zst", ".zip", ".ZIP"}

// readPacked is a file that is read unpacked. Some of the programs are scripts
// that put the name into a text for sed, and others match it as a pattern, so
// that it has to be a plain one.
func readPacked(e *effects, word Word) {
	if word.Kind == Glob {
		word.Split = true
	}
	from := len(e.c.Accesses)
	e.access(word, v1.OpRead, false)
	for i := from; i < len(e.c.Accesses); i++ {
		e.c.Accesses[i].Inner = true
	}
	if word.Kind != Literal {
		return
	}
	if !plainFile(word.Text) {
		e.c.Caveats.Add("unknown_option")
	}
	for _, suffix := range packedSuffixes {
		e.c.Accesses = append(e.c.Accesses, Access{Text: word.Text + suffix, Op: v1.OpRead, Naming: ByName, Presence: IfExists})
	}
}

// moduleSuffixes are what node adds to a name when nothing has it as it stands.
var moduleSuffixes = []string{".js", ".json", ".node", ".mjs", ".cjs"}

// readModule is a file that node reads, which may be named without its suffix. For a
// directory of that name it reads a file that another one names.
func readModule(e *effects, word Word) {
	from := len(e.c.Accesses)
	e.access(word, v1.OpRead, false)
	for i := from; i < len(e.c.Accesses); i++ {
		if a := &e.c.Accesses[i]; a.Below == Tree {
			e.c.Caveats.Add("reaches_unknown")
		} else {
			a.Below = Module
		}
	}
	if word.Kind != Literal {
		return
	}
	for _, suffix := range moduleSuffixes {
		e.c.Accesses = append(e.c.Accesses, Access{Text: word.Text + suffix, Op: v1.OpRead, Naming: ByName, Presence: IfExists})
	}
}

func plainFile(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x80 && !value.IsNameByte(c) && strings.IndexByte("./-+=,%", c) < 0 {
			return false
		}
	}
	return true
}

// noAtFiles refuses words that begin with "@", or may: the GNU binary tools
// take further arguments from the file that such a word names.
func (r commandReader) noAtFiles() {
	for _, word := range r.args.Words {
		if strings.HasPrefix(word.Text, "@") {
			r.risk(argv.Shortened(word.Text))
			r.c.Form.Put("<@file>", "unknown")
		}
		if strings.HasPrefix(word.Text, "@") || word.Kind != Literal && !r.beginsPlain(word, "@") {
			r.c.Caveats.Add("unknown_option")
		}
	}
}
