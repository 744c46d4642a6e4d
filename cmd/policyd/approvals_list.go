package main

import (
	"context"
	"strings"

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
	for i := range list {
		texts[list[i].ID] = approvalText(&list[i])
	}
	for i := range list {
		columns := []string{approvalText(&list[i])}
		if wider := texts[list[i].CoveredBy]; long && wider != "" {
			columns = append(columns, "(covered by "+wider+")")
		}
		if long {
			columns = append(columns, approvalScope(&list[i]))
		}
		for n := range columns {
			columns[n], _ = visible.Line(columns[n])
		}
		if err := p.show(strings.Join(columns, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// approvalScope says for whom an approval holds and until when.
func approvalScope(entry *v1.ApprovalEntry) string {
	parts := []string{"audience " + string(entry.Audience), "agent " + entry.Agent, "tool " + entry.Tool}
	if entry.Session != "" {
		parts = append(parts, "session "+entry.Session)
	}
	if entry.ExpiresAt == nil {
		return strings.Join(append(parts, "for good"), ", ")
	}
	return strings.Join(append(parts, "until "+entry.ExpiresAt.UTC().Format("2006-01-02 15:04:05 UTC")), ", ")
}
