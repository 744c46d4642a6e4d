package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/clientrules"
	"policyd/internal/sidecar"
)

// ruleImport is one import of an agent program's own rules.
type ruleImport struct {
	from, project string
	yes, asJSON   bool
	audience      v1.Audience
	agent         string
}

// importedRules is what import --from prints as JSON.
type importedRules struct {
	Files   []string             `json:"files"`
	Rules   []clientrules.Mapped `json:"rules"`
	Written bool                 `json:"written"`
	v1.ApprovalImported
}

// client is the program whose rules are imported.
func (of *ruleImport) client() (clientrules.Client, error) {
	var names []string
	for _, client := range clientrules.Clients() {
		if client.Name == of.from {
			return client, nil
		}
		names = append(names, client.Name)
	}
	return clientrules.Client{}, usage(fmt.Errorf("--from %q is not known", of.from), "it takes "+strings.Join(names, ", "))
}

// importRules maps the rules of an agent program, and imports the approvals with --yes.
func (p *Program) importRules(command *cobra.Command, chosen *settingsFlags, of *ruleImport) error {
	client, err := of.client()
	if err != nil {
		return err
	}
	if of.agent == "" {
		of.agent = client.Agent
	}
	if err := of.place(); err != nil {
		return err
	}
	s, err := p.settings(command, chosen)
	if err != nil {
		return err
	}
	rules, files, err := client.Read(clientrules.Surroundings{Home: s.Home, Env: p.LookupEnv, Project: of.project})
	var wrong *clientrules.FileError
	switch {
	case errors.As(err, &wrong):
		return failed(fmt.Errorf("%w; nothing was imported", wrong), "mend the file, and see that "+client.Name+" itself loads it")
	case err != nil:
		return err
	case len(files) == 0:
		return failed(fmt.Errorf("there are no rules of %s", client.Name), "--project DIR also reads those of a project")
	}
	commands, done, err := commandReader(command.Context(), s)
	if err != nil {
		return err
	}
	mapped := clientrules.Map(rules, clientrules.Options{
		Project: of.project, Commands: commands, Agent: of.agent, Audience: of.audience, By: person(),
	})
	done()
	return p.runOperator(command, chosen, func(ctx context.Context, o *operator) error {
		return p.sendRules(ctx, o, of, &importedRules{Files: files, Rules: mapped, Written: of.yes})
	})
}

// place makes the project an absolute directory that exists.
func (of *ruleImport) place() error {
	if of.project == "" {
		return nil
	}
	directory, err := absoluteDirectory(of.project)
	if err != nil {
		return err
	}
	info, err := os.Stat(directory)
	if err != nil || !info.IsDir() {
		return usage(fmt.Errorf("--project %s is no directory", of.project), "name the directory of the project")
	}
	of.project = directory
	return nil
}

// sendRules imports the mapped approvals that the server accepts, or asks for a dry run.
func (p *Program) sendRules(ctx context.Context, o *operator, of *ruleImport, out *importedRules) error {
	request := v1.ApprovalImport{DryRun: !of.yes, Partial: true}
	var from []int
	for i := range out.Rules {
		if out.Rules[i].Approval != nil {
			request.Approvals = append(request.Approvals, *out.Rules[i].Approval)
			from = append(from, i)
		}
	}
	out.Refused = []v1.RefusedApproval{}
	if len(from) > 0 {
		if _, err := o.do(ctx, http.MethodPost, "/v1/approvals/import", request, &out.ApprovalImported); err != nil {
			return err
		}
	}
	for _, refused := range out.Refused {
		if refused.Index < len(from) {
			rule := &out.Rules[from[refused.Index]]
			rule.Outcome, rule.Note, rule.Approval = clientrules.None, refused.Detail, nil
		}
	}
	if of.asJSON {
		return p.printJSON(out)
	}
	return p.printRules(of, out)
}

func (p *Program) printRules(of *ruleImport, out *importedRules) error {
	rows := [][]string{{"RULE", "FILE", "RESULT"}}
	anywhere, left := 0, 0
	for i := range out.Rules {
		rule := &out.Rules[i]
		rows = append(rows, []string{string(rule.Effect) + " " + rule.Text, fmt.Sprintf("%s:%d", rule.File, rule.Line), ruleResult(rule)})
		switch {
		case rule.Approval == nil:
			left++
		case rule.Approval.Directory == nil:
			anywhere++
		}
	}
	for _, line := range columns(rows, p.outWidth()) {
		if err := p.show(line); err != nil {
			return err
		}
	}
	text := "Nothing maps"
	if left < len(out.Rules) {
		text = importText(&out.ApprovalImported, anywhere, !of.yes)
	}
	if err := p.show(fmt.Sprintf("%s; %d left out; agent %s", text, left, of.agent)); err != nil {
		return err
	}
	if !of.yes && out.Added+out.Extended > 0 {
		p.hint("nothing was written; add --yes to import what maps")
	}
	return nil
}

// ruleResult is the result for a rule, in one line.
func ruleResult(rule *clientrules.Mapped) string {
	text := string(rule.Outcome)
	if rule.Approval != nil {
		entry := v1.ApprovalEntry{Verb: rule.Approval.Verb, Risks: rule.Approval.Risks, Directory: rule.Approval.Directory}
		text += ": " + entry.Words()
	}
	if rule.Note != "" {
		text += ": " + rule.Note
	}
	return text
}

// commandReader reads command lines by the program table of the settings. Bundles of
// services are left out: the server checks what it is sent with its own.
func commandReader(ctx context.Context, s *settings) (clientrules.Commands, func(), error) {
	own := *s.Config
	own.Bundles, own.Watch = nil, false
	policy, err := sidecar.NewPolicy(ctx, s.With(&own), "", slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	return func(line string) (clientrules.Command, bool) {
		items := policy.Commands(v1.ToolShell, line)
		if len(items) != 1 || items[0].Verb == "" || items[0].Caveats.Has("named_by_path") || items[0].Caveats.Has("named_by_system_path") {
			return clientrules.Command{}, false
		}
		item := &items[0]
		return clientrules.Command{
			Verb: item.Verb, Risks: policy.OptionRisks(item), RunsAnything: item.Caveats.Has("runs_anything"), Operand: len(item.Form) > 0,
		}, true
	}, policy.Close, nil
}
