package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

// holderFlags identify the holder of the grants.
type holderFlags struct{ session, agent string }

func (f *holderFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&f.session, "session", "", "the session that holds the grants, by `id`")
	command.Flags().StringVar(&f.agent, "agent", "", "the agent that holds them in all its sessions, by `name`")
}

// path is the grants' path in the API.
func (f *holderFlags) path(command *cobra.Command) (string, error) {
	if (f.session == "") == (f.agent == "") {
		return "", usage(errors.New("name one holder, --session or --agent"), "run "+command.CommandPath()+" --help")
	}
	if f.session != "" {
		return "/v1/sessions/" + url.PathEscape(f.session) + "/grants", nil
	}
	return "/v1/agents/" + url.PathEscape(f.agent) + "/grants", nil
}

func (p *Program) grantsCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "grants", Short: "list, give and take path grants", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.grantsList(), p.grantsAdd(), p.grantsRevoke())
	return command
}

func (p *Program) grantsList() *cobra.Command {
	var chosen settingsFlags
	var holder holderFlags
	var asJSON bool
	command := &cobra.Command{
		Use: "list", Short: "list the path grants of a session or an agent", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			path, err := holder.path(command)
			if err != nil {
				return err
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				var list v1.GrantList
				if _, err := o.do(ctx, http.MethodGet, path, nil, &list); err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(&list)
				}
				for i := range list.Grants {
					if err := p.say("%s", list.Grants[i].Label); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	holder.add(command)
	chosen.addOperator(command)
	return command
}

func (p *Program) grantsAdd() *cobra.Command {
	var chosen settingsFlags
	var holder holderFlags
	var mode string
	var asJSON bool
	command := &cobra.Command{
		Use: "add PATH", Short: "give a path grant, or change its mode", Args: exactlyOne("a path"),
		RunE: func(command *cobra.Command, args []string) error {
			path, err := holder.path(command)
			if err != nil {
				return err
			}
			root, err := filepath.Abs(args[0])
			if err != nil {
				return usage(fmt.Errorf("read path: %w", err), "give the path in full")
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				var granted v1.GrantResponse
				if _, err := o.do(ctx, http.MethodPost, path, v1.GrantRequest{Path: root, Mode: mode}, &granted); err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(&granted)
				}
				return p.say("%s: %s", map[string]string{
					v1.ChangeNew: "Granted", v1.ChangeMode: "Changed", v1.ChangeUnchanged: "Unchanged",
				}[granted.Change], granted.Label)
			})
		},
	}
	command.Flags().StringVar(&mode, "mode", v1.GrantRead, "read or read_write")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	holder.add(command)
	chosen.addOperator(command)
	return command
}

func (p *Program) grantsRevoke() *cobra.Command {
	var chosen settingsFlags
	var holder holderFlags
	command := &cobra.Command{
		Use: "revoke PATH|ID", Short: "take a path grant back", Args: exactlyOne("the path or the id of a grant"),
		RunE: func(command *cobra.Command, args []string) error {
			path, err := holder.path(command)
			if err != nil {
				return err
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				return p.revokeGrant(ctx, o, path, args[0])
			})
		},
	}
	holder.add(command)
	chosen.addOperator(command)
	return command
}

func (p *Program) revokeGrant(ctx context.Context, o *operator, path, named string) error {
	var list v1.GrantList
	if _, err := o.do(ctx, http.MethodGet, path, nil, &list); err != nil {
		return err
	}
	place := filepath.Clean(named)
	for i := range list.Grants {
		grant := &list.Grants[i]
		if grant.ID != named && grant.Path != place {
			continue
		}
		if grant.Origin == v1.OriginSettings {
			return failed(fmt.Errorf("%s is granted by the settings", grant.Path), "change agents in the settings file")
		}
		if _, err := o.do(ctx, http.MethodDelete, path+"/"+url.PathEscape(grant.ID), nil, nil); err != nil {
			return err
		}
		return p.say("Revoked: %s", grant.Label)
	}
	return failed(fmt.Errorf("%s is not granted", named), "policyd grants list shows what is")
}
