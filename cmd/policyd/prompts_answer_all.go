package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

// oneChoice parses the arguments of prompts answer --all.
func oneChoice(command *cobra.Command, args []string) error {
	return exactly(1, "a choice, such as deny, with --all")(command, args)
}

// answerAll answers in batches until nothing is left to answer.
func (p *Program) answerAll(command *cobra.Command, chosen *settingsFlags, request v1.AnswerAllRequest, asJSON bool) error {
	if request.Session == "" && request.Agent == "" {
		return usage(errors.New("--all says how many prompts are answered, and not whose"), "add --session ID or --agent NAME")
	}
	return p.runOperator(command, chosen, func(ctx context.Context, o *operator) error {
		var sum v1.AnswerAllResponse
		for {
			var batch v1.AnswerAllResponse
			if _, err := o.do(ctx, http.MethodPost, "/v1/prompts/answer", request, &batch); err != nil {
				return err
			}
			sum = v1.AnswerAllResponse{Answered: sum.Answered + batch.Answered, Skipped: batch.Skipped, Left: batch.Left}
			if batch.Answered == 0 || batch.Left == 0 {
				break
			}
		}
		if asJSON {
			return p.printJSON(&sum)
		}
		text := fmt.Sprintf("answered %d prompts with %s", sum.Answered, request.Choice)
		if sum.Skipped > 0 {
			text += fmt.Sprintf("; %d don't offer it", sum.Skipped)
		}
		return p.say("%s", text)
	})
}
