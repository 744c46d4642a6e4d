package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/clients"
	"policyd/internal/clients/reply"
	"policyd/internal/gate"
	"policyd/internal/quota"
	"policyd/internal/strict"
)

// hookPath begins the addresses of hooks.
const hookPath = "/v1/hooks/"

// Headers of a hook's answer. They show a hook program that the server is policyd.
const (
	headerHookDecision   = "Policyd-Decision"
	headerHookExit       = "Policyd-Exit"
	headerHookDecisionID = "Policyd-Decision-Id"
)

// decidedNothing is the decision of an event that decides nothing.
const decidedNothing = "none"

// hookPayloadKey is the key of the payload in Echo's context.
const hookPayloadKey = "hook payload"

// hookCall is one event of a client's on its way.
type hookCall struct {
	server *Server
	client *clients.Client
	event  clients.Event
	query  hookQuery
	terms  clients.Terms
	caller v1.Caller
}

// hook answers a client's hook in the client's own shape. Faults are errors,
// which answerHookFault makes the client's own deny.
func (s *Server) hook(c echo.Context) error {
	client, known := clients.ByName(c.Param("client"))
	if !known {
		return newProblem(http.StatusNotFound, "unknown_client",
			"there is no client "+quoted(c.Param("client"))+"; known: "+strings.Join(reply.Clients(), ", "))
	}
	query, err := s.readHookQuery(c, client.Agent)
	if err != nil {
		return err
	}
	payload, err := s.hookPayload(c)
	if err != nil {
		return err
	}
	event, err := client.Decode(payload)
	if err != nil {
		return newProblem(http.StatusBadRequest, "malformed_payload", err.Error())
	}
	caller := callerOf(c)
	caller.Adapter = true // it alone may name a parent (C5)
	h := &hookCall{
		server: s, client: client, event: event, query: query, caller: caller,
		terms: clients.Terms{AutoApprove: query.autoApprove, Attended: query.interactive},
	}
	asked := h.describedSession("")
	if err := strict.CheckDirectories(&asked); err != nil {
		return malformed(err) // before any of its directories is looked up
	}
	return h.answer(c)
}

func (h *hookCall) answer(c echo.Context) error {
	ctx := c.Request().Context()
	switch h.event.Kind {
	case clients.ToolCall:
		return h.decide(c)
	case clients.Permission:
		return h.permit(c)
	case clients.Start:
		if err := h.start(ctx); err != nil {
			return refused(err)
		}
	case clients.End:
		if err := h.server.options.Sessions.Archive(ctx, h.client.SessionID(&h.event), h.caller); err != nil && codeOf(err) != codeNotFound {
			return refused(err)
		}
	case clients.Other:
	case clients.Unknown:
		return errors.New("answer hook: the event has no kind")
	}
	return answerHook(c, decidedNothing, reply.Silent())
}

// permit answers a client that is about to ask its user. If the call was decided before its tool ran, that
// decision applies; the question alone contains less.
func (h *hookCall) permit(c echo.Context) error {
	effect, known := h.server.settled.get(h.settledKey())
	switch {
	case known && h.event.Partial:
		verdict := h.client.Settled(&h.event, effect, h.terms)
		return answerHook(c, effect.String(), h.reply(verdict, "policyd decided this call before it ran"))
	case h.event.Call.Tool == "":
		return answerHook(c, decidedNothing, h.reply(reply.Nothing, "policyd leaves this question to its user"))
	}
	return h.decide(c)
}

// decide decides the event's call as any other is decided.
func (h *hookCall) decide(c echo.Context) error {
	ctx := c.Request().Context()
	call := h.event.Call
	call.Session = h.session(ctx)
	rewrite := h.rewrite(&call.Session)
	held := h.query.hold > 0 && h.client.Holdable(&h.event, h.terms)
	slot, err := h.server.take(c, holderName(&call.Session), quota.Request{Held: held})
	if err != nil {
		return err
	}
	defer slot.Release()
	if err := strict.CheckCall(&call); err != nil {
		return malformed(err)
	}
	options := gate.DecideOptions{
		Caller: h.caller, Delegate: h.client.Delegates(&h.event, h.terms), Probe: h.event.Partial,
		Rewrite: rewrite,
	}
	if held {
		takeTime(c)
		var stop context.CancelFunc
		options.Wait = h.query.hold
		options.Release, stop = h.server.release(c)
		defer stop()
	}
	decision := h.server.options.Gate.Decide(ctx, &call, options)
	verdict := h.client.Verdict(&h.event, &decision, h.terms)
	if h.event.Kind == clients.ToolCall {
		h.server.settled.put(h.settledKey(), settledEffect(verdict, decision.Effect))
	}
	c.Response().Header().Set(headerHookDecisionID, decision.ID)
	said := h.reply(verdict, clients.Explain(&decision))
	if decision.Effect == v1.EffectAllow && len(decision.Obligations)+len(decision.Run) > 0 {
		said = h.client.Rewritten(&h.event, &decision, gate.Line(&decision))
	}
	return answerHook(c, decision.Effect.String(), said)
}

// rewrite returns how a call is rewritten, nil for a hook that doesn't rewrite, and notes in the call's
// session what the hook can enforce for it.
func (h *hookCall) rewrite(session *v1.Session) *gate.Rewrite {
	if h.query.rewrite == nil {
		return nil
	}
	rewrite := *h.query.rewrite
	rewrite.Line, _ = h.client.Line(&h.event)
	rewrite.With = func(line string) (json.RawMessage, error) { return h.client.With(&h.event, line) }
	if rewrites, lasting := h.client.Rewrites(&h.event); rewrites {
		session.Enforces, session.LastingShell = []string{v1.ObligationContain}, lasting
	}
	return &rewrite
}

// settledKey is the client's name of a call; empty if it has none, or if the client never asks about a call
// again.
func (h *hookCall) settledKey() string {
	if h.event.CallID == "" || !h.client.AsksLater {
		return ""
	}
	return h.client.SessionID(&h.event) + "\n" + h.event.CallID
}

// settledEffect is the effect for a later question about a call: a refused call stays refused, also if nobody
// answered.
func settledEffect(verdict reply.Verdict, effect v1.Effect) v1.Effect {
	if verdict == reply.Deny {
		return v1.EffectDeny
	}
	return effect
}

func (h *hookCall) reply(verdict reply.Verdict, reason string) reply.Reply {
	return reply.For(h.client.Name, h.event.Name, verdict, reason)
}

// answerHook writes the answer to a hook, which is always 200: clients run the
// tool on an error.
func answerHook(c echo.Context, decision string, said reply.Reply) error {
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set(headerHookDecision, decision)
	header.Set(headerHookExit, strconv.Itoa(said.Exit))
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, said.Body)
}

// isHook reports whether a request is a client's hook, whatever is wrong with it.
func isHook(request *http.Request) bool { return strings.HasPrefix(request.URL.Path, hookPath) }

// answerHookFault answers a failed hook with the client's own deny.
func (s *Server) answerHookFault(fault *problem, c echo.Context) error {
	client := strings.TrimPrefix(c.Request().URL.Path, hookPath)
	payload, _ := c.Get(hookPayloadKey).([]byte)
	if payload == nil {
		// The readable part of the payload shows which form the client expects.
		payload, _ = s.hookPayload(c)
	}
	if callerOf(c) != (v1.Caller{}) { // strangers write no log
		s.options.Logger.Warn("refuse hook", "client", client, "code", fault.Code, "detail", fault.Detail)
	}
	return answerHook(c, v1.EffectDeny.String(), reply.Refuse(client, payload, clients.Refusal(fault.Code, fault.Detail)))
}

// byteOrderMark precedes the payload of some Windows programs.
var byteOrderMark = []byte("\ufeff")

// hookPayload reads the payload, without a byte order mark. What was read of one
// that is too large or ends early is kept, for the fault's answer.
func (s *Server) hookPayload(c echo.Context) ([]byte, error) {
	request, limit := c.Request(), s.options.Limits.BodyBytes
	body, err := io.ReadAll(io.LimitReader(request.Body, limit+1))
	body = bytes.TrimPrefix(body, byteOrderMark)
	c.Set(hookPayloadKey, body)
	switch {
	case int64(len(body)) > limit:
		return body, tooLarge(c, limit)
	case err != nil:
		return body, bodyProblem(c, err, limit)
	}
	return body, nil
}

// codeNotFound is the code of what isn't there, or is another caller's.
const codeNotFound = "not_found"

// codeOf is the code of a service's answer, empty for an error without one.
func codeOf(err error) string {
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}

// start keeps a session with the directory in which it was launched, or beneath
// the one that began it.
func (h *hookCall) start(ctx context.Context) error {
	if h.server.options.Runs != nil {
		h.server.options.Runs.Began(h.client.SessionID(&h.event))
	}
	if h.event.ParentID == "" {
		_, err := h.meet(ctx, h.describedSession(h.client.SessionID(&h.event)))
		return err
	}
	began := h.event
	began.SessionID = h.event.ParentID
	parent, err := h.meet(ctx, h.describedSession(h.client.SessionID(&began)))
	if err != nil {
		return err
	}
	_, err = h.meet(ctx, h.childOf(parent, h.client.SessionID(&h.event)))
	return err
}
