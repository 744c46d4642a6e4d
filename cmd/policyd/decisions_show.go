package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

func (p *Program) decisionsShow() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use: "show ID", Short: "show one decision: call, items, reasons, policy", Args: exactlyOne("the id of a decision"),
		RunE: func(command *cobra.Command, args []string) error {
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				raw, err := readDecision(ctx, o, args[0])
				if err != nil || asJSON {
					return firstError(err, func() error { return p.printJSON(raw) })
				}
				var record v1.Record
				if err := json.Unmarshal(raw, &record); err != nil {
					return failed(fmt.Errorf("show record: %w", err), "a mask gave it another shape; --json prints it as it is")
				}
				return p.showDecision(&record)
			})
		},
	}
	addDecisions(command, &chosen, &asJSON)
	return command
}

// row is a name and its text; a row with an empty text is left out.
type row struct{ name, text string }

func (p *Program) showDecision(record *v1.Record) error {
	rows := []row{
		{"decision", decided(record)},
		{"id", record.DecisionID},
		{"time", record.Timestamp.UTC().Format(time.RFC3339Nano)},
	}
	if call := record.Call; call != nil {
		rows = append(rows, row{"agent", call.Agent}, row{"session", call.SessionID}, row{"tool", call.Tool},
			row{"directory", directoryOf(record)}, row{"call", callText(call)})
	}
	rows = append(rows, row{"policy", revision(record)}, row{"prompt", record.Result.PromptID}, row{"fault", record.Error},
		row{"mask", record.MaskError}, row{"erased", strings.Join(record.Erased, " ")}, row{"masked", strings.Join(record.Masked, " ")},
		row{"took", took(record)})
	for _, row := range rows {
		if err := p.showRow(row); err != nil {
			return err
		}
	}
	return p.showFindings(record)
}

// showRow prints a text of several lines below one another.
func (p *Program) showRow(row row) error {
	if row.text == "" {
		return nil
	}
	shown, _ := visible.Whole(row.text)
	for i, line := range strings.Split(strings.TrimRight(shown, "\n"), "\n") {
		name := row.name
		if i > 0 {
			name = ""
		}
		if err := p.say("%-10s %s", name, line); err != nil {
			return err
		}
	}
	return nil
}

// showFindings prints the items with their covers, and the reasons.
func (p *Program) showFindings(record *v1.Record) error {
	for i := range record.Result.Items {
		item := &record.Result.Items[i]
		where, cover := "", "not covered"
		if item.Directory != "" {
			where = " in " + item.Directory
		}
		if item.CoveredBy != "" {
			cover = "covered by " + item.CoveredBy
		}
		text, _ := visible.Line(fmt.Sprintf("%d %s %s%s: %s", i, item.Kind, itemText(record, i), where, cover))
		if err := p.showRow(row{"item", text}); err != nil {
			return err
		}
	}
	for _, reason := range record.Result.Reasons {
		about := ""
		if reason.Item >= 0 {
			about = fmt.Sprintf(", item %d", reason.Item)
		}
		text, _ := visible.Line(fmt.Sprintf("%s by %s (%s%s): %s", reason.Effect, reason.Rule, reason.Code, about, reason.Message))
		if err := p.showRow(row{"reason", text}); err != nil {
			return err
		}
	}
	return nil
}

// callText is the command line, or else the arguments.
func callText(call *v1.RecordCall) string {
	if line, is := call.Args["command"].(string); is {
		return line
	}
	text, err := json.Marshal(call.Args)
	if err != nil {
		return ""
	}
	return string(text)
}

// directoryOf is the directory that was judged, or that the call named.
func directoryOf(record *v1.Record) string {
	if record.Input != nil && record.Input.Cwd != "" {
		return record.Input.Cwd
	}
	return record.Call.Cwd
}

func revision(record *v1.Record) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(record.Bundles)) {
		out = append(out, name+" "+record.Bundles[name].Revision)
	}
	return strings.Join(out, ", ")
}

// took states how long the parts of the decision took.
func took(record *v1.Record) string {
	var out []string
	times := record.Metrics
	for _, part := range []struct {
		name        string
		nanoseconds int64
	}{{"facts", times.Extract}, {"policy", times.Evaluate}, {"all", times.Gate}} {
		if part.nanoseconds != 0 {
			out = append(out, part.name+" "+time.Duration(part.nanoseconds).Round(time.Microsecond).String())
		}
	}
	return strings.Join(out, ", ")
}
