package console

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// mostKept is how many decisions the console keeps, the newest.
const mostKept = 5000

// ledgerPage is how many records are read at a time.
const ledgerPage = 200

// entry is what pages need of a decision. Its texts are visible ones.
type entry struct {
	ID                         string
	At                         time.Time
	Effect                     string
	Agent, Session, Tool, Text string
	Cwd, Prompt                string
	Items                      []v1.DecisionItem
	// Rules decided or covered.
	Rules     []string
	Contained bool
	Cut       bool
}

// ledger keeps the newest decisions, so that pages don't read the whole log again. It may be used
// concurrently. It reads nothing before the first page.
type ledger struct {
	decisions Decisions

	mu      sync.Mutex
	entries []entry // the newest first
}

// recent reads what is new and returns the newest decisions first. The slice isn't changed.
func (l *ledger) recent(ctx context.Context) ([]entry, error) {
	if l.decisions == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := ""
	if len(l.entries) > 0 {
		known = l.entries[0].ID
	}
	var fresh []entry
	for after, done := "", false; !done && len(fresh) < mostKept; {
		page, next, err := l.decisions.List(ctx, v1.RecordFilter{}, after, ledgerPage)
		if err != nil {
			return nil, err
		}
		for _, line := range page {
			read := outline(line)
			if read.ID == known && known != "" {
				done = true
				break
			}
			fresh = append(fresh, read)
		}
		after = next
		done = done || next == ""
	}
	all := slices.Concat(fresh, l.entries)
	l.entries = slices.Clip(all[:min(len(all), mostKept)])
	return l.entries, nil
}

// mostText is how much of a call a list shows.
const mostText = 300

// outline reads what is needed of a record.
func outline(line []byte) entry {
	var record struct {
		ID        string    `json:"decision_id"`
		Timestamp time.Time `json:"timestamp"`
		Call      *struct {
			Tool      string          `json:"tool"`
			Args      json.RawMessage `json:"args"`
			Cwd       string          `json:"cwd"`
			SessionID string          `json:"session_id"`
			Agent     string          `json:"agent"`
		} `json:"call"`
		Result struct {
			Decision    string            `json:"decision"`
			Reasons     []v1.Reason       `json:"reasons"`
			Items       []v1.DecisionItem `json:"items"`
			PromptID    string            `json:"prompt_id"`
			Obligations []json.RawMessage `json:"obligations"`
		} `json:"result"`
	}
	if json.Unmarshal(line, &record) != nil && record.ID == "" {
		return entry{Effect: "deny", Text: "(a mask gave this record another shape)"}
	}
	out := entry{
		ID: record.ID, At: record.Timestamp, Effect: record.Result.Decision, Prompt: record.Result.PromptID,
		Contained: len(record.Result.Obligations) > 0,
	}
	if record.Call != nil {
		out.Agent, out.Session, out.Tool = shown(record.Call.Agent), shown(record.Call.SessionID), shown(record.Call.Tool)
		out.Cwd = shown(record.Call.Cwd)
		out.Text, out.Cut = brief(callText(record.Call.Args))
	}
	for _, item := range record.Result.Items {
		item.Verb, item.Directory = shown(item.Verb), shown(item.Directory)
		out.Items = append(out.Items, item)
		out.rule(item.CoveredBy)
	}
	for i := range record.Result.Reasons {
		out.rule(record.Result.Reasons[i].Rule)
	}
	return out
}

func (e *entry) rule(id string) {
	if id != "" && !slices.Contains(e.Rules, id) {
		e.Rules = append(e.Rules, id)
	}
}

// callText is the command line or the path of a call, or else its arguments.
func callText(args json.RawMessage) string {
	var known map[string]any
	if json.Unmarshal(args, &known) == nil {
		for _, name := range []string{"command", "file_path", "filePath", "path", "url"} {
			if text, is := known[name].(string); is && text != "" {
				return text
			}
		}
	}
	return string(args)
}

func shown(text string) string {
	out, _ := visible.Line(text)
	return out
}

// brief is a text on one line, cut with a mark if it is long.
func brief(text string) (out string, cut bool) {
	out = shown(visible.Fold(text))
	if len(out) > mostText {
		return strings.ToValidUTF8(out[:mostText], "") + "…", true
	}
	return out, false
}

// filter narrows decisions. What is empty narrows nothing.
type filter struct{ Session, Agent, Effect, Rule, Verb, Path string }

func (f *filter) matches(e *entry) bool {
	switch {
	case f.Session != "" && e.Session != f.Session, f.Agent != "" && e.Agent != f.Agent, f.Effect != "" && e.Effect != f.Effect:
		return false
	case f.Rule != "" && !slices.Contains(e.Rules, f.Rule):
		return false
	case f.Verb != "" && !slices.ContainsFunc(e.Items, func(item v1.DecisionItem) bool {
		return item.Verb == f.Verb || strings.HasPrefix(item.Verb, f.Verb+" ")
	}):
		return false
	case f.Path != "" && !strings.Contains(e.Text, f.Path) && !strings.Contains(e.Cwd, f.Path) &&
		!slices.ContainsFunc(e.Items, func(item v1.DecisionItem) bool { return strings.Contains(item.Directory, f.Path) }):
		return false
	}
	return true
}
