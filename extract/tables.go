package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/catalog"
	"policyd/extract/shell"
	"policyd/extract/shell/memo"
)

// additions are what operators add to the tables of extraction, out of data.policyd.settings.
type additions struct {
	SafeVerbs struct {
		Programs map[string]any `json:"programs"`
	} `json:"safe_verbs"`
	Catalog struct {
		Clients catalog.Additions `json:"clients"`
	} `json:"catalog"`
	Denied []string `json:"denied"`
}

// denied are the kinds and verbs that some agent may not use.
func (a *additions) denied() map[string]bool {
	set := make(map[string]bool, len(a.Denied))
	for _, entry := range a.Denied {
		set[entry] = true
	}
	return set
}

// deniedTools gathers the lists deny_tools of all agents.
func deniedTools(settings map[string]any) []any {
	var all []any
	agents, _ := settings["agents"].(map[string]any)
	for _, value := range agents {
		agent, _ := value.(map[string]any)
		list, _ := agent["deny_tools"].([]any)
		all = append(all, list...)
	}
	return all
}

func readAdditions(settings map[string]any) (*additions, error) {
	text, err := json.Marshal(map[string]any{"safe_verbs": programsOf(settings), "catalog": settings["catalog"], "denied": deniedTools(settings)})
	if err != nil {
		return nil, fmt.Errorf("read additions: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var read additions
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("read additions: %w", err)
	}
	return &read, nil
}

func programsOf(settings map[string]any) map[string]any {
	verbs, _ := settings["safe_verbs"].(map[string]any)
	if programs, there := verbs["programs"]; there {
		return map[string]any{"programs": programs}
	}
	return nil
}

// tables say how command lines and tool calls are read. They are safe for concurrent use.
type tables struct {
	table   *shell.Table
	lines   *memo.Memo
	catalog *catalog.Catalog
}

// with returns tables that hold an operator's programs and tools as well, and t where there
// are none.
func (t *tables) with(settings map[string]any) (*tables, error) {
	added, err := readAdditions(settings)
	if err != nil {
		return nil, err
	}
	if len(added.SafeVerbs.Programs)+len(added.Catalog.Clients) == 0 {
		return t, nil
	}
	extended := *t
	if extended.table, err = t.table.With(added.SafeVerbs.Programs); err != nil {
		return nil, fmt.Errorf("read safe_verbs: %w", err)
	}
	if extended.table != t.table {
		extended.lines = memo.New(extended.table)
	}
	if extended.catalog, err = t.catalog.With(added.Catalog.Clients, added.denied()); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	return &extended, nil
}

// CheckAdditions reports what of an operator's safe_verbs and catalog, in the shape of
// data.policyd.settings, can't be used beside its agents. A *argv.EntryError names the entry.
func (b *Base) CheckAdditions(settings map[string]any) error {
	extended, err := b.builtin.with(settings)
	if err != nil {
		return err
	}
	verbs, _ := settings["safe_verbs"].(map[string]any)
	for _, platform := range []string{"common", "linux", "darwin", "windows"} {
		if verbs[platform] == nil {
			continue
		}
		if err := checkForms(extended.table, platform, verbs[platform]); err != nil {
			return fmt.Errorf("read safe_verbs: %w", err)
		}
	}
	return nil
}

// FormRisk is the risk of an option or role of a built-in verb, as the program table marks it, or "".
func (b *Base) FormRisk(platform, verb, name, kind string) string {
	return b.builtin.table.FormRisk(platform, verb, name, kind)
}

// checkForms reports the first form of a platform that can't count.
func checkForms(table *shell.Table, platform string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("read safe forms: %w", err)
	}
	var verbs map[string][]argv.SafeForm
	if err := json.Unmarshal(text, &verbs); err != nil {
		return fmt.Errorf("read safe forms: %w", err)
	}
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		path := platform + "." + verb
		if len(verbs[verb]) == 0 {
			return &argv.EntryError{Entry: path, Message: "declares no options; add a form with the options and operands that are safe, or {form: {}} for none"}
		}
		for i := range verbs[verb] {
			form, at := &verbs[verb][i], fmt.Sprintf("%s[%d]", path, i)
			if err := form.Check(at); err != nil {
				return err
			}
			if err := table.Explains(platform, verb, form, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// Inert names the arguments of a call that change nothing of what it does: a
// description, a timeout.
func (x *Extractor) Inert(call *v1.Call) []string {
	who := x.catalog.Identify(call.Session.Agent, call.Tool, call.Protocol)
	switch {
	case who.Tool != nil:
		return who.Tool.Inert
	case who.Method != nil:
		return who.Method.Inert
	}
	return nil
}

// ContentArguments returns the names of arguments that hold file contents or
// patches in any client's tools or in any ACP method, sorted. A name that holds
// a command line elsewhere ("command") is left out: only the tool's kind can
// tell which of the two it is. What operators add takes no name away. The caller may
// keep the list.
func (x *Extractor) ContentArguments() []string {
	names := append(x.builtin.catalog.ContentArguments(), x.catalog.ContentArguments()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// ContentArguments returns those of the built-in catalog.
func (b *Base) ContentArguments() []string { return b.builtin.catalog.ContentArguments() }
