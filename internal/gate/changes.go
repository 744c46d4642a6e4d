package gate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// changesOutside reports whether the call changes files outside, so that the answers that the
// policy proposes would open the places of these, too.
func (e *evaluation) changesOutside() bool {
	lasting := slices.Contains(e.result.Choices, v1.ChoiceSession) || slices.Contains(e.result.Choices, v1.ChoiceAlwaysHere)
	return lasting && slices.ContainsFunc(e.result.Uncovered, func(index int) bool {
		path := e.outside(index)
		return path != nil && changes(path)
	})
}

func changes(path *v1.Path) bool { return path.Op == v1.OpWrite || path.Op == v1.OpDelete }

// changed reports whether the call changes this very path.
func (e *evaluation) changed(real string) bool {
	return slices.ContainsFunc(e.input.Paths, func(path v1.Path) bool { return path.Real == real && changes(&path) })
}

// open notes the places outside that a lasting answer would open, and the commands that it would approve
// beside: those that are left once the places are open. It returns what the call would be judged by then, nil
// if the places can't be opened.
func (e *evaluation) open(ctx context.Context, scope *v1.PromptScope) *v1.Input {
	in, err := e.opened(ctx, scope)
	if err != nil {
		scope.Changes, scope.Roots = nil, nil
		return nil
	}
	return in
}

func (e *evaluation) opened(ctx context.Context, scope *v1.PromptScope) (*v1.Input, error) {
	if e.gate.options.Sessions == nil || e.snapshot == nil {
		return nil, errors.New("there is no session to open a place for")
	}
	if scope.Changes = e.roots(e.gate.options.Sessions.ChangingRoot, changes); len(scope.Changes) == 0 {
		return nil, errors.New("a place that is changed can't be opened")
	}
	scope.Roots = e.readingRoots(scope.Changes)
	grants := slices.Clip(e.grants())
	for _, root := range scope.Changes {
		grants = append(grants, v1.PathGrant{ID: "offered", Root: root, Mode: v1.GrantReadWrite})
	}
	for _, root := range scope.Roots {
		grants = append(grants, v1.PathGrant{ID: "offered", Root: root, Mode: v1.GrantReading})
	}
	in := e.input
	var err error
	if in.Facts, err = e.snapshot.Extract(ctx, e.call, grants); err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	e.remember(&in)
	result, err := e.snapshot.Judge(ctx, &in)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	scope.Items = promptItems(&in, result.Uncovered)
	places := append(slices.Concat(scope.Changes, scope.Roots), e.input.Session.ProjectDir, e.input.Session.SessionDir)
	for i := range scope.Items {
		if !slices.ContainsFunc(places, func(place string) bool { return e.approvable(place, scope.Items[i].Directory) }) {
			return nil, fmt.Errorf("%s would be approved in %s", scope.Items[i].Verb, scope.Items[i].Directory)
		}
	}
	return &in, nil
}

// approvable reports whether a command could be approved in a directory if a place is open: in the place, or in the
// file that it changes. An approval for the containing directory would cover more than the path. Beside a file that is
// opened alone it wouldn't: every other file there is still outside, unless the session works in it.
func (e *evaluation) approvable(place, directory string) bool {
	own := within(e.input.Session.ProjectDir, directory) || within(e.input.Session.SessionDir, directory)
	dir, files := strings.CutSuffix(place, "/*")
	switch {
	case place == "":
		return false
	case files:
		return path.Dir(directory) == dir && e.changed(directory)
	}
	return within(directory, place) || directory == path.Dir(place) && e.changed(place) && !own
}
