package prompts

import (
	"context"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// OnceLife is how long an answer waits for the one retry that it covers (A10).
const OnceLife = 10 * time.Minute

// outcome is what an answer grants.
type outcome struct {
	decision v1.Effect
	// text is the resolution (A3).
	text      string
	approvals []v1.ApprovalEntry
	grants    []v1.Grant
	once      *store.Once
}

func (b *Book) outcome(ctx context.Context, held *entry, prompt *v1.Prompt, request v1.AnswerRequest) (outcome, error) {
	if err := offered(prompt, request.Choice); err != nil {
		return outcome{}, err
	}
	until, err := b.lifetime(request)
	if err != nil {
		return outcome{}, err
	}
	switch request.Choice {
	case v1.ChoiceDeny:
		return outcome{decision: v1.EffectDeny, text: "Denied"}, nil
	case v1.ChoiceAllow:
		return b.granted(ctx, prompt, held.row.Kind), nil
	case v1.ChoiceOnce:
		return outcome{decision: v1.EffectAllow, text: "Approved (no save)", once: &store.Once{
			Prompt: prompt.ID, Session: prompt.Call.SessionID, Key: held.row.Key, ExpiresAt: b.options.Clock().Add(OnceLife),
		}}, nil
	}
	return b.remembered(held, prompt, request, until), nil
}

// lifetime reads the ttl of an answer that is remembered; nil is for good.
func (b *Book) lifetime(request v1.AnswerRequest) (*time.Time, error) {
	if request.TTL == "" {
		return nil, nil //nolint:nilnil // permanently
	}
	if !v1.Remembers(request.Choice) {
		return nil, coded(CodeInvalid, "ttl goes with a choice that is remembered, and %q is none; leave it out", request.Choice)
	}
	life, err := v1.ParseTTL(request.TTL)
	if err != nil {
		return nil, coded(CodeInvalid, "ttl is %q; %w", request.TTL, err)
	}
	until := b.options.Clock().Add(life)
	return &until, nil
}

// granted makes the grant of an access request, by what is on the disk now (P8).
func (b *Book) granted(ctx context.Context, prompt *v1.Prompt, kind string) outcome {
	if b.options.Grant == nil {
		return outcome{decision: v1.EffectDeny, text: "Denied: nobody can grant this"}
	}
	grant, refusal := b.options.Grant(ctx, prompt, kind)
	if refusal != "" {
		return outcome{decision: v1.EffectDeny, text: "Denied: " + refusal}
	}
	return outcome{decision: v1.EffectAllow, text: "Granted: " + grant.Label, grants: []v1.Grant{grant}}
}

// remembered makes the approvals of an answer (A4): one per verb and directory, or per verb if the choice is
// anywhere.
func (b *Book) remembered(held *entry, prompt *v1.Prompt, request v1.AnswerRequest, until *time.Time) outcome {
	scope := &held.row.Scope
	saved, left := scope.Remembered(request.Choice)
	out := outcome{decision: v1.EffectAllow}
	for _, entry := range saved {
		entry.ID, entry.By, entry.CreatedAt, entry.ExpiresAt = b.options.NewID(), request.By, b.options.Clock(), until
		entry.Audience, entry.Agent = scope.Audience, scope.Agent
		if v1.RemembersForSession(request.Choice) {
			entry.Session = prompt.Call.SessionID
		}
		out.approvals = append(out.approvals, entry)
	}
	out.text = sentence(request, saved, left)
	if len(left) > 0 || len(saved) == 0 {
		// Some could not be remembered, but the person approved this call.
		out.once = &store.Once{
			Prompt: prompt.ID, Session: prompt.Call.SessionID, Key: held.row.Key, ExpiresAt: b.options.Clock().Add(OnceLife),
		}
	}
	return out
}

func sentence(request v1.AnswerRequest, saved, left []v1.ApprovalEntry) string {
	if len(saved) == 0 {
		return "Approved (no save): too shallow a directory to remember: " + v1.ApprovalWords(left)
	}
	text := "Saved: "
	if v1.RemembersForSession(request.Choice) {
		text = "Saved for this chat: "
	}
	text += v1.ApprovalWords(saved)
	if request.TTL != "" {
		text += " for " + request.TTL
	}
	if len(left) > 0 {
		text += "; not saved, too shallow a directory: " + v1.ApprovalWords(left)
	}
	return text
}
