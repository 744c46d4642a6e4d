package approvals_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// mostRatio is how much more a lookup among a hundred thousand answers may cost
// than one among ten.
const mostRatio = 1.3

// BenchmarkMatching looks one call up among few and many answers, one of which applies, and fails if the many
// cost more than mostRatio.
func BenchmarkMatching(b *testing.B) {
	nanoseconds := map[int]float64{}
	for _, size := range []int{10, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			h := build(b)
			entries := make([]v1.ApprovalEntry, size)
			for i := range entries {
				entries[i] = v1.ApprovalEntry{
					ID: fmt.Sprintf("a-%06d", i), Audience: v1.AudiencePersonal, Agent: "*", Tool: v1.ToolShell,
					Verb: fmt.Sprintf("verb%d run", i%500), Directory: new(fmt.Sprintf("/srv/p%d/src", i)), CreatedAt: noon,
				}
			}
			entries[size/2].Verb, entries[size/2].Directory = "git push", new("/srv/proj")
			h.Remember(entries, nil)
			facts := call()
			require.Len(b, h.Matching(facts, key{1}), 1)
			b.ReportAllocs()
			count := 0
			for b.Loop() {
				h.Matching(facts, key{1})
				count++
			}
			if count > 10_000 { // fewer say nothing
				nanoseconds[size] = float64(b.Elapsed().Nanoseconds()) / float64(count)
			}
		})
	}
	if len(nanoseconds) < 2 {
		return
	}
	ratio := nanoseconds[100_000] / nanoseconds[10]
	b.Logf("among 10: %.0f ns, among 100,000: %.0f ns, ratio %.2f", nanoseconds[10], nanoseconds[100_000], ratio)
	require.LessOrEqual(b, ratio, mostRatio)
}
