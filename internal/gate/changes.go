package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "policyd/api/v1"
)

// changesOutside reports whether the call changes files outside, so that the answers that the
// policy proposes would open the places of these, too.
func (p *passage) changesOutside() bool {
	lasting := slices.Contains(p.result.Choices, v1.ChoiceSession) || slices.Contains(p.result.Choices, v1.ChoiceAlwaysHere)
	return lasting && slices.ContainsFunc(p.result.Uncovered, func(index int) bool {
		path := p.outside(index)
		return path != nil && changes(path)
	})
}

func changes(path *v1.Path) bool { return path.Op == v1.OpWrite || path.Op == v1.OpDelete }

// open notes the places outside that a lasting answer would open, and the commands that it would approve
// beside: those that are left once the places are open. It returns what the call would be judged by then, nil
// if the places can't be opened.
func (p *passage) open(ctx context.Context, scope *v1.PromptScope) *v1.Input {
	in, err := p.opened(ctx, scope)
	if err != nil {
		scope.Changes, scope.Roots = nil, nil
		return nil
	}
	return in
}

func (p *passage) opened(ctx context.Context, scope *v1.PromptScope) (*v1.Input, error) {
	if p.gate.options.Sessions == nil || p.snapshot == nil {
		return nil, errors.New("there is no session to open a place for")
	}
	if scope.Changes = p.roots(p.gate.options.Sessions.ChangingRoot, changes); len(scope.Changes) == 0 {
		return nil, errors.New("a place that is changed can't be opened")
	}
	scope.Roots = p.readingRoots(scope.Changes)
	grants := slices.Clip(p.grants())
	for _, root := range scope.Changes {
		grants = append(grants, v1.PathGrant{ID: "offered", Root: root, Mode: v1.GrantReadWrite})
	}
	for _, root := range scope.Roots {
		grants = append(grants, v1.PathGrant{ID: "offered", Root: root, Mode: v1.GrantReading})
	}
	in := p.input
	var err error
	if in.Facts, err = p.snapshot.Extract(ctx, p.call, grants); err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	p.remember(&in)
	result, err := p.snapshot.Judge(ctx, &in)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	scope.Items = promptItems(&in, result.Uncovered)
	places := append(slices.Concat(scope.Changes, scope.Roots), p.input.Session.ProjectDir, p.input.Session.SessionDir)
	for i := range scope.Items {
		// An approval for the containing directory would cover more than the path.
		holds := func(place string) bool { return place != "" && within(scope.Items[i].Directory, place) }
		if !slices.ContainsFunc(places, holds) {
			return nil, fmt.Errorf("%s would be approved in %s", scope.Items[i].Verb, scope.Items[i].Directory)
		}
	}
	return &in, nil
}
