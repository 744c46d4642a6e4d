package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

func (p *Program) sessionsCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "sessions", Short: "show and end agents' sessions", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.sessionsList(), p.sessionsShow(), p.sessionsArchive())
	return command
}

func (p *Program) sessionsList() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use: "list", Short: "list sessions, one a line: id, agent, audience, state, project", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				list, err := gather(ctx, o, "/v1/sessions", func(page *v1.SessionList) []v1.SessionInfo { return page.Sessions })
				if err != nil || asJSON {
					return firstError(err, func() error { return p.printJSON(v1.SessionList{Sessions: list}) })
				}
				if len(list) == 0 {
					p.remark("there are no sessions")
				}
				for i := range list {
					if err := p.say("%s\t%s\t%s\t%s\t%s", list[i].ID, list[i].Agent, list[i].Audience, list[i].State, list[i].ProjectDir); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// firstError is err, or the result of next if there is none.
func firstError(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

func (p *Program) sessionsShow() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use: "show ID", Short: "show one session", Args: exactlyOne("the id of a session"),
		RunE: func(command *cobra.Command, args []string) error {
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				id, err := sessionID(ctx, o, args[0])
				if err != nil {
					return err
				}
				var info v1.SessionInfo
				if _, err := o.do(ctx, http.MethodGet, "/v1/sessions/"+url.PathEscape(id), nil, &info); err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(&info)
				}
				return p.printSession(&info)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

func (p *Program) printSession(info *v1.SessionInfo) error {
	for _, line := range []struct{ name, value string }{
		{"id", info.ID},
		{"state", info.State},
		{"agent", info.Agent},
		{"audience", string(info.Audience)},
		{"interactive", fmt.Sprint(info.Attended())},
		{"project", info.ProjectDir},
		{"session directory", info.SessionDir},
		{"platform", info.Platform},
		{"home", info.Home},
		{"parent", info.ParentID},
	} {
		if line.value == "" {
			continue
		}
		if err := p.say("%-18s %s", line.name, line.value); err != nil {
			return err
		}
	}
	for _, root := range info.ReadPaths {
		if err := p.say("%-18s %s", "may read", root); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) sessionsArchive() *cobra.Command {
	var chosen settingsFlags
	command := &cobra.Command{
		Use: "archive ID", Short: "end a session: its grants, approvals and open prompts go", Args: exactlyOne("the id of a session"),
		RunE: func(command *cobra.Command, args []string) error {
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				id, err := sessionID(ctx, o, args[0])
				if err != nil {
					return err
				}
				if _, err := o.do(ctx, http.MethodDelete, "/v1/sessions/"+url.PathEscape(id), nil, nil); err != nil {
					return err
				}
				return p.say("Archived: %s", id)
			})
		},
	}
	chosen.addOperator(command)
	return command
}

// exactlyOne requires one argument. Its message describes the argument.
func exactlyOne(what string) cobra.PositionalArgs { return exactly(1, what) }

// exactlyTwo requires two.
func exactlyTwo(what string) cobra.PositionalArgs { return exactly(2, what) }

func exactly(count int, what string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == count && !slices.Contains(args, "") {
			return nil
		}
		return usage(fmt.Errorf("%s takes %s", command.CommandPath(), what), "run "+command.CommandPath()+" --help")
	}
}
