package approvals

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "policyd/api/v1"
)

// Import stores many answers: all or none, or with Partial the valid ones. An existing answer stays, so
// repeating an import changes nothing. An error gives the index of the first invalid request, counted from 0.
func (x *Index) Import(ctx context.Context, request v1.ApprovalImport) (v1.ApprovalImported, error) {
	if len(request.Approvals) > v1.MaxImport {
		return v1.ApprovalImported{}, coded(CodeInvalid, "there are %d approvals; at most %d at once", len(request.Approvals), v1.MaxImport)
	}
	entries := make([]v1.ApprovalEntry, 0, len(request.Approvals))
	refused := []v1.RefusedApproval{}
	for i := range request.Approvals {
		entry, err := x.entry(request.Approvals[i])
		var known *v1.CodedError
		switch {
		case err == nil:
			entries = append(entries, entry)
		case request.Partial && errors.As(err, &known):
			refused = append(refused, v1.RefusedApproval{Index: i, Code: known.Code, Detail: known.Err.Error()})
		default:
			return v1.ApprovalImported{}, placed(i, err)
		}
	}
	done, err := x.compare(entries)
	done.Refused = refused
	if err != nil || request.DryRun || done.Added+done.Extended == 0 {
		return done, err
	}
	saved, err := x.options.Store.PutApprovals(ctx, entries...)
	if err != nil {
		return v1.ApprovalImported{}, &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	x.Remember(saved, nil)
	return done, nil
}

// placed names the request in an error about it.
func placed(at int, err error) error {
	var refused *v1.CodedError
	if !errors.As(err, &refused) {
		return err
	}
	return &v1.CodedError{Code: refused.Code, Err: fmt.Errorf("approvals[%d]: %w", at, refused.Err)}
}

// compare states what answers would change.
func (x *Index) compare(entries []v1.ApprovalEntry) (v1.ApprovalImported, error) {
	type place struct {
		group
		anywhere  bool
		directory string
		risks     string
		worktrees bool
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out v1.ApprovalImported
	if x.loadErr != nil {
		return out, &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	now := x.options.Clock()
	seen := make(map[place]bool, len(entries))
	for i := range entries {
		entry := &entries[i]
		at := place{group: groupOf(entry), anywhere: entry.Directory == nil, risks: entry.RiskLines(), worktrees: entry.Worktrees}
		if entry.Directory != nil {
			at.directory = *entry.Directory
		}
		known := x.equalEntry(entry, now)
		switch {
		case seen[at] || known != nil && !extends(known, entry):
			out.Unchanged++
		case known != nil:
			out.Extended++
		default:
			out.Added++
		}
		seen[at] = true
	}
	return out, nil
}

// equalEntry returns the stored answer that is equal to an entry, nil if there is none. The caller holds mu.
func (x *Index) equalEntry(entry *v1.ApprovalEntry, now time.Time) *v1.ApprovalEntry {
	held := x.groups[groupOf(entry)]
	if held == nil {
		return nil
	}
	known := held.same(entry)
	if known == nil || known.ExpiresAt != nil && !now.Before(*known.ExpiresAt) {
		return nil
	}
	return known
}

// extends reports whether an entry holds longer than the stored one.
func extends(known, entry *v1.ApprovalEntry) bool {
	if known.ExpiresAt == nil {
		return false
	}
	return entry.ExpiresAt == nil || entry.ExpiresAt.After(*known.ExpiresAt)
}
