package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

func (p *Program) approvalsCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "approvals", Short: "list, revoke and give remembered answers", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.approvalsList(), p.approvalsRevoke(), p.approvalsTrust(), p.approvalsImport())
	return command
}

// approvalText is the form in which approvals are listed and revoked (A6).
func approvalText(entry *v1.ApprovalEntry) string {
	if entry.Directory == nil {
		return entry.Verb + " anywhere"
	}
	return entry.Verb + " in " + *entry.Directory
}

func allApprovals(ctx context.Context, o *operator) ([]v1.ApprovalEntry, error) {
	return gather(ctx, o, "/v1/approvals", func(page *v1.ApprovalList) []v1.ApprovalEntry { return page.Approvals })
}

// parseApproval reads the two forms of A6 and nothing else: what is misspelt
// must not revoke, or leave, something else than was meant.
func parseApproval(args []string) (text string, err error) {
	text = strings.Join(args, " ")
	if verb, found := strings.CutSuffix(text, " anywhere"); found && plainVerb(verb) {
		return text, nil
	}
	if at := strings.LastIndex(text, " in "); at > 0 {
		verb, directory := text[:at], text[at+len(" in "):]
		if plainVerb(verb) && absoluteClean(directory) {
			return text, nil
		}
	}
	return "", fmt.Errorf(`%q is neither "<verb> in <directory>" nor "<verb> anywhere"`, text)
}

func plainVerb(verb string) bool {
	return verb != "" && verb == strings.Join(strings.Fields(verb), " ")
}

func absoluteClean(directory string) bool {
	windows := len(directory) > 2 && directory[1] == ':' && (directory[2] == '\\' || directory[2] == '/')
	return windows || filepath.IsAbs(directory) && filepath.Clean(directory) == directory
}

func (p *Program) approvalsRevoke() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use:   `revoke <verb> in <directory> | revoke <verb> anywhere`,
		Short: "forget an approval, in the form in which list shows it",
		Args:  cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			text, err := parseApproval(args)
			if err != nil {
				return failed(err, "policyd approvals list shows what can be revoked")
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				return p.revokeApprovals(ctx, o, text, asJSON)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// revokeApprovals forgets every approval of that text, of whatever audience,
// agent and tool.
func (p *Program) revokeApprovals(ctx context.Context, o *operator, text string, asJSON bool) error {
	list, err := allApprovals(ctx, o)
	if err != nil {
		return err
	}
	gone := []v1.ApprovalEntry{}
	for i := range list {
		if approvalText(&list[i]) != text {
			continue
		}
		if _, err := o.do(ctx, http.MethodDelete, "/v1/approvals/"+url.PathEscape(list[i].ID), nil, nil); err != nil {
			return err
		}
		gone = append(gone, list[i])
	}
	switch {
	case len(gone) == 0:
		return failed(fmt.Errorf("nothing to revoke: there is no approval %q", text), "policyd approvals list shows what there is")
	case asJSON:
		return p.printJSON(map[string][]v1.ApprovalEntry{"revoked": gone})
	}
	return p.say("Revoked: %s", text)
}

func (p *Program) approvalsTrust() *cobra.Command {
	var chosen settingsFlags
	var request v1.ApprovalRequest
	var audience string
	var asJSON bool
	command := &cobra.Command{
		Use: "trust-verb VERB", Short: "approve a verb anywhere", Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			request.Verb, request.Audience, request.By = strings.Join(args, " "), v1.Audience(audience), person()
			if !plainVerb(request.Verb) {
				return failed(fmt.Errorf("trust-verb takes a verb chain, such as git push, and there is %q", request.Verb),
					"policyd approvals trust-verb 'git push'")
			}
			for _, name := range []string{"agent", "tool", "audience"} {
				if flag := command.Flags().Lookup(name); flag.Value.String() == "" {
					return failed(fmt.Errorf("--%s is empty", name), "leave it out, or say what is meant")
				}
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				var kept v1.ApprovalEntry
				status, err := o.do(ctx, http.MethodPost, "/v1/approvals", request, &kept)
				if err != nil || asJSON {
					return firstError(err, func() error { return p.printJSON(&kept) })
				}
				if status == http.StatusCreated {
					return p.say("Saved: %s", approvalText(&kept))
				}
				return p.say("Unchanged: %s", approvalText(&kept))
			})
		},
	}
	command.Flags().StringVar(&audience, "audience", string(v1.AudiencePersonal), "personal, team or public")
	command.Flags().StringVar(&request.Agent, "agent", "*", "the agent, by `name`; * for all")
	command.Flags().StringVar(&request.Tool, "tool", v1.ToolShell, "the tool kind")
	command.Flags().StringVar(&request.TTL, "ttl", "", "how long it holds, such as 2h; for good unless set")
	command.Flags().BoolVar(&request.Force, "force", false, "also for a verb that runs anything")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}
