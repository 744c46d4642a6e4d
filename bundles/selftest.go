package bundles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/tester"
)

// Bounds of the tests in a bundle, in wall-clock time: testTimeout for each, and testPatience for all of them
// together, which a busy machine does not reach.
const (
	testTimeout  = 10 * time.Second
	testPatience = 2 * time.Minute
)

// runTests runs the tests of the changed part over all parts. It leaves out settings: tests check the bundle,
// and an operator's choice is not a mistake in it.
func runTests(ctx context.Context, parts []part, changed string) error {
	tests := false
	modules := modulesOf(parts, func(p *part, path string) bool {
		own := isTest(path) && p.name == changed
		tests = tests || own
		return own || isRule(p, path)
	})
	if !tests {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	data, err := mergeParts(parts)
	if err != nil {
		return err
	}
	store, txn, err := newStore(ctx, data)
	if err != nil {
		return err
	}
	defer store.Abort(ctx, txn)
	compiler, err := newCompiler(ctx, parts)
	if err != nil {
		return err
	}
	results, err := tester.NewRunner().
		SetCompiler(compiler).
		SetModules(modules).
		SetStore(store).
		RaiseBuiltinErrors(true).
		SetTimeout(testTimeout).
		RunTests(ctx, txn)
	if err != nil {
		return fmt.Errorf("compile tests: %w", err)
	}
	var failed []string
	for result := range results {
		if !result.Pass() && !result.Skip {
			failed = append(failed, describe(result))
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("run tests: %w", err)
	}
	slices.Sort(failed)
	if len(failed) > 0 {
		return fmt.Errorf("run tests: %w", errors.New(strings.Join(failed, "; ")))
	}
	return nil
}

func describe(result *tester.Result) string {
	text := fmt.Sprintf("%s: %s.%s failed", result.Location, result.Package, result.Name)
	if result.Error != nil {
		text += ": " + result.Error.Error()
	}
	return text
}
