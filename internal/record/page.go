package record

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
)

// page gathers the records of one page.
type page struct {
	filter *matcher
	// after is the id to go on from, empty once it was found.
	after string
	limit int
	scan  int64

	list  []Line
	bytes int
	// last is the id of the last line that was read, and more is true if there are others after it.
	last string
	more bool
}

// visit looks at one line, and returns false when the page is done.
func (p *page) visit(line []byte) bool {
	if p.after != "" {
		if hasID(line, p.after) {
			p.after = ""
		}
		return true
	}
	read, whole := p.filter.read(line)
	if !whole {
		return true // torn by a crash, or no record
	}
	if len(p.list) == p.limit || p.bytes >= largestPage || p.scan <= 0 {
		p.more = true
		return false
	}
	p.scan -= int64(len(line))
	if p.filter.past(read) {
		return false
	}
	p.last = read.ID
	if p.filter.matches(read) {
		p.list = append(p.list, bytes.Clone(line))
		p.bytes += len(line)
	}
	return true
}

// outline is what filters look at.
type outline struct {
	ID        string       `json:"decision_id"`
	Timestamp time.Time    `json:"timestamp"`
	Call      *outlineCall `json:"call"`
	Result    *struct {
		Decision any `json:"decision"`
		Reasons  []struct {
			Rule any `json:"rule"`
			Code any `json:"code"`
		} `json:"reasons"`
		Items []struct {
			CoveredBy any `json:"covered_by"`
		} `json:"items"`
	} `json:"result"`
}

type outlineCall struct {
	SessionID any `json:"session_id"`
	Agent     any `json:"agent"`
}

// matcher is a filter, with what a line has to hold so that it can match.
type matcher struct {
	v1.RecordFilter
	needles [][]byte
}

func newMatcher(filter *v1.RecordFilter) *matcher {
	m := &matcher{RecordFilter: *filter}
	for _, text := range []string{filter.Session, filter.Agent, filter.Decision, filter.Rule, filter.Code} {
		// Only what JSON writes as it is can be looked for before the line is read.
		if text != "" && strings.Trim(text, plain) == "" {
			m.needles = append(m.needles, []byte(`"`+text+`"`))
		}
	}
	return m
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// read parses the fields for filters. whole is false for a line that isn't a record.
func (m *matcher) read(line []byte) (read *outline, whole bool) {
	id := idOf(line)
	if id == "" || line[len(line)-1] != '}' {
		return nil, false
	}
	for _, needle := range m.needles {
		if !bytes.Contains(line, needle) {
			return &outline{ID: id, Timestamp: idTime(id)}, true
		}
	}
	read = &outline{}
	if err := json.Unmarshal(line, read); err == nil {
		return read, true
	}
	// A mask can have changed anything: such a record matches no filter, and is in a list without one.
	if !json.Valid(line) {
		return nil, false
	}
	return &outline{ID: id, Timestamp: idTime(id)}, true
}

// past reports whether all following records were decided before the requested time. Records are in the order
// of writing, which can differ slightly from that of their times.
func (m *matcher) past(read *outline) bool {
	return !m.Since.IsZero() && !read.Timestamp.IsZero() && read.Timestamp.Before(m.Since.Add(-clockSlop))
}

func (m *matcher) matches(read *outline) bool {
	if m.RecordFilter == (v1.RecordFilter{}) {
		return true
	}
	if !m.Since.IsZero() && read.Timestamp.Before(m.Since) {
		return false
	}
	return m.matchesCall(read.Call) && m.matchesResult(read)
}

func (m *matcher) matchesCall(call *outlineCall) bool {
	if call == nil {
		return m.Session == "" && m.Agent == ""
	}
	return (m.Session == "" || call.SessionID == m.Session) && (m.Agent == "" || call.Agent == m.Agent)
}

func (m *matcher) matchesResult(read *outline) bool {
	if read.Result == nil {
		return m.Decision == "" && m.Rule == "" && m.Code == ""
	}
	return (m.Decision == "" || read.Result.Decision == m.Decision) &&
		(m.Rule == "" || read.ruled(m.Rule)) && (m.Code == "" || read.coded(m.Code))
}

func (o *outline) ruled(rule string) bool {
	for _, reason := range o.Result.Reasons {
		if reason.Rule == rule {
			return true
		}
	}
	for _, item := range o.Result.Items {
		if item.CoveredBy == rule {
			return true
		}
	}
	return false
}

func (o *outline) coded(code string) bool {
	for _, reason := range o.Result.Reasons {
		if reason.Code == code {
			return true
		}
	}
	return false
}

// linePrefix is how every line begins: no text of a call can be in the id's place.
const linePrefix = `{"decision_id":"`

func hasID(line []byte, id string) bool { return id != "" && idOf(line) == id }

// idOf returns the id with which a line begins, empty for a line that isn't a record.
func idOf(line []byte) string {
	rest, found := bytes.CutPrefix(line, []byte(linePrefix))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 || slices.Contains(rest[:end], '\\') {
		return ""
	}
	return string(rest[:end])
}

// clockSlop is more than the time between a decision's id, its timestamp and its
// line, and more than a clock is usually set back.
const clockSlop = 10 * time.Minute

// idTime is the time in an id (UUID of version 7), zero for other ids.
func idTime(id string) time.Time {
	digits := strings.ReplaceAll(id, "-", "")
	if len(id) != 36 || len(digits) != 32 || digits[12] != '7' {
		return time.Time{}
	}
	raw, err := hex.DecodeString(digits[:12])
	if err != nil {
		return time.Time{}
	}
	var milliseconds int64
	for _, part := range raw {
		milliseconds = milliseconds<<8 | int64(part)
	}
	return time.UnixMilli(milliseconds)
}

// firstTime is when the first record of a file was decided, by its id; zero if the id has no time.
func firstTime(file *os.File) time.Time {
	start := make([]byte, 128)
	n, err := file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return time.Time{}
	}
	return idTime(idOf(bytes.TrimSpace(start[:n])))
}
