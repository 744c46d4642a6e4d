package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// lineReader merges what the commands of one call have in common: see v1.LineFacts. It is reused; meanwhile
// its content belongs to the call.
type lineReader struct {
	touches, caveats v1.Set
	verbs            []verbForm
	pairs            [][2]*ast.Term
	commands         int
	// mixed is true if two commands with one verb have different kinds for one option.
	mixed bool
}

type verbForm struct {
	verb string
	form v1.Form
	// owned is true if the form isn't shared with a command.
	owned bool
}

func (l *lineReader) read(items []v1.Item) {
	for i := range items {
		item := &items[i]
		if item.Kind != v1.ItemCommand {
			continue
		}
		l.commands++
		for _, space := range item.Touches {
			l.touches.Add(space)
		}
		for _, caveat := range item.Caveats {
			l.caveats.Add(caveat)
		}
		l.add(item.Verb, item.Form)
	}
}

// reset drops the references to the call.
func (l *lineReader) reset() {
	clear(l.touches)
	clear(l.caveats)
	clear(l.verbs)
	clear(l.pairs)
	*l = lineReader{touches: l.touches[:0], caveats: l.caveats[:0], verbs: l.verbs[:0], pairs: l.pairs[:0]}
}

// summarized reports whether there are several commands, and all of them can be summarized.
func (l *lineReader) summarized() bool { return l.commands > 1 && !l.mixed }

func (l *lineReader) add(verb string, form v1.Form) {
	for i := range l.verbs {
		if known := &l.verbs[i]; known.verb == verb {
			l.mixed = l.mixed || !known.merge(form)
			return
		}
	}
	l.verbs = append(l.verbs, verbForm{verb: verb, form: form})
}

// merge reports whether the form agrees with the known entries.
func (f *verbForm) merge(form v1.Form) bool {
	if slices.Equal(f.form, form) {
		return true
	}
	for _, entry := range form {
		if kind, known := f.form.Get(entry.Name); known {
			if kind != entry.Kind {
				return false
			}
			continue
		}
		if !f.owned {
			f.form, f.owned = slices.Clone(f.form), true
		}
		f.form = append(f.form, entry)
	}
	return true
}

// line writes what the commands have together.
func (b *inputBuilder) line(items []v1.Item) *ast.Term {
	defer b.reader.reset()
	b.reader.read(items)
	if !b.reader.summarized() {
		return b.untold
	}
	for i := range b.reader.verbs {
		one := &b.reader.verbs[i]
		b.reader.pairs = append(b.reader.pairs, [2]*ast.Term{b.string(one.verb), b.form(one.form)})
	}
	forms := b.term(ast.NewObject(b.reader.pairs...))
	return b.term(b.lineObject(true, b.set(b.reader.touches), b.set(b.reader.caveats), forms))
}

func (w *vocabulary) lineObject(told bool, touches, caveats, forms *ast.Term) ast.Object {
	return ast.NewObject(
		[2]*ast.Term{w.line[0], ast.InternedTerm(told)},
		[2]*ast.Term{w.line[1], touches},
		[2]*ast.Term{w.line[2], caveats},
		[2]*ast.Term{w.line[3], forms},
	)
}
