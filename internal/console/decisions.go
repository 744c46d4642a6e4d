package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/render"
	"policyd/internal/visible"
)

// perPage is how many rows a page has.
const perPage = 100

// decisionsData is a page of decisions.
type decisionsData struct {
	Page    string
	Filter  filter
	Entries []entry
	// Found counts the matches among Known.
	Found, Known int
	// Newer and Older are the addresses of the pages around this one, empty for none.
	Newer, Older string
	Off          bool
}

func (c *Console) decisions(w http.ResponseWriter, r *http.Request, _ Operator) {
	all, err := c.ledger.recent(r.Context())
	if err != nil {
		c.fail(w, r, err)
		return
	}
	query := r.URL.Query()
	data := decisionsData{
		Page: "decisions", Off: c.options.Decisions == nil, Known: len(all),
		Filter: filter{
			Session: query.Get("session"), Agent: query.Get("agent"), Effect: query.Get("effect"), Rule: query.Get("rule"),
			Verb: query.Get("verb"), Path: query.Get("path"),
		},
	}
	from, err := strconv.Atoi(query.Get("from"))
	if err != nil || from < 0 {
		from = 0
	}
	for i := range all {
		if !data.Filter.matches(&all[i]) {
			continue
		}
		if data.Found >= from && len(data.Entries) < perPage {
			data.Entries = append(data.Entries, all[i])
		}
		data.Found++
	}
	if from > 0 {
		data.Newer = pageOf(query, max(from-perPage, 0))
	}
	if from+perPage < data.Found {
		data.Older = pageOf(query, from+perPage)
	}
	if query.Has("rows") {
		c.renderPart(w, http.StatusOK, "decisions.html", "rows", &data)
		return
	}
	c.render(w, http.StatusOK, "decisions.html", &data)
}

func pageOf(query url.Values, from int) string {
	next := url.Values{}
	for name, values := range query {
		if name != "rows" && name != "from" {
			next[name] = values
		}
	}
	next.Set("from", strconv.Itoa(from))
	return Root + "/decisions?" + next.Encode()
}

// decisionData is one decision, explained.
type decisionData struct {
	Page   string
	ID     string
	At     time.Time
	Effect string
	Facts  []pair
	Code   []render.Segment
	Items  []itemRow
	// Reasons are the findings that decided.
	Reasons     []v1.Reason
	Explanation *v1.Explanation
	Prompt      string
	// Changed is true if another policy is active now: the explanation is of that one.
	Changed bool
	// Record is the record as it is in the log.
	Record []render.Segment
}

type pair struct{ Name, Value string }

type itemRow struct {
	v1.DecisionItem
	Number int
}

func (c *Console) decision(w http.ResponseWriter, r *http.Request, _ Operator) {
	if c.options.Decisions == nil {
		c.refuse(w, r, http.StatusServiceUnavailable, "there is no decision log to read here")
		return
	}
	line, err := c.options.Decisions.Record(r.Context(), r.PathValue("id"))
	if err != nil {
		c.fail(w, r, err)
		return
	}
	var record v1.Record
	read := json.Unmarshal(line, &record) == nil
	data := decisionData{Page: "decisions", ID: shown(r.PathValue("id")), Record: segmentsOf(indented(line))}
	if !read {
		c.render(w, http.StatusOK, "decision.html", &data)
		return
	}
	data.At, data.Effect, data.Prompt = record.Timestamp, record.Result.Decision.String(), record.Result.PromptID
	c.describe(r, &data, &record)
	c.render(w, http.StatusOK, "decision.html", &data)
}

// describe fills in the fields from a record.
func (c *Console) describe(r *http.Request, data *decisionData, record *v1.Record) {
	add := func(name, value string) {
		if value != "" {
			data.Facts = append(data.Facts, pair{name, shown(value)})
		}
	}
	if call := record.Call; call != nil {
		args, err := json.Marshal(call.Args)
		if err == nil {
			data.Code = segmentsOf(callText(args))
		}
		add("agent", call.Agent)
		add("session", call.SessionID)
		add("tool", call.Tool)
		add("directory", call.Cwd)
	}
	now := c.options.Status().Revision
	for name, bundle := range record.Bundles {
		add("policy", name+" "+bundle.Revision)
		data.Changed = data.Changed || len(record.Bundles) == 1 && bundle.Revision != now && now != ""
	}
	add("fault", record.Error)
	add("mask", record.MaskError)
	for i, item := range record.Result.Items {
		item.Verb, item.Directory = shown(item.Verb), shown(item.Directory)
		data.Items = append(data.Items, itemRow{item, i})
	}
	for _, reason := range record.Result.Reasons {
		reason.Message = shown(reason.Message)
		data.Reasons = append(data.Reasons, reason)
	}
	if c.options.Explain != nil && record.Input != nil {
		data.Explanation = c.options.Explain(r.Context(), record)
	}
}

func indented(line []byte) string {
	var value any
	if json.Unmarshal(line, &value) != nil {
		return string(line)
	}
	out, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return string(line)
	}
	return string(out)
}

// segmentsOf makes a text of any length visible.
func segmentsOf(text string) []render.Segment {
	whole, altered := visible.Whole(visible.Fold(text))
	return render.Segments(whole, altered)
}
