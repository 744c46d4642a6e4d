package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "policyd/api/v1"
)

// ResolvePrompt ends a pending prompt and stores what its answer adds; it returns the stored approvals and
// grants. The error is ErrConflict if the prompt is no longer pending, or a session of the answer was
// archived. It is ErrNotFound if there is no such prompt.
//
// When the connection to PostgreSQL breaks just as the answer is committed, the error can't report whether it
// is kept: the prompt's state does.
func (s *Store) ResolvePrompt(ctx context.Context, resolution Resolution) (saved []v1.ApprovalEntry, grants []v1.Grant, err error) {
	answer, err := encodeAnswer(&resolution)
	if err != nil {
		return nil, nil, fmt.Errorf("resolve prompt: %w", err)
	}
	err = s.write(ctx, len(resolution.Approvals), func(ctx context.Context, t *transaction) error {
		// Sessions before the prompt, as archiving does, so that the two don't wait
		// for one another.
		if err := t.live(ctx, sessionsOf(&resolution)...); err != nil {
			return err
		}
		if err := t.endPrompt(ctx, &resolution, answer); err != nil {
			return err
		}
		if saved, err = t.putApprovals(ctx, resolution.Approvals); err != nil {
			return err
		}
		if grants, err = t.addGrants(ctx, resolution.Grants); err != nil {
			return err
		}
		return t.addOnce(ctx, resolution.Once)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("resolve prompt: %w", err)
	}
	return saved, grants, nil
}

// encodeAnswer returns the answer as it is kept, NULL for none.
func encodeAnswer(resolution *Resolution) (any, error) {
	switch {
	case resolution.State == "" || resolution.State == v1.PromptPending:
		return nil, errors.New("the state is not one that ends a prompt")
	case (resolution.State == v1.PromptAnswered) != (resolution.Answer != nil):
		return nil, errors.New("an answer belongs to the state answered, and to no other")
	case resolution.Answer == nil:
		return nil, nil
	}
	answer := *resolution.Answer
	answer.At = rounded(answer.At)
	return encode(answer)
}

// sessionsOf lists the sessions that a resolution adds to, in one order for all.
func sessionsOf(resolution *Resolution) []string {
	var sessions []string
	for i := range resolution.Approvals {
		sessions = append(sessions, resolution.Approvals[i].Session)
	}
	for i := range resolution.Grants {
		sessions = append(sessions, resolution.Grants[i].Session)
	}
	if resolution.Once != nil {
		sessions = append(sessions, resolution.Once.Session)
	}
	slices.Sort(sessions)
	return slices.Compact(sessions)
}

// endPrompt lets one of several callers win: only a pending prompt changes.
func (t *transaction) endPrompt(ctx context.Context, resolution *Resolution, answer any) error {
	var ended any
	switch {
	case !resolution.At.IsZero():
		ended = micros(resolution.At)
	case resolution.Answer != nil:
		ended = micros(resolution.Answer.At)
	}
	changed, err := t.changing(ctx, tablePrompts,
		`UPDATE prompts SET state = $1, answer = $2, ended_at = COALESCE($3, expires_at) WHERE id = $4 AND state = 'pending' RETURNING id`,
		resolution.State, answer, ended, resolution.Prompt)
	if err != nil {
		return err
	}
	if changed == 0 {
		return t.missing(ctx, `SELECT id FROM prompts WHERE id = $1`, resolution.Prompt)
	}
	return nil
}

// addGrants writes the grants of an answer. An answer only adds: it never reduces a grant for writing to one
// for reading.
func (t *transaction) addGrants(ctx context.Context, grants []v1.Grant) ([]v1.Grant, error) {
	kept := make([]v1.Grant, 0, len(grants))
	for i := range grants {
		grant := grants[i]
		if grant.Mode == v1.GrantRead {
			existing, err := t.grantLike(ctx, &grant)
			if err != nil && !errors.Is(err, ErrConflict) {
				return nil, err
			}
			if err == nil {
				kept = append(kept, existing)
				continue
			}
		}
		put, _, err := t.putGrant(ctx, &grant)
		if err != nil {
			return nil, err
		}
		kept = append(kept, put)
	}
	return kept, nil
}
