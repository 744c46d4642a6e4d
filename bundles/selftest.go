package bundles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/tester"
)

// runTests runs the tests of the last part over all parts. Settings are left out: tests
// hold what the bundle says, and an operator's choice is not a mistake in it.
func runTests(ctx context.Context, parts []part) error {
	modules := modulesOf(parts, isRule)
	tests := modulesOf(parts[len(parts)-1:], isTest)
	if len(tests) == 0 {
		return nil
	}
	for name, module := range tests {
		modules[name] = module
	}
	store, txn, err := newStore(ctx, mergeData(parts))
	if err != nil {
		return err
	}
	defer store.Abort(ctx, txn)
	results, err := tester.NewRunner().
		SetCompiler(newCompiler(ctx, store, txn)).
		SetModules(modules).
		SetStore(store).
		RaiseBuiltinErrors(true).
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
