package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/approvalbundle"
	"policyd/internal/toolapprovals"
)

// export is one export of approvals.
type export struct {
	bundle, project string
	audience, agent string
}

func (p *Program) approvalsExport() *cobra.Command {
	var chosen settingsFlags
	var of export
	command := &cobra.Command{
		Use:   "export",
		Short: "print approvals as JSON that import takes back, or write a bundle of them",
		Long: "Print the approvals in the form of policyd approvals import, or with --bundle write a bundle that covers what\n" +
			"they cover, to be committed, reviewed and loaded with --bundle of policyd serve.",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if of.project != "" && of.bundle == "" {
				return usage(errors.New("--project goes with --bundle"), "a file keeps directories as they are")
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				list, err := allApprovals(ctx, o)
				if err != nil {
					return err
				}
				list = slices.DeleteFunc(list, func(entry v1.ApprovalEntry) bool {
					return of.audience != "" && of.audience != string(entry.Audience) || of.agent != "" && of.agent != entry.Agent
				})
				if of.bundle != "" {
					return p.exportBundle(list, &of)
				}
				return p.exportFile(list)
			})
		},
	}
	command.Flags().StringVar(&of.bundle, "bundle", "", "write a bundle into this `directory`")
	command.Flags().StringVar(&of.project, "project", "", "with --bundle, let approvals in this `directory` hold in the project of every session")
	command.Flags().StringVar(&of.audience, "audience", "", "only those of an audience: personal, team or public")
	command.Flags().StringVar(&of.agent, "agent", "", "only those of an agent, by `name`; * for those that hold for all agents")
	chosen.addState(command) // --bundle is the destination of the export
	chosen.addRunDir(command)
	return command
}

// exportFile prints what import accepts.
func (p *Program) exportFile(list []v1.ApprovalEntry) error {
	kept := slices.DeleteFunc(slices.Clone(list), func(entry v1.ApprovalEntry) bool { return entry.Session != "" })
	if left := len(list) - len(kept); left > 0 {
		p.remark(fmt.Sprintf("%d left out: they hold for one chat", left))
	}
	return p.printJSON(toolapprovals.Export(kept))
}

// exportBundle writes a bundle.
func (p *Program) exportBundle(list []v1.ApprovalEntry, of *export) error {
	project := ""
	if of.project != "" {
		absolute, err := absoluteDirectory(of.project)
		if err != nil {
			return err
		}
		if project, err = filepath.EvalSymlinks(absolute); err != nil {
			return usage(fmt.Errorf("read project: %w", err), "name the directory of the project")
		}
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(entry v1.ApprovalEntry) bool { return !approvalbundle.Fits(&entry) })
	files, err := approvalbundle.Files(kept, filepath.ToSlash(project))
	if err != nil {
		return failed(err, "")
	}
	if err := approvalbundle.Write(of.bundle, files); err != nil {
		if errors.Is(err, approvalbundle.ErrOccupied) {
			return usage(err, "name a new directory, or one that an export wrote")
		}
		return failed(err, "name a directory that can be written")
	}
	for i := range list {
		if !approvalbundle.Fits(&list[i]) {
			p.remark("left out, since a bundle can't hold it: " + strings.TrimSpace(approvalLine(&list[i], " ")))
		}
	}
	return p.say("%s: %d approvals; load it with policyd serve --bundle", of.bundle, len(kept))
}
