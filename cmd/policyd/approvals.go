package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/sidecar"
)

func (p *Program) approvalsCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "approvals", Short: "list, revoke and give remembered answers", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(
		p.approvalsList(), p.approvalsRevoke(), p.approvalsTrust(), p.approvalsTrustProject(), p.approvalsImport(), p.approvalsExport(),
	)
	return command
}

// approvalText is the form in which approvals are listed and revoked (A6).
func approvalText(entry *v1.ApprovalEntry) string {
	return entry.Words()
}

func allApprovals(ctx context.Context, o *operator) ([]v1.ApprovalEntry, error) {
	return gather(ctx, o, "/v1/approvals", func(page *v1.ApprovalList) []v1.ApprovalEntry { return page.Approvals })
}

// parseApproval parses the two forms of A6 and nothing else: a typing error must not revoke another approval
// than the one that was meant.
func parseApproval(args []string) (text string, err error) {
	text = strings.Join(args, " ")
	if verb, found := strings.CutSuffix(text, " anywhere"); found && plainVerb(verb) {
		return text, nil
	}
	if verb, _, directory := splitPlace(text); plainVerb(verb) && absoluteClean(directory) {
		return text, nil
	}
	return "", fmt.Errorf(`%q is neither "<verb> in <directory>" nor "<verb> anywhere"`, text)
}

// splitPlace splits an approval's text into the verb, what precedes the directory, and the directory.
func splitPlace(text string) (verb, in, directory string) {
	for _, in := range []string{" in " + v1.AllWorktrees, " in "} {
		if at := strings.LastIndex(text, in); at > 0 {
			return text[:at], in, text[at+len(in):]
		}
	}
	return "", "", ""
}

// absoluteDirectory is a directory of a flag, from the root on.
func absoluteDirectory(name string) (string, error) {
	if sidecar.WindowsName(name) {
		return name, nil
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", usage(fmt.Errorf("read directory: %w", err), "give it with its path in full")
	}
	return absolute, nil
}

func plainVerb(verb string) bool {
	return verb != "" && verb == strings.Join(strings.Fields(verb), " ")
}

func absoluteClean(directory string) bool {
	return sidecar.WindowsName(directory) || filepath.IsAbs(directory) && filepath.Clean(directory) == directory
}

// revocation states which approvals are revoked: those of a text, or the one of an id, narrowed by flags.
type revocation struct {
	text, id string
	// audience, agent and tool are empty for any.
	audience, agent, tool string
	all, asJSON           bool
}

func (p *Program) approvalsRevoke() *cobra.Command {
	var chosen settingsFlags
	var of revocation
	command := &cobra.Command{
		Use:   `revoke <verb> in <directory> | revoke <verb> in all worktrees of <directory> | revoke <verb> anywhere | revoke ID`,
		Short: "forget an approval, in the form in which list shows it",
		Long: "Forget an approval: in the form in which list shows it, or by the beginning of its id (list --long). If there\n" +
			"are several for other audiences, agents or chats, none is forgotten until flags say which.",
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			var err error
			if of.text, err = parseApproval(args); err != nil {
				if len(args) != 1 || !looksLikeID(args[0]) {
					return failed(err, "policyd approvals list shows what can be revoked")
				}
				of.id = args[0]
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				return p.revokeApprovals(ctx, o, &of)
			})
		},
	}
	command.Flags().StringVar(&of.audience, "audience", "", "only those of an audience: personal, team or public")
	command.Flags().StringVar(&of.agent, "agent", "", "only those of an agent, by `name`; * for those that hold for all agents")
	command.Flags().StringVar(&of.tool, "tool", "", "only those of a tool kind")
	command.Flags().BoolVar(&of.all, "all", false, "all that match")
	command.Flags().BoolVar(&of.asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// looksLikeID reports whether a word can begin an id of policyd's.
func looksLikeID(word string) bool {
	return len(word) >= leastID && strings.Trim(word, "0123456789abcdef-") == ""
}

func (of *revocation) matches(entry *v1.ApprovalEntry) bool {
	switch {
	case of.audience != "" && of.audience != string(entry.Audience), of.agent != "" && of.agent != entry.Agent, of.tool != "" && of.tool != entry.Tool:
		return false
	case of.id != "":
		return entry.ID == of.id
	}
	return approvalText(entry) == of.text || entry.Directory != nil && slices.Contains(otherNames(of.text), approvalText(entry))
}

// otherNames are the forms of an approval whose directory has another spelling than the stored one: through a
// link, or in the form of Windows.
func otherNames(text string) []string {
	verb, in, directory := splitPlace(text)
	if verb == "" {
		return nil
	}
	verb += in
	if sidecar.WindowsName(directory) {
		return []string{verb + strings.ReplaceAll(directory, `\`, "/")}
	}
	real, err := filepath.EvalSymlinks(directory)
	if err != nil {
		return nil // it leads nowhere, and has no other name
	}
	return []string{verb + real}
}

// revokeApprovals forgets the approval that is meant. Several are forgotten if all of
// them are meant.
func (p *Program) revokeApprovals(ctx context.Context, o *operator, of *revocation) error {
	list, err := allApprovals(ctx, o)
	if err != nil {
		return err
	}
	if of.id != "" {
		ids := idsOf(list, func(entry *v1.ApprovalEntry) string { return entry.ID })
		if of.id, err = fullID("approval", "policyd approvals list --long", of.id, ids); err != nil {
			return err
		}
	}
	gone := slices.DeleteFunc(list, func(entry v1.ApprovalEntry) bool { return !of.matches(&entry) })
	switch {
	case len(gone) == 0:
		return failed(fmt.Errorf("nothing to revoke: there is no approval %q%s", of.text, of.narrowed()), "policyd approvals list shows what there is")
	case len(gone) > 1 && !of.all:
		if err := p.printApprovals(gone, true); err != nil {
			return err
		}
		return failed(fmt.Errorf("there are %d approvals %q, and nothing was revoked", len(gone), approvalText(&gone[0])),
			"say which with --audience, --agent or --tool, or by its id, or add --all for all of them")
	}
	for i := range gone {
		if _, err := o.do(ctx, http.MethodDelete, "/v1/approvals/"+url.PathEscape(gone[i].ID), nil, nil); err != nil {
			return err
		}
	}
	if of.asJSON {
		return p.printJSON(map[string][]v1.ApprovalEntry{"revoked": gone})
	}
	for i := range gone {
		if err := p.show("Revoked: " + approvalLine(&gone[i], " ")); err != nil {
			return err
		}
	}
	return nil
}

// narrowed describes the flags, for a message.
func (of *revocation) narrowed() string {
	out := ""
	for _, flag := range []struct{ name, value string }{{"audience", of.audience}, {"agent", of.agent}, {"tool", of.tool}} {
		if flag.value != "" {
			out += fmt.Sprintf(" of %s %s", flag.name, flag.value)
		}
	}
	return out
}

func (p *Program) approvalsTrust() *cobra.Command {
	var chosen settingsFlags
	var request v1.ApprovalRequest
	var audience, directory string
	var asJSON bool
	command := &cobra.Command{
		Use: "trust-verb VERB", Short: "approve a verb anywhere, or in a directory", Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			request.Verb, request.Risks = v1.ParseApprovalVerb(strings.Join(args, " "))
			request.Audience, request.By = v1.Audience(audience), person()
			if !plainVerb(request.Verb) {
				return failed(fmt.Errorf("trust-verb takes a verb chain, such as git push, and there is %q", request.Verb),
					"policyd approvals trust-verb 'git push'")
			}
			if directory != "" {
				absolute, err := absoluteDirectory(directory)
				if err != nil {
					return err
				}
				request.Directory = &absolute
			}
			if err := noneEmpty(command, "agent", "tool", "audience"); err != nil {
				return err
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				return p.saveApproval(ctx, o, &request, asJSON)
			})
		},
	}
	command.Flags().StringVar(&audience, "audience", string(v1.AudiencePersonal), "personal, team or public")
	command.Flags().StringVar(&directory, "dir", "", "only in this `directory` and below it")
	command.Flags().BoolVar(&request.Worktrees, "worktrees", false, "in every worktree of the git repository of --dir")
	command.Flags().StringVar(&request.Agent, "agent", "*", "the agent, by `name`; * for all")
	command.Flags().StringVar(&request.Tool, "tool", v1.ToolShell, "the tool kind")
	command.Flags().StringVar(&request.TTL, "ttl", "", "how long it holds, such as 2h; for good unless set")
	command.Flags().BoolVar(&request.Force, "force", false, "also for a verb that runs anything")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// noneEmpty refuses flags with an empty value.
func noneEmpty(command *cobra.Command, names ...string) error {
	for _, name := range names {
		if command.Flags().Lookup(name).Value.String() == "" {
			return failed(fmt.Errorf("--%s is empty", name), "leave it out, or say what is meant")
		}
	}
	return nil
}

// saveApproval stores an approval and returns the result.
func (p *Program) saveApproval(ctx context.Context, o *operator, request *v1.ApprovalRequest, asJSON bool) error {
	var kept v1.ApprovalEntry
	status, err := o.do(ctx, http.MethodPost, "/v1/approvals", request, &kept)
	if err != nil || asJSON {
		return firstError(err, func() error { return p.printJSON(&kept) })
	}
	what := "Unchanged"
	if status == http.StatusCreated {
		what = "Saved"
	}
	led := ""
	if kept.Directory != nil && request.Directory != nil && *kept.Directory != *request.Directory {
		led = fmt.Sprintf(" (%s leads there)", *request.Directory)
	}
	return p.say("%s: %s%s", what, approvalText(&kept), led)
}

func (p *Program) approvalsTrustProject() *cobra.Command {
	var chosen settingsFlags
	request := v1.ApprovalRequest{Tool: v1.ToolProject, Verb: v1.VerbProject}
	var audience string
	var asJSON bool
	command := &cobra.Command{
		Use: "trust-project DIR", Short: "let agents build, test, lint, format, run, edit and stage files in a project",
		Long: "Let agents build, test, lint, format, run, edit and stage files in a project without a question, which runs the project's\n" +
			"code. It covers nothing that installs, publishes, deletes, reaches outside of the project, runs program text of\n" +
			"the line, or changes a protected file. Take it back with: policyd approvals revoke project tools in DIR",
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return failed(fmt.Errorf("trust-project takes one directory, and there are %d", len(args)), "policyd approvals trust-project ~/src/app")
			}
			directory, err := absoluteDirectory(args[0])
			if err != nil {
				return err
			}
			if err := noneEmpty(command, "agent", "audience"); err != nil {
				return err
			}
			request.Directory, request.Audience, request.By = &directory, v1.Audience(audience), person()
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				return p.saveApproval(ctx, o, &request, asJSON)
			})
		},
	}
	command.Flags().StringVar(&audience, "audience", string(v1.AudiencePersonal), "personal or team")
	command.Flags().BoolVar(&request.Worktrees, "worktrees", false, "in every worktree of the project's git repository")
	command.Flags().StringVar(&request.Agent, "agent", "*", "the agent, by `name`; * for all")
	command.Flags().StringVar(&request.TTL, "ttl", "", "how long it holds, such as 2h; for good unless set")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}
