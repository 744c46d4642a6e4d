package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/toolapprovals"
	"policyd/internal/visible"
)

// longestImport bounds the file that is imported, in bytes.
const longestImport = 8 << 20

// importing is one import.
type importing struct {
	file     string
	stateDir string
	defaults toolapprovals.Defaults
	force    bool
	dryRun   bool
	strict   bool
	asJSON   bool
}

func (p *Program) approvalsImport() *cobra.Command {
	var chosen settingsFlags
	var of importing
	var audience string
	var rules ruleImport
	command := &cobra.Command{
		Use:   "import FILE | import --from CLIENT",
		Short: "take over the approvals of a tool-approvals.json of version 2, or an agent program's own rules",
		Long: "Take over the approvals of a tool-approvals.json of version 2, as policyd approvals export writes it.\n" +
			"With --from, read the permission rules of claude, codex, gemini or opencode, show what each becomes,\n" +
			"and import what maps with --yes.",
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if rules.from != "" {
				rules.audience, rules.asJSON = v1.Audience(audience), of.asJSON
				if command.Flags().Changed("agent") {
					rules.agent = of.defaults.Agent
				}
				return p.importClient(command, &chosen, &rules, args)
			}
			if err := exactlyOne("a file")(command, args); err != nil {
				return err
			}
			for _, name := range []string{"project", "yes"} {
				if command.Flags().Changed(name) {
					return usage(fmt.Errorf("--%s goes with --from", name), "a file is imported without it")
				}
			}
			s, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			if of.file, err = filepath.Abs(args[0]); err != nil {
				return usage(fmt.Errorf("read file name: %w", err), "give the file with its path in full")
			}
			of.stateDir, of.defaults.Audience = s.StateDir, v1.Audience(audience)
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				return p.importFile(ctx, o, &of)
			})
		},
	}
	command.Flags().StringVar(&audience, "audience", string(v1.AudiencePersonal), "audience of entries that name none: personal, team or public")
	command.Flags().StringVar(&of.defaults.Agent, "agent", "*", "agent of entries that name none, by `name`; * for all")
	command.Flags().BoolVar(&of.dryRun, "dry-run", false, "only say what would be done")
	command.Flags().BoolVar(&of.force, "force", false, "also take over verbs that run anything, anywhere")
	command.Flags().BoolVar(&of.strict, "strict", false, "import nothing and exit with 2 if one of them can't be imported")
	command.Flags().BoolVar(&of.asJSON, "json", false, "print JSON")
	command.Flags().StringVar(&rules.from, "from", "", "the rules of `client`: claude, codex, gemini or opencode")
	command.Flags().StringVar(&rules.project, "project", "", "with --from, also the rules of the project in this `directory`")
	command.Flags().BoolVar(&rules.yes, "yes", false, "with --from, import what maps; without it nothing is written")
	chosen.addOperator(command)
	return command
}

// importClient imports the rules of an agent program. The flags that are about a file have
// no meaning for it.
func (p *Program) importClient(command *cobra.Command, chosen *settingsFlags, of *ruleImport, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("--from takes no file, and there is %q", args[0]), "the files of the program are found by themselves")
	}
	for _, name := range []string{"dry-run", "force", "strict"} {
		if command.Flags().Changed(name) {
			return usage(fmt.Errorf("--%s doesn't go with --from", name), "without --yes nothing is written")
		}
	}
	if err := checkAudience(of.audience); err != nil {
		return err
	}
	return p.importRules(command, chosen, of)
}

func (p *Program) importFile(ctx context.Context, o *operator, of *importing) error {
	if err := checkAudience(of.defaults.Audience); err != nil {
		return err
	}
	of.defaults.Now = time.Now()
	data, err := readImport(of.file)
	if err != nil {
		return failed(err, "name a tool-approvals.json that can be read")
	}
	entries, err := toolapprovals.Parse(data, of.defaults)
	if err != nil {
		return of.refuse(err)
	}
	request := v1.ApprovalImport{Approvals: make([]v1.ApprovalRequest, len(entries)), DryRun: of.dryRun, Partial: !of.strict}
	anywhere := 0
	for i := range entries {
		request.Approvals[i] = entries[i].Request
		request.Approvals[i].By, request.Approvals[i].Force = person(), of.force
		if entries[i].Request.Directory == nil {
			anywhere++
		}
	}
	var done v1.ApprovalImported
	if _, err := o.do(ctx, http.MethodPost, "/v1/approvals/import", request, &done); err != nil {
		return explainImport(err, entries)
	}
	for _, refused := range done.Refused {
		if refused.Index < len(entries) {
			entry := &entries[refused.Index]
			p.warn(fmt.Sprintf("%s: %s: not imported: %s", of.file, entry.Pointer, refused.Detail))
			if entry.Request.Directory == nil {
				anywhere--
			}
		}
	}
	if len(done.Refused) > 0 && len(done.Refused) == len(entries) {
		return failed(errors.New("nothing was imported"), importHint(done.Refused[0].Code))
	}
	if of.asJSON {
		return p.printJSON(done)
	}
	if len(done.Refused) > 0 {
		p.hint(importHint(done.Refused[0].Code))
		return p.show(fmt.Sprintf("%s; %d left out", importText(&done, anywhere, of.dryRun), len(done.Refused)))
	}
	return p.show(importText(&done, anywhere, of.dryRun))
}

// checkAudience refuses what would make every entry of a sound file invalid.
func checkAudience(audience v1.Audience) error {
	switch audience {
	case v1.AudiencePersonal, v1.AudienceTeam, v1.AudiencePublic:
		return nil
	}
	return usage(fmt.Errorf("audience %q is not known; allowed: personal, team, public", audience), "")
}

func readImport(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read approvals: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read approvals: %s is no regular file", file)
	case info.Size() > longestImport:
		return nil, fmt.Errorf("read approvals: %s is longer than %d bytes", file, longestImport)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	return data, nil
}

// refuse sets a file aside that can't be read (A5).
func (of *importing) refuse(reason error) error {
	ending, hint := ".invalid", "mend it and import it again; docs/prompts.md describes the form"
	var old *toolapprovals.OldError
	if errors.As(reason, &old) {
		ending, hint = ".v1.bak", "approve what is still wanted anew, with policyd approvals trust-verb or when an agent asks"
	}
	said, _ := visible.Line(reason.Error())
	if of.dryRun {
		return failed(fmt.Errorf("%s can't be imported and would be set aside as %s: %s", of.file, of.file+ending, said), hint)
	}
	moved, err := setAside(of.stateDir, of.file, ending, said)
	if err != nil {
		return failed(fmt.Errorf("%s can't be imported: %s; it can't be set aside either: %w", of.file, said, err), hint)
	}
	return failed(fmt.Errorf("%s can't be imported, so nothing was; it was set aside as %s: %s", of.file, moved, said), hint)
}

// explainImport names the place in the file of what the server refused.
func explainImport(err error, entries []toolapprovals.Entry) error {
	var refused *refusedError
	if !errors.As(err, &refused) {
		return err
	}
	var at int
	text := refused.detail
	if _, scanErr := fmt.Sscanf(text, "approvals[%d]: ", &at); scanErr == nil && at >= 0 && at < len(entries) {
		_, text, _ = strings.Cut(text, ": ")
		text = entries[at].Pointer + ": " + text
	}
	return usage(errors.New(text+"; nothing was imported"), importHint(refused.code))
}

// importHint states what to do about an approval that can't be imported.
func importHint(code string) string {
	if code == "force_needed" {
		return "--force takes over such verbs, too"
	}
	return "mend the entries that are named and import the file again: what is there already stays"
}

func importText(done *v1.ApprovalImported, anywhere int, dryRun bool) string {
	all := done.Added + done.Extended + done.Unchanged
	if done.Added+done.Extended == 0 {
		return fmt.Sprintf("Unchanged: all %d are there already", all)
	}
	text := "Imported: "
	if dryRun {
		text = "Would import: "
	}
	text += fmt.Sprintf("%d added, %d unchanged", done.Added, done.Unchanged)
	if done.Extended > 0 {
		text += fmt.Sprintf(", %d hold longer", done.Extended)
	}
	return text + fmt.Sprintf("; %d of %d hold anywhere", anywhere, all)
}
