package trust

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V5: settings with which git opens more, and those of a partial clone, be they the person's.
func TestEffectsOnWhatGitOpens(t *testing.T) {
	for text, want := range map[string]Effects{
		"[remote \"origin\"]\n\tpromisor = true\n": LazyFetch, "[core]\n\tnotesRef = refs/x\n": OpensMore, "[notes]\n\tdisplayRef = refs/*\n": OpensMore,
		"[mailmap]\n\tblob = HEAD:.mailmap\n": OpensMore, "[log]\n\tdiffMerges = remerge\n": OpensMore, "[log]\n\tdiffMerges = separate\n": 0,
		"[branch]\n\tsort = ahead-behind:main\n": OpensMore, "[tag]\n\tsort = version:refname\n": 0, "[pretty]\n\tx = %(describe)\n": OpensMore,
		"[pretty \"a\"]\n\tb = %(describe)\n": OpensMore, "[format]\n\tpretty = %h\n": 0, "[diff]\n\trenames = copies\n": FindsCopies,
		"[status]\n\trenames = copy\n": FindsCopies, "[diff]\n\trenames = true\n": 0, "[showBranch]\n\tdefault = x\n": OpensMore,
	} {
		s := newSandbox(t)
		s.Commit(s.Project)
		s.Append(s.Home+"/.gitconfig", text)
		assert.Equal(t, want, s.inspect(s.Project, "log").Effects, text)
	}
}
