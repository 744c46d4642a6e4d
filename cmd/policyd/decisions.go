package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

func (p *Program) decisionsCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "decisions", Short: "show what was decided, and judge it again", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.decisionsList(), p.decisionsShow(), p.decisionsReplay())
	return command
}

// decisionsFlags narrow a list of records.
type decisionsFlags struct {
	session, agent, decision, rule, code, since string
	limit                                       int
}

// usualList is about a screen.
const usualList = 50

func (f *decisionsFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.session, "session", "", "`id` of a session")
	flags.StringVar(&f.agent, "agent", "", "`name` of an agent")
	flags.StringVar(&f.decision, "decision", "", "allow, prompt or deny")
	flags.StringVar(&f.rule, "rule", "", "`id` of a rule that decided or covered")
	flags.StringVar(&f.code, "code", "", "`code` of a reason")
	flags.StringVar(&f.since, "since", "", "`time` such as 2026-01-02T15:04:05Z, or how long ago, such as 90m")
	flags.IntVar(&f.limit, "limit", usualList, "how many at most; 0 for all")
}

// path is the request for the list.
func (f *decisionsFlags) path() string {
	values := url.Values{}
	for name, value := range map[string]string{
		"session": f.session, "agent": f.agent, "decision": f.decision, "rule": f.rule, "code": f.code, "since": f.since,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	const largest = 1000
	limit := largest
	if f.limit > 0 {
		limit = min(f.limit, largest)
	}
	values.Set("limit", strconv.Itoa(limit))
	return "/v1/decisions?" + values.Encode()
}

func (p *Program) decisionsList() *cobra.Command {
	var chosen settingsFlags
	var flags decisionsFlags
	var asJSON bool
	command := &cobra.Command{
		Use:   "list",
		Short: "list decisions, the newest first: time, decision, agent, session, what, rule, message",
		Long: "List decisions from the decision log, the newest first, one a line: time, decision, agent, session, what\n" +
			"was asked, the rule that decided and what it says, and the id that `show` takes.",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if flags.limit < 0 {
				return usage(fmt.Errorf("--limit is %d; a number from 0 on, 0 for all", flags.limit), "run "+command.CommandPath()+" --help")
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				list, err := gatherDecisions(ctx, o, &flags)
				if err != nil || asJSON {
					return firstError(err, func() error { return p.printJSON(rawList{Decisions: list}) })
				}
				return p.printDecisions(list)
			})
		},
	}
	flags.add(command)
	addDecisions(command, &chosen, &asJSON)
	return command
}

// addDecisions adds the flags of the commands that read the log.
func addDecisions(command *cobra.Command, chosen *settingsFlags, asJSON *bool) {
	command.Flags().BoolVar(asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	chosen.add(command, "decision_log.file", "log-file", "decision log `file`, read where no server runs")
}

// rawList is v1.RecordList with records as they are in the log.
type rawList struct {
	Decisions []json.RawMessage `json:"decisions"`
}

// gatherDecisions reads pages until there are as many as are wanted.
func gatherDecisions(ctx context.Context, o *operator, flags *decisionsFlags) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	err := pages(ctx, o, flags.path(), func(text json.RawMessage) error {
		var page rawList
		if err := json.Unmarshal(text, &page); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		list = append(list, page.Decisions...)
		if flags.limit > 0 && len(list) >= flags.limit {
			list = list[:flags.limit]
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

// printDecisions prints a line each, in columns: all of each decision for programs, and
// below a header what fits the terminal for people.
func (p *Program) printDecisions(list []json.RawMessage) error {
	if len(list) == 0 {
		p.remark("no decision is recorded that matches")
		return nil
	}
	rows := make([][]string, 0, len(list))
	width := p.outWidth()
	ids := make([]string, 0, len(list))
	for _, raw := range list {
		row := decisionRow(raw)
		ids = append(ids, row[len(row)-1])
		rows = append(rows, row)
	}
	if width > 0 {
		short := shortIDs(ids)
		for i, row := range rows {
			rows[i] = []string{ago(row[0], time.Now()), row[1], row[2], row[4], short[row[7]], row[6]}
		}
		rows = slices.Insert(rows, 0, []string{"AGE", "DECISION", "AGENT", "WHAT", "ID", "MESSAGE"})
	}
	return p.show(strings.Join(columns(rows, width), "\n"))
}

// decisionRow is a record in one line. A mask can have given it a form that shows only its id.
func decisionRow(raw json.RawMessage) []string {
	var record v1.Record
	if err := json.Unmarshal(raw, &record); err != nil {
		var bare struct {
			ID string `json:"decision_id"`
		}
		_ = json.Unmarshal(raw, &bare) // an id that isn't text is shown as none
		return []string{"-", "-", "-", "-", "-", "-", "masked; show --json prints it", bare.ID}
	}
	agent, session := "-", "-"
	if record.Call != nil {
		agent, session = orDash(record.Call.Agent), orDash(record.Call.SessionID)
	}
	rule, message := "-", "-"
	item := -1
	if len(record.Result.Reasons) > 0 {
		first := &record.Result.Reasons[0]
		rule, message, item = orDash(first.Rule), orDash(first.Message), first.Item
	}
	return []string{
		record.Timestamp.UTC().Format(time.RFC3339), decided(&record), agent, session, orDash(subject(&record, item)),
		rule, message, record.DecisionID,
	}
}

// decided is the decision, unless a mask removed it: then the decoded value is the zero value, which isn't a
// decision.
func decided(record *v1.Record) string {
	if decisionTouched(record) {
		return "-"
	}
	return record.Result.Decision.String()
}

// decisionTouched reports whether a mask erased or changed what was decided.
func decisionTouched(record *v1.Record) bool {
	touched := func(pointer string) bool { return pointer == "/result" || pointer == "/result/decision" }
	return slices.ContainsFunc(record.Erased, touched) || slices.ContainsFunc(record.Masked, touched)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// subject is what a decision is about: the item of its first reason, or the first,
// and how many others there are.
func subject(record *v1.Record, item int) string {
	items := record.Result.Items
	if len(items) == 0 {
		if record.Call != nil {
			return record.Call.Tool
		}
		return ""
	}
	if item < 0 || item >= len(items) {
		item = 0
	}
	text := itemText(record, item)
	if others := len(items) - 1; others > 0 {
		text += fmt.Sprintf(" (+%d)", others)
	}
	return text
}

// itemText is a verb, followed by its path if it has one.
func itemText(record *v1.Record, item int) string {
	text := record.Result.Items[item].Verb
	if record.Input == nil || item >= len(record.Input.Items) {
		return text
	}
	if path := record.Input.Items[item].Path; path >= 0 && path < len(record.Input.Paths) {
		text += " " + record.Input.Paths[path].Real
	}
	return text
}

// readDecision fetches one record.
func readDecision(ctx context.Context, o *operator, id string) (json.RawMessage, error) {
	id, err := decisionID(ctx, o, id)
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	_, err = o.do(ctx, http.MethodGet, "/v1/decisions/"+url.PathEscape(id), nil, &raw)
	return raw, err
}
