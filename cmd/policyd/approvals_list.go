package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

func (p *Program) approvalsList() *cobra.Command {
	var chosen settingsFlags
	var asJSON, long bool
	command := &cobra.Command{
		Use: "list", Short: `list approvals, one a line: "<verb> in <directory>" or "<verb> anywhere"`, Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			s, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				if err := p.recallSetAside(s.StateDir); err != nil {
					return err
				}
				list, err := allApprovals(ctx, o)
				if err != nil || asJSON {
					return firstError(err, func() error { return p.printJSON(v1.ApprovalList{Approvals: list}) })
				}
				return p.printApprovals(list, long)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.Flags().BoolVar(&long, "long", false, "also print what a wider approval covers, for whom each one holds and until when")
	chosen.addOperator(command)
	return command
}

func (p *Program) printApprovals(list []v1.ApprovalEntry, long bool) error {
	texts := make(map[string]string, len(list))
	ids := make([]string, len(list))
	for i := range list {
		texts[list[i].ID], ids[i] = approvalText(&list[i]), list[i].ID
	}
	if len(list) == 0 {
		p.remark("there are no approvals")
	}
	short := shortIDs(ids)
	for i := range list {
		line := approvalLine(&list[i], "\t")
		if long {
			columns := []string{approvalText(&list[i])}
			if wider := texts[list[i].CoveredBy]; wider != "" {
				columns = append(columns, "(covered by "+wider+")")
			}
			columns = append(columns, approvalScope(&list[i]), "id "+short[list[i].ID])
			line = strings.Join(columns, "\t")
		}
		shown, _ := visible.Whole(line)
		if err := p.show(shown); err != nil {
			return err
		}
	}
	return nil
}

// approvalLine is the form for revoke. After a separator it lists how the approval differs from one that
// trust-verb makes by default: for the audience personal, every agent, the shell, every session and
// permanently.
func approvalLine(entry *v1.ApprovalEntry, separator string) string {
	var parts []string
	if entry.Audience != v1.AudiencePersonal {
		parts = append(parts, "audience "+string(entry.Audience))
	}
	if entry.Agent != "*" {
		parts = append(parts, "agent "+entry.Agent)
	}
	if entry.Tool != v1.ToolShell {
		parts = append(parts, "tool "+entry.Tool)
	}
	if entry.Session != "" {
		parts = append(parts, "only in chat "+entry.Session)
	}
	if entry.ExpiresAt != nil {
		parts = append(parts, "until "+moment(*entry.ExpiresAt))
	}
	text, _ := visible.Line(approvalText(entry))
	if len(parts) == 0 {
		return text
	}
	about, _ := visible.Line(strings.Join(parts, ", "))
	return text + separator + "(" + about + ")"
}

// moment is a time for people.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// approvalScope describes for whom an approval applies and until when.
func approvalScope(entry *v1.ApprovalEntry) string {
	parts := []string{"audience " + string(entry.Audience), "agent " + entry.Agent, "tool " + entry.Tool}
	if entry.Session != "" {
		parts = append(parts, "session "+entry.Session)
	}
	if entry.ExpiresAt == nil {
		return strings.Join(append(parts, "for good"), ", ")
	}
	return strings.Join(append(parts, "until "+moment(*entry.ExpiresAt)), ", ")
}
