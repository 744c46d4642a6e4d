package prompts

import (
	"context"
	"errors"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// mostAnswers is how many prompts one request answers: each is a write to the disk.
const mostAnswers = 100

// AnswerAll answers the pending prompts of a session, of an agent, or of both, the oldest first and at most
// 100. Prompts that don't offer the choice stay as they are. It ends with ctx, and then states what was
// answered.
func (b *Book) AnswerAll(ctx context.Context, request v1.AnswerAllRequest) (v1.AnswerAllResponse, error) {
	if request.Session == "" && request.Agent == "" {
		return v1.AnswerAllResponse{}, coded(CodeInvalid, "session and agent are empty; name whose prompts are answered")
	}
	ids, skipped := b.offering(&request)
	response := v1.AnswerAllResponse{Skipped: skipped, Left: len(ids)}
	for _, id := range ids[:min(len(ids), mostAnswers)] {
		select {
		case <-ctx.Done():
			return response, nil // prompts that were answered stay answered
		default:
		}
		_, err := b.Answer(ctx, id, v1.AnswerRequest{Choice: request.Choice, TTL: request.TTL, By: request.By})
		switch {
		case err == nil:
			response.Answered++
		case !ended(err):
			return response, err
		}
		response.Left--
	}
	return response, nil
}

// ended reports whether an answer was refused because the prompt had ended: another person was quicker, or an
// earlier answer covers it.
func ended(err error) bool {
	var refused *v1.CodedError
	return errors.As(err, &refused) && (refused.Code == CodeAnswered || refused.Code == CodeEnded || refused.Code == CodeNotFound)
}

// offering lists the pending prompts of a request, the oldest first, and counts those that don't offer its
// choice.
func (b *Book) offering(request *v1.AnswerAllRequest) (ids []string, skipped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, held := range b.byID {
		prompt := &held.row.Prompt
		if prompt.State != v1.PromptPending || request.Session != "" && prompt.Call.SessionID != request.Session ||
			request.Agent != "" && held.row.Scope.Agent != request.Agent {
			continue
		}
		if slices.ContainsFunc(prompt.Choices, func(choice v1.Choice) bool { return choice.Key == request.Choice }) {
			ids = append(ids, id)
		} else {
			skipped++
		}
	}
	slices.SortFunc(ids, strings.Compare)
	return ids, skipped
}
