package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// Codes of errors; each is an answer to the caller.
const (
	CodeInvalid     = "invalid_request"
	CodeNotFound    = "not_found"
	CodeUnavailable = "store_unavailable"
)

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}

var errUnavailable = errors.New("the store can't be reached, so nothing was changed; see /readyz?verbose and try again")

// Put remembers an answer on an operator's word. changed is false where the same
// answer is there already.
func (x *Index) Put(ctx context.Context, request v1.ApprovalRequest) (kept v1.ApprovalEntry, changed bool, err error) {
	entry, err := x.entry(request)
	if err != nil {
		return v1.ApprovalEntry{}, false, err
	}
	saved, err := x.options.Store.PutApprovals(ctx, entry)
	if err != nil || len(saved) != 1 {
		return v1.ApprovalEntry{}, false, &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	x.Remember(saved, nil)
	return saved[0], saved[0].ID == entry.ID, nil
}

// entry makes the entry of a request, with what it leaves out.
func (x *Index) entry(request v1.ApprovalRequest) (v1.ApprovalEntry, error) {
	entry := v1.ApprovalEntry{
		ID: x.options.NewID(), Audience: request.Audience, Agent: request.Agent, Tool: request.Tool, Verb: request.Verb,
		Directory: request.Directory, By: request.By, CreatedAt: x.options.Clock(),
	}
	if entry.Audience == "" {
		entry.Audience = v1.AudiencePersonal
	}
	if entry.Agent == "" {
		entry.Agent = everyAgent
	}
	if entry.Tool == "" {
		entry.Tool = v1.ToolShell
	}
	if request.TTL != "" {
		life, err := time.ParseDuration(request.TTL)
		if err != nil || life <= 0 || life > longestLife {
			return entry, coded(CodeInvalid, "ttl is %q; a duration from 1s to %s, such as 90m or 24h", request.TTL, longestLife)
		}
		entry.ExpiresAt = new(entry.CreatedAt.Add(life))
	}
	if err := check(&entry); err != nil {
		return entry, err
	}
	if err := x.checkVerb(&entry); err != nil {
		return entry, err
	}
	if entry.Directory == nil && !request.Force && x.options.RunsAnything(entry.Tool, entry.Verb) {
		return entry, coded(CodeInvalid, "%s runs anything that it is given, so approving it anywhere approves everything; say force if that is meant", entry.Verb)
	}
	return entry, nil
}

// longestLife bounds the ttl of an answer.
const longestLife = 10 * 365 * 24 * time.Hour

// check holds what an entry has to say.
func check(entry *v1.ApprovalEntry) error {
	switch {
	case strings.TrimSpace(entry.Verb) == "":
		return coded(CodeInvalid, "verb is empty; name the verb chain, such as git push")
	case strings.TrimSpace(entry.Verb) != entry.Verb || strings.Contains(entry.Verb, "  "):
		return coded(CodeInvalid, "verb %q has blanks too many; write the words with one space between them", entry.Verb)
	case entry.Audience != v1.AudiencePersonal && entry.Audience != v1.AudienceTeam && entry.Audience != v1.AudiencePublic:
		return coded(CodeInvalid, "audience %q is not known; allowed: personal, team, public", entry.Audience)
	case entry.Directory != nil && shallow(*entry.Directory):
		return coded(CodeInvalid, "directory %q is no absolute path of two segments or more; name one further down, or none for anywhere", *entry.Directory)
	}
	return nil
}

// kinds are the kinds of tools whose answers are remembered by verb.
func kinds() []string {
	return []string{v1.ToolShell, v1.ToolFetch, v1.ToolMCP, v1.ToolACP, v1.ToolOther, v1.ToolSearch, v1.ToolInternal}
}

// checkVerb refuses what no call could ever match.
func (x *Index) checkVerb(entry *v1.ApprovalEntry) error {
	if !slices.Contains(kinds(), entry.Tool) {
		return coded(CodeInvalid, "tool %q is no kind of tools that has verbs; allowed: %s", entry.Tool, strings.Join(kinds(), ", "))
	}
	if entry.Tool != v1.ToolShell {
		return nil
	}
	switch chain := x.options.Chain(entry.Tool, entry.Verb); chain {
	case entry.Verb:
		return nil
	case "":
		return coded(CodeInvalid, "verb %q is no single command", entry.Verb)
	default:
		return coded(CodeInvalid, "verb %q could never match: flags and operands are no part of a verb; say %q", entry.Verb, chain)
	}
}

// shallow reports whether a directory has fewer than two segments below its
// root (V9), or is none.
func shallow(directory string) bool {
	slashed := strings.ReplaceAll(directory, `\`, "/")
	if len(slashed) >= 2 && slashed[1] == ':' {
		slashed = slashed[2:]
	}
	if !strings.HasPrefix(slashed, "/") {
		return true
	}
	segments := 0
	for segment := range strings.SplitSeq(slashed, "/") {
		if segment == "." || segment == ".." {
			return true
		}
		if segment != "" {
			segments++
		}
	}
	return segments < 2
}

// Revoke forgets an answer.
func (x *Index) Revoke(ctx context.Context, id string) error {
	gone, err := x.options.Store.DeleteApprovals(ctx, id)
	if err != nil {
		return &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	x.mu.Lock()
	x.remove(id)
	x.mu.Unlock()
	if gone == 0 {
		return coded(CodeNotFound, "there is no approval %q", id)
	}
	x.options.Changed()
	return nil
}

// List returns at most limit answers that hold now with ids behind after, in the
// order of ids, and the id to go on from, empty at the end.
func (x *Index) List(after string, limit int) (list []v1.ApprovalEntry, next string, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.without != nil {
		return nil, "", &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	now := x.options.Clock()
	list = []v1.ApprovalEntry{}
	for id, entry := range x.byID {
		if id > after && (entry.ExpiresAt == nil || now.Before(*entry.ExpiresAt)) {
			list = append(list, *entry)
		}
	}
	slices.SortFunc(list, func(a, b v1.ApprovalEntry) int { return strings.Compare(a.ID, b.ID) })
	if len(list) > limit {
		list = list[:limit]
		next = list[limit-1].ID
	}
	return list, next, nil
}
