package gate

import (
	"context"
	"errors"
	"slices"

	v1 "policyd/api/v1"
)

// failure returns the code and message of a failed evaluation.
func failure(ctx context.Context, err error) (code, message string) {
	var coded *v1.CodedError
	switch {
	case errors.As(err, &coded) && coded.Code != "":
		return coded.Code, "the policy gave no result: " + err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return CodeDeadline, "the policy took too long"
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return CodeCancelled, "the caller went away"
	}
	return CodeEvaluation, "the policy gave no result: " + err.Error()
}

// refusal returns the code and message of a collaborator's error, and the given ones for an error without a
// code.
func refusal(err error, code, message string) (string, string) {
	var coded *v1.CodedError
	if errors.As(err, &coded) && coded.Code != "" {
		return coded.Code, coded.Err.Error()
	}
	return code, message
}

// inconsistency returns what is wrong with a judgement, empty for a sound one. The built-in policy guarantees
// all of this; an operator's bundle might not.
func inconsistency(in *v1.Input, result *v1.Judgement) string {
	items := len(in.Items)
	if len(result.Reasons) == 0 && result.Effect != v1.EffectAllow {
		return "no reason is given"
	}
	for i := range result.Reasons {
		if item := result.Reasons[i].Item; item < -1 || item >= items {
			return "a reason names an item that isn't there"
		}
	}
	for _, cover := range result.Covered {
		if cover.Item < 0 || cover.Item >= items {
			return "a cover names an item that isn't there"
		}
	}
	for _, item := range result.Uncovered {
		if item < 0 || item >= items {
			return "an uncovered item isn't there"
		}
	}
	switch result.Effect {
	case v1.EffectAllow:
		return falseAllow(in, result)
	case v1.EffectPrompt:
		return unknownChoice(result.Choices)
	case v1.EffectDeny:
		return ""
	}
	return "the effect is none of the three"
}

func falseAllow(in *v1.Input, result *v1.Judgement) string {
	// A one-shot answer covers the call whole: the person saw all of it (A10).
	once := slices.ContainsFunc(in.Approvals, func(approval v1.Approval) bool { return approval.Once })
	switch {
	case len(in.Items) == 0 && !slices.Contains(in.About, aboutNothing) && !once:
		return "allow without items"
	case !in.Complete && !once:
		return "allow of incomplete facts"
	case len(result.Uncovered) > 0:
		return "allow with uncovered items"
	}
	covered := make([]bool, len(in.Items))
	for _, cover := range result.Covered {
		covered[cover.Item] = true
	}
	for _, held := range covered {
		if !held {
			return "allow with an item that nothing covers"
		}
	}
	return ""
}

func unknownChoice(keys []string) string {
	for _, key := range keys {
		if _, known := choice(key); !known {
			return "the choice " + key + " is not known"
		}
	}
	return ""
}
