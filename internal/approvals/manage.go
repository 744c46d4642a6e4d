package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// Codes of errors; each is an answer to the caller.
const (
	CodeInvalid     = "invalid_request"
	CodeNotFound    = "not_found"
	CodeUnavailable = "store_unavailable"
	// CodeForce states that the request has to be meant: it approves everything.
	CodeForce = "force_needed"
)

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}

var errUnavailable = errors.New("the store can't be reached, so nothing was changed; see /readyz?verbose and try again")

// Put stores an answer of an operator. changed is false if the same answer exists and holds as long.
func (x *Index) Put(ctx context.Context, request v1.ApprovalRequest) (kept v1.ApprovalEntry, changed bool, err error) {
	entry, err := x.entry(request)
	if err != nil {
		return v1.ApprovalEntry{}, false, err
	}
	changes, err := x.compare([]v1.ApprovalEntry{entry})
	if err != nil {
		return v1.ApprovalEntry{}, false, err
	}
	saved, err := x.options.Store.PutApprovals(ctx, entry)
	if err != nil || len(saved) != 1 {
		return v1.ApprovalEntry{}, false, &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	x.Remember(saved, nil)
	return saved[0], changes.Unchanged == 0, nil
}

// entry makes the entry of a request.
func (x *Index) entry(request v1.ApprovalRequest) (v1.ApprovalEntry, error) {
	entry, err := Entry(request, x.options.Clock())
	if err != nil {
		return entry, err
	}
	if err := x.place(&entry); err != nil {
		return entry, err
	}
	if err := x.checkVerb(&entry); err != nil {
		return entry, err
	}
	if entry.Directory == nil && !request.Force && x.options.RunsAnything(entry.Tool, entry.Verb) {
		return entry, coded(CodeForce, "%s runs anything that it is given, so approving it anywhere approves everything; say force if that is meant", entry.Verb)
	}
	entry.ID = x.options.NewID()
	return entry, nil
}

// place resolves the directory of an entry to the name that facts use. An approval for another name of it
// would match no call.
func (x *Index) place(entry *v1.ApprovalEntry) error {
	if entry.Directory == nil {
		return nil
	}
	place, err := x.options.Place(*entry.Directory)
	if err != nil {
		return coded(CodeInvalid, "directory %q can't be used: %w", *entry.Directory, err)
	}
	if v1.Shallow(place.Real) {
		return coded(CodeInvalid, "directory %q leads to %s, which has fewer than two segments; name one further down, or none for anywhere", *entry.Directory, place.Real)
	}
	if _, _, opens := entry.Opens(); opens || entry.Tool == v1.ToolProject {
		if err := checkProject(*entry.Directory, &place); err != nil {
			return err
		}
	}
	entry.Directory = &place.Real
	if err := x.placeInMain(entry); err != nil {
		return err
	}
	return x.placeRoot(entry)
}

// placeInMain names the directory of an approval for all worktrees as it is called in the main one.
func (x *Index) placeInMain(entry *v1.ApprovalEntry) error {
	if !entry.Worktrees {
		return nil
	}
	found := x.workTree(*entry.Directory)
	if found.main == "" {
		return coded(CodeInvalid, "directory %q lies in no work tree of a git repository with a main one, or its repository doesn't name it; leave worktrees out", *entry.Directory)
	}
	directory := found.inMain(*entry.Directory)
	place, err := x.options.Place(directory)
	switch {
	case err != nil || place.Real != directory:
		return coded(CodeInvalid, "directory %q of the main worktree leads elsewhere; leave worktrees out", directory)
	case entry.Tool != v1.ToolShell && place.Sensitive:
		return coded(CodeInvalid, "the main worktree's directory %q is a sensitive directory or holds one; leave worktrees out", directory)
	}
	entry.Directory = &directory
	return nil
}

// checkProject refuses directories that aren't projects: an approval for one would never apply.
func checkProject(named string, place *Place) error {
	switch {
	case place.Sensitive:
		return coded(CodeInvalid, "directory %q is a sensitive directory or holds one, so that it is no project; name the project's own", named)
	case place.Missing:
		return coded(CodeInvalid, "there is no directory %q; name the project's top", named)
	}
	return nil
}

// placeRoot names the place that an approval opens as facts do.
func (x *Index) placeRoot(entry *v1.ApprovalEntry) error {
	root, mode, opens := entry.Opens()
	if !opens {
		return nil
	}
	place, err := x.options.Place(root)
	switch {
	case err != nil:
		return coded(CodeInvalid, "directory %q can't be used: %w", root, err)
	case place.Sensitive || v1.Shallow(place.Real):
		return coded(CodeInvalid, "directory %q is shallow, or a sensitive directory or one that holds one; it can't be let be read or changed", root)
	}
	if entry.Verb = v1.ReadingVerb(place.Real); mode == v1.GrantReadWrite {
		entry.Verb = v1.ChangingVerb(place.Real)
	}
	return nil
}

// checkVerb refuses what no call could ever match.
func (x *Index) checkVerb(entry *v1.ApprovalEntry) error {
	if entry.Tool != v1.ToolShell {
		return nil
	}
	switch chain := x.options.Chain(entry.Tool, entry.Verb); chain {
	case entry.Verb:
		return nil
	case "":
		return coded(CodeInvalid, "verb %q is no single command that could be approved: name one program, without a path", entry.Verb)
	default:
		return coded(CodeInvalid, "verb %q could never match: flags and operands are no part of a verb; say %q", entry.Verb, chain)
	}
}

// Revoke forgets an answer.
func (x *Index) Revoke(ctx context.Context, id string) error {
	gone, err := x.options.Store.DeleteApprovals(ctx, id)
	if err != nil {
		return &v1.CodedError{Code: CodeUnavailable, Err: errUnavailable}
	}
	x.change(func(bool) { x.remove(id) })
	if gone == 0 {
		return coded(CodeNotFound, "there is no approval %q", id)
	}
	x.options.Changed()
	return nil
}

// List returns at most limit current answers with ids after a given one, in the order of ids. It also returns
// the id to continue after, empty at the end.
func (x *Index) List(after string, limit int) (list []v1.ApprovalEntry, next string, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.loadErr != nil {
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
	for i := range list {
		if wider := x.wider(&list[i], now); wider != nil {
			list[i].CoveredBy = wider.ID
		}
	}
	return list, next, nil
}

// Named returns the current answers for any of the verbs, for any agent, in the order of ids. It scans all
// answers: it is for explanations.
func (x *Index) Named(verbs []string) []v1.ApprovalEntry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	now := x.options.Clock()
	var found []v1.ApprovalEntry
	for _, entry := range x.byID {
		if slices.Contains(verbs, entry.Verb) && (entry.ExpiresAt == nil || now.Before(*entry.ExpiresAt)) {
			found = append(found, *entry)
		}
	}
	slices.SortFunc(found, func(a, b v1.ApprovalEntry) int { return strings.Compare(a.ID, b.ID) })
	return found
}
