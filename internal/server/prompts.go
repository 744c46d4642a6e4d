package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/render"
	"policyd/internal/strict"
)

// listPrompts shows an operator every prompt, and an agent those of its sessions.
func (s *Server) listPrompts(c echo.Context) error {
	query := readQuery(c.Request().URL)
	state := query.text("state", v1.PromptPending, v1.PromptAnswered, v1.PromptExpired, v1.PromptWithdrawn, v1.PromptDelegated)
	session := query.text("session")
	after, limit := query.page()
	if err := query.done(); err != nil {
		return err
	}
	ctx, caller := c.Request().Context(), callerOf(c)
	list, next, err := s.options.Prompts.List(ctx, state, session, after, limit)
	if err != nil {
		return refused(err)
	}
	if caller.Operator {
		return answer(c, &v1.PromptList{Prompts: list, Next: next})
	}
	owned, own := map[string]bool{}, []v1.Prompt{}
	for i := range list {
		id := list[i].Call.SessionID
		known, looked := owned[id]
		if !looked {
			_, err := s.options.Sessions.Session(ctx, id, caller)
			known = err == nil
			owned[id] = known
		}
		if known {
			own = append(own, list[i])
		}
	}
	return answer(c, &v1.PromptList{Prompts: own, Next: next})
}

// ownPrompt reads the prompt that a request names. An agent is shown those of
// its sessions alone.
func (s *Server) ownPrompt(c echo.Context) (v1.Prompt, error) {
	id, err := pathValue(c, "id")
	if err != nil {
		return v1.Prompt{}, err
	}
	ctx, caller := c.Request().Context(), callerOf(c)
	prompt, err := s.options.Prompts.Get(ctx, id)
	if err != nil {
		return v1.Prompt{}, refused(err)
	}
	if caller.Operator {
		return prompt, nil
	}
	if _, err := s.options.Sessions.Session(ctx, prompt.Call.SessionID, caller); err != nil {
		return v1.Prompt{}, newProblem(http.StatusNotFound, "not_found", "there is no prompt "+quoted(id)+" of yours")
	}
	return prompt, nil
}

// getPrompt shows a prompt. It holds the request until the prompt ends or the requested time is over.
func (s *Server) getPrompt(c echo.Context) error {
	query := readQuery(c.Request().URL)
	wait := query.wait()
	format := query.text("format", formatJSON, formatText, formatSlack, formatDiscord)
	if err := query.done(); err != nil {
		return err
	}
	prompt, err := s.ownPrompt(c)
	if err != nil {
		return err
	}
	if wait > 0 && prompt.State == v1.PromptPending {
		ctx, cancel, err := s.holdContext(c)
		if err != nil {
			return err
		}
		defer cancel()
		ctx, stop := context.WithTimeout(ctx, wait)
		defer stop()
		if prompt, err = s.options.Prompts.Wait(ctx, prompt.ID); err != nil {
			return refused(err)
		}
	}
	return answerPromptAs(c, &prompt, format)
}

// Forms in which a prompt is shown; the first is the default.
const (
	formatJSON    = "json"
	formatText    = "text"
	formatSlack   = "slack"
	formatDiscord = "discord"
)

// answerPromptAs shows a prompt in a form.
func answerPromptAs(c echo.Context, prompt *v1.Prompt, format string) error {
	switch format {
	case formatText:
		header := c.Response().Header()
		header.Set(echo.HeaderCacheControl, "no-store")
		header.Set(echo.HeaderXContentTypeOptions, "nosniff") // an agent's text must not become a page
		return c.Blob(http.StatusOK, "text/plain; charset=utf-8", []byte(render.Text(prompt)))
	case formatSlack:
		return answer(c, render.Slack(prompt))
	case formatDiscord:
		return answer(c, render.Discord(prompt))
	}
	return answer(c, prompt)
}

func (s *Server) answerPrompt(c echo.Context) error {
	id, err := pathValue(c, "id")
	if err != nil {
		return err
	}
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBody(s, c, strict.Decode[v1.AnswerRequest])
	if err != nil {
		return err
	}
	request.By = answerer(c, request.By)
	response, err := s.options.Prompts.Answer(c.Request().Context(), id, *request)
	if err != nil {
		return refused(err)
	}
	return answer(c, &response)
}

// answerPrompts answers the pending prompts of a session or an agent, so many at a time.
func (s *Server) answerPrompts(c echo.Context) error {
	if err := plainQuery(c); err != nil {
		return err
	}
	request, err := readBody(s, c, strict.Decode[v1.AnswerAllRequest])
	if err != nil {
		return err
	}
	request.By = answerer(c, request.By)
	response, err := s.options.Prompts.AnswerAll(c.Request().Context(), *request)
	if err != nil {
		return refused(err)
	}
	return answer(c, &response)
}

func (s *Server) deletePrompt(c echo.Context) error {
	if err := plainQuery(c); err != nil {
		return err
	}
	prompt, err := s.ownPrompt(c)
	if err != nil {
		return err
	}
	if err := s.options.Prompts.Withdraw(c.Request().Context(), prompt.ID); err != nil {
		return refused(err)
	}
	return c.NoContent(http.StatusNoContent)
}
