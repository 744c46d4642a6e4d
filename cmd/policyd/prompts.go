package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

func (p *Program) promptsCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "prompts", Short: "show and answer what agents ask", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.promptsList(), p.promptsShow(), p.promptsAnswer(), p.promptsWatch())
	return command
}

func (p *Program) promptsList() *cobra.Command {
	var chosen settingsFlags
	var state string
	var limit int
	var asJSON bool
	command := &cobra.Command{
		Use: "list", Short: "list prompts, the pending ones unless --state says otherwise", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				path := "/v1/prompts"
				if state != "all" {
					path += "?state=" + url.QueryEscape(state)
				}
				list, more, err := gatherUpTo(ctx, o, path, limit, func(page *v1.PromptList) []v1.Prompt { return page.Prompts })
				if err != nil || asJSON {
					return firstError(err, func() error { return p.printJSON(v1.PromptList{Prompts: list}) })
				}
				if len(list) == 0 {
					p.remark(nothingListed(state))
				}
				for i := range list {
					if err := p.printPrompt(&list[i]); err != nil {
						return err
					}
				}
				if more {
					return p.show(fmt.Sprintf("these are the oldest %d; --limit 0 lists all, and policyd prompts answer --all answers many", limit))
				}
				return nil
			})
		},
	}
	command.Flags().StringVar(&state, "state", v1.PromptPending, "pending, answered, expired, withdrawn, delegated or all")
	command.Flags().IntVar(&limit, "limit", usualPrompts, "list at most so many `prompts`, the oldest first; 0 lists all")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// usualPrompts is how many prompts a person is shown at a time.
const usualPrompts = 100

// nothingListed states that a list is empty.
func nothingListed(state string) string {
	if state == "all" {
		return "there are no prompts"
	}
	return "no prompt is " + state
}

func (p *Program) promptsShow() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use: "show ID", Short: "show one prompt, by its id or the beginning of it", Args: exactlyOne("the id of a prompt"),
		RunE: func(command *cobra.Command, args []string) error {
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				id, err := promptID(ctx, o, args[0])
				if err != nil {
					return err
				}
				var prompt v1.Prompt
				if _, err := o.do(ctx, http.MethodGet, "/v1/prompts/"+url.PathEscape(id), nil, &prompt); err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(&prompt)
				}
				return p.printPrompt(&prompt)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// equalPrompts are the pending prompts with the same question as one, in any session, that one first.
func equalPrompts(ctx context.Context, o *operator, id string) ([]string, error) {
	list, err := gather(ctx, o, "/v1/prompts?state="+v1.PromptPending, func(page *v1.PromptList) []v1.Prompt { return page.Prompts })
	if err != nil {
		return nil, err
	}
	ids := []string{id}
	at := slices.IndexFunc(list, func(prompt v1.Prompt) bool { return prompt.ID == id })
	if at < 0 {
		return ids, nil
	}
	for i := range list {
		if i != at && asksAlike(&list[i], &list[at]) {
			ids = append(ids, list[i].ID)
		}
	}
	return ids, nil
}

// answerEqual gives the same answer to all prompts with the same question.
func (p *Program) answerEqual(ctx context.Context, o *operator, id string, request v1.AnswerRequest, asJSON bool) error {
	ids, err := equalPrompts(ctx, o, id)
	if err != nil {
		return err
	}
	responses := make([]v1.AnswerResponse, 0, len(ids))
	for n, id := range ids {
		var response v1.AnswerResponse
		_, err := o.do(ctx, http.MethodPost, answerPath(id), request, &response)
		var refused *refusedError
		if n > 0 && errors.As(err, &refused) {
			continue // the first answer released it, or another person was quicker
		}
		if err != nil {
			return err
		}
		responses = append(responses, response)
		if asJSON {
			continue
		}
		if err := p.say("%s", response.Resolution); err != nil {
			return err
		}
	}
	if asJSON {
		return p.printJSON(map[string][]v1.AnswerResponse{"answers": responses})
	}
	return nil
}

func answerPath(id string) string { return "/v1/prompts/" + url.PathEscape(id) + "/answer" }

// asksAlike reports whether two prompts look the same to a person except for the session.
func asksAlike(a, b *v1.Prompt) bool {
	return a.Title == b.Title && a.Call.Tool == b.Call.Tool && a.Call.Text == b.Call.Text && a.Call.Cwd == b.Call.Cwd &&
		a.Call.Agent == b.Call.Agent && a.Call.GrantRoot == b.Call.GrantRoot && slices.Equal(a.Call.Paths, b.Call.Paths) &&
		slices.Equal(a.Choices, b.Choices)
}

// printPrompt prints all that a person has to see before an answer (A11).
func (p *Program) printPrompt(prompt *v1.Prompt) error {
	return p.show(strings.TrimSuffix(render.Text(prompt), "\n"))
}

func (p *Program) promptsAnswer() *cobra.Command {
	var chosen settingsFlags
	var request v1.AnswerRequest
	var whose v1.AnswerAllRequest
	var all, equal, asJSON bool
	command := &cobra.Command{
		Use:   "answer ID CHOICE",
		Short: "answer a prompt: once, session, project, read_chat, read_here, always_here, always_anywhere, allow or deny",
		Long: "Answer a prompt: once, session, project, read_chat, read_here, always_here, always_anywhere,\n" +
			"allow or deny. The beginning of an id is enough.\n" +
			"With --all answer every pending prompt of a session or an agent that offers the choice:\n" +
			"policyd prompts answer --all --agent codex deny",
		Args: func(command *cobra.Command, args []string) error {
			if all {
				return oneChoice(command, args)
			}
			return exactlyTwo("the id of a prompt and a choice")(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			if request.By == "" {
				request.By = person()
			}
			if all {
				whose.Choice, whose.TTL, whose.By = args[0], request.TTL, request.By
				return p.answerAll(command, &chosen, whose, asJSON)
			}
			request.Choice = args[1]
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				id, err := promptID(ctx, o, args[0])
				if err != nil {
					return err
				}
				if equal {
					return p.answerEqual(ctx, o, id, request, asJSON)
				}
				var response v1.AnswerResponse
				if _, err := o.do(ctx, http.MethodPost, answerPath(id), request, &response); err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(&response)
				}
				return p.say("%s", response.Resolution)
			})
		},
	}
	command.Flags().BoolVar(&all, "all", false, "answer all pending prompts of --session or --agent")
	command.Flags().BoolVar(&equal, "equal", false, "also answer the pending prompts that ask the same in other sessions")
	command.MarkFlagsMutuallyExclusive("all", "equal")
	command.Flags().StringVar(&whose.Session, "session", "", "with --all, the `id` of the session whose prompts are answered")
	command.Flags().StringVar(&whose.Agent, "agent", "", "with --all, the `name` of the agent whose prompts are answered")
	command.Flags().StringVar(&request.TTL, "ttl", "", "how long a remembered answer holds, such as 2h; for good unless set")
	command.Flags().StringVar(&request.By, "by", "", "who answers; the user of this terminal unless set")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	chosen.addOperator(command)
	return command
}

// person is the user at this terminal, empty if the system doesn't report one.
func person() string {
	current, err := user.Current()
	if err != nil {
		return ""
	}
	return current.Username
}
