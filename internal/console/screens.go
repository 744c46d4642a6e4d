package console

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/shellquote"
)

func (c *Console) allSessions(r *http.Request) ([]v1.SessionInfo, error) {
	var all []v1.SessionInfo
	for after := ""; len(all) < mostKept; {
		page, next, err := c.options.Sessions.List(r.Context(), after, 500)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if after = next; after == "" {
			break
		}
	}
	return slices.DeleteFunc(all, func(one v1.SessionInfo) bool { return one.State == v1.SessionArchived }), nil
}

// lately is the period over which calls per minute are counted.
const lately = 10 * time.Minute

// sessionRow is an agent at work.
type sessionRow struct {
	ID, Agent, Audience, Project string
	Updated                      time.Time
	Calls, Asked, Denied         int
	Contained                    int
	PerMinute, Share             string
}

type sessionsData struct {
	Page string
	Rows []sessionRow
}

func (c *Console) sessions(w http.ResponseWriter, r *http.Request, _ Operator) {
	all, err := c.allSessions(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	known, err := c.ledger.recent(r.Context())
	if err != nil {
		known = nil // counts are left out
	}
	now := c.options.Clock()
	counted := map[string]*sessionRow{}
	recent := map[string]int{}
	for i := range known {
		one := &known[i]
		row := counted[one.Session]
		if row == nil {
			row = &sessionRow{Updated: one.At}
			counted[one.Session] = row
		}
		row.count(one)
		if now.Sub(one.At) <= lately {
			recent[one.Session]++
		}
	}
	data := sessionsData{Page: "sessions"}
	for i := range all {
		info := &all[i]
		id := shown(info.ID)
		row := sessionRow{Updated: info.UpdatedAt}
		if found := counted[id]; found != nil {
			row = *found
		}
		row.ID, row.Agent, row.Audience, row.Project = id, shown(info.Agent), string(info.Audience), shown(info.ProjectDir)
		row.PerMinute = strconv.FormatFloat(float64(recent[id])/lately.Minutes(), 'f', 1, 64)
		row.Share = percent(row.Asked, row.Calls)
		data.Rows = append(data.Rows, row)
	}
	slices.SortStableFunc(data.Rows, func(a, b sessionRow) int { return b.Updated.Compare(a.Updated) })
	c.render(w, http.StatusOK, "sessions.html", &data)
}

func (s *sessionRow) count(one *entry) {
	s.Calls++
	switch one.Effect {
	case "prompt":
		s.Asked++
	case "deny":
		s.Denied++
	}
	if one.Contained {
		s.Contained++
	}
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 0, 64) + " %"
}

// archive ends a session.
func (c *Console) archive(w http.ResponseWriter, r *http.Request, who Operator) {
	request, err := read[struct {
		Session string `json:"session"`
	}](r)
	if err == nil {
		err = c.options.Sessions.Archive(r.Context(), request.Session, v1.Caller{Operator: true, Name: who.Name})
	}
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.reply(w, http.StatusOK, map[string]any{"message": "The session has ended: its grants, its answers and its open questions are gone."})
}

// counted is a name and its frequency.
type counted struct {
	Name  string
	Count int
}

type policyData struct {
	Page string
	Status
	Rules []counted
	Known int
}

func (c *Console) policy(w http.ResponseWriter, r *http.Request, _ Operator) {
	known, err := c.ledger.recent(r.Context())
	if err != nil {
		known = nil // counts are left out
	}
	data := policyData{Page: "policy", Status: c.options.Status(), Known: len(known)}
	for i, refusal := range data.Refusals {
		data.Refusals[i] = shown(refusal)
	}
	rules := map[string]int{}
	for i := range known {
		for _, rule := range known[i].Rules {
			rules[rule]++
		}
	}
	data.Rules = most(rules)
	c.render(w, http.StatusOK, "policy.html", &data)
}

// most lists the most frequent names first.
func most(counts map[string]int) []counted {
	out := []counted{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, counted{name, counts[name]})
	}
	slices.SortStableFunc(out, func(a, b counted) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// bars is how many bars a picture has, and mostVerbs how many verbs are listed.
const (
	bars      = 24
	mostVerbs = 20
)

// The picture's size, in its own units.
const (
	pictureWidth  = 960
	pictureHeight = 240
	barGap        = 6
)

// bar is what happened in a part of the time.
type bar struct {
	X, Width           int
	Allowed, Asked     int
	Denied             int
	AllowedY, AllowedH int
	AskedY, AskedH     int
	DeniedY, DeniedH   int
	Label              string
}

// asking is a verb that prompts, and the answer that would prevent it.
type asking struct {
	Verb, Directory, Remedy string
	Count                   int
}

type ratesData struct {
	Page                          string
	Bars                          []bar
	From, To                      time.Time
	Known, Allowed, Asked, Denied int
	ShareAllowed, ShareAsked      string
	ShareDenied                   string
	Verbs                         []asking
	Width, Height                 int
}

func (c *Console) rates(w http.ResponseWriter, r *http.Request, _ Operator) {
	known, err := c.ledger.recent(r.Context())
	if err != nil {
		c.fail(w, r, err)
		return
	}
	data := ratesData{Page: "rates", Known: len(known), Width: pictureWidth, Height: pictureHeight, To: c.options.Clock()}
	if len(known) > 0 {
		data.From = known[len(known)-1].At
		data.Bars = barsOf(known, data.From, data.To)
	}
	for i := range data.Bars {
		data.Allowed += data.Bars[i].Allowed
		data.Asked += data.Bars[i].Asked
		data.Denied += data.Bars[i].Denied
	}
	data.ShareAllowed, data.ShareAsked = percent(data.Allowed, data.Known), percent(data.Asked, data.Known)
	data.ShareDenied = percent(data.Denied, data.Known)
	data.Verbs = askingMost(known)
	c.render(w, http.StatusOK, "rates.html", &data)
}

func barsOf(known []entry, from, to time.Time) []bar {
	out := make([]bar, bars)
	step := max(to.Sub(from)/bars, time.Second)
	for i := range known {
		one := &out[min(max(int(known[i].At.Sub(from)/step), 0), bars-1)]
		switch known[i].Effect {
		case "allow":
			one.Allowed++
		case "prompt":
			one.Asked++
		default:
			one.Denied++
		}
	}
	width := pictureWidth / bars
	highest := 1
	for i := range out {
		highest = max(highest, out[i].Allowed+out[i].Asked+out[i].Denied)
	}
	for i := range out {
		one := &out[i]
		one.X, one.Width = i*width+barGap/2, width-barGap
		one.AllowedH, one.AskedH, one.DeniedH = one.Allowed*pictureHeight/highest, one.Asked*pictureHeight/highest, one.Denied*pictureHeight/highest
		one.AllowedY = pictureHeight - one.AllowedH
		one.AskedY = one.AllowedY - one.AskedH
		one.DeniedY = one.AskedY - one.DeniedH
		one.Label = from.Add(time.Duration(i) * step).UTC().Format("01-02 15:04")
	}
	return out
}

// askingMost lists the verbs that prompted most, with the answer that would have covered most of it.
func askingMost(known []entry) []asking {
	verbs, where := map[string]int{}, map[string]map[string]int{}
	for i := range known {
		if known[i].Effect != "prompt" {
			continue
		}
		seen := map[string]bool{}
		for _, item := range known[i].Items {
			if item.CoveredBy != "" || item.Verb == "" || seen[item.Verb] {
				continue
			}
			seen[item.Verb] = true
			verbs[item.Verb]++
			if where[item.Verb] == nil {
				where[item.Verb] = map[string]int{}
			}
			where[item.Verb][item.Directory]++
		}
	}
	var out []asking
	for _, verb := range most(verbs) {
		if len(out) == mostVerbs {
			break
		}
		directory := most(where[verb.Name])[0].Name
		remedy := "policyd approvals trust-verb " + shellquote.Join([]string{verb.Name})
		if directory != "" {
			remedy += " --dir " + shellquote.Join([]string{directory})
		}
		out = append(out, asking{Verb: verb.Name, Count: verb.Count, Directory: directory, Remedy: remedy})
	}
	return out
}
