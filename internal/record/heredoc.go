package record

import "strings"

// hereDocument is an announced here-document whose body follows.
type hereDocument struct {
	end  string
	tabs bool // leading tabs of its lines don't count
}

// withoutHereDocuments replaces the body of every here-document by its length and digest. A body without an
// end extends to the end of the text, as in a shell. Quotes around the whole are ignored: text that only
// looks like a here-document is replaced too. The facts contain the verbs of replaced text that a shell would
// run.
func withoutHereDocuments(text string) string {
	var out strings.Builder
	var waiting []hereDocument
	rest := text
	for rest != "" {
		if len(waiting) > 0 {
			body, after := cutBody(rest, waiting[0])
			waiting = waiting[1:]
			if body == "" || markerLine.MatchString(body) {
				out.WriteString(body)
			} else {
				out.WriteString(marker(body) + "\n")
			}
			var closing string
			closing, rest = cutLine(after)
			out.WriteString(closing)
			continue
		}
		var line string
		line, rest = cutLine(rest)
		out.WriteString(line)
		waiting = announced(line)
	}
	return out.String()
}

// cutLine returns the first line with its line feed.
func cutLine(text string) (line, rest string) {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return text[:end+1], text[end+1:]
	}
	return text, ""
}

// cutBody returns the lines before the one that closes the document.
func cutBody(text string, document hereDocument) (body, after string) {
	rest := text
	for rest != "" {
		line, next := cutLine(rest)
		line = strings.TrimRight(line, "\r\n")
		if document.tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == document.end {
			break
		}
		rest = next
	}
	return text[:len(text)-len(rest)], rest
}

// announced are the here-documents whose bodies begin after this line. A shift in an arithmetic expression
// and a here-string announce none.
func announced(line string) []hereDocument {
	var found []hereDocument
	var open, closed pairs
	for at := 0; at < len(line); {
		start := strings.Index(line[at:], "<<")
		if start < 0 {
			break
		}
		start += at
		at = start + 2
		if at < len(line) && line[at] == '<' {
			for at < len(line) && line[at] == '<' {
				at++
			}
			continue
		}
		if open.count(line[:start], "((") > closed.count(line[:start], "))") {
			continue
		}
		document := hereDocument{}
		if at < len(line) && line[at] == '-' {
			document.tabs = true
			at++
		}
		at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
		size := 0
		document.end, size = delimiter(line[at:])
		at += size
		if size > 0 {
			found = append(found, document)
		}
	}
	return found
}

// pairs counts a pair of bytes in growing prefixes of a line, like strings.Count: it reads each byte once.
type pairs struct{ found, seen int }

func (p *pairs) count(beginning, pair string) int {
	for {
		at := strings.Index(beginning[p.seen:], pair)
		if at < 0 {
			p.seen = max(p.seen, len(beginning)-1)
			return p.found
		}
		p.found++
		p.seen += at + len(pair)
	}
}

// delimiter reads a word without its quotes, and returns how long it was with them.
func delimiter(text string) (string, int) {
	var out strings.Builder
	var quote byte
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\n', c == '\r', quote == 0 && strings.IndexByte(" \t;|&<>()", c) >= 0:
			return out.String(), i
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'':
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), len(text)
}
