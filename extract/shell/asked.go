package shell

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
func (w *walker) ask(about subject, path string) question {
	q := w.options.ask(about, path)
	for i := range w.asked {
		if w.asked[i].about == about && w.asked[i].path == path {
			w.unsteady = w.unsteady || w.asked[i] != q
			return q
		}
	}
	w.asked = append(w.asked, q)
	return q
}

func (w *walker) isPlain(dir string) bool     { return w.ask(aboutLinks, dir).yes }
func (w *walker) isEnterable(dir string) bool { return w.ask(aboutEntering, dir).yes }
func (w *walker) isReadable(path string) bool { return w.ask(aboutReading, path).yes }
func (w *walker) isTextual(path string) bool  { return w.ask(aboutText, path).yes }
func (w *walker) toplevel(dir string) string  { return w.ask(aboutToplevel, dir).text }
