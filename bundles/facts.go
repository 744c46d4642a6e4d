package bundles

import (
	"errors"
	"fmt"
	"slices"

	v1 "policyd/api/v1"
)

// checkFacts refuses an input that contradicts itself. Rules follow its indices without
// looking, and a dangling one would leave a rule undefined instead of failing.
func checkFacts(in *v1.Input) error {
	switch {
	case in == nil:
		return errors.New("no input")
	case in.Schema != v1.FactsSchema:
		return fmt.Errorf("schema is %d, not %d", in.Schema, v1.FactsSchema)
	}
	for i := range in.Items {
		if path := in.Items[i].Path; path < -1 || path >= len(in.Paths) {
			return fmt.Errorf("item %d has path %d of %d", i, path, len(in.Paths))
		}
	}
	for i := range in.Paths {
		if item := in.Paths[i].Item; item < 0 || item >= len(in.Items) {
			return fmt.Errorf("path %d has item %d of %d", i, item, len(in.Items))
		}
	}
	return nil
}

// idle reports whether a command line runs nothing, being a comment for instance. It is
// the one call without items that may be allowed.
func idle(facts *v1.Facts) bool {
	return len(facts.Items) == 0 && facts.Complete && !facts.Messy && facts.Tool.Kind == v1.ToolShell &&
		slices.Contains(facts.About, "nothing")
}
