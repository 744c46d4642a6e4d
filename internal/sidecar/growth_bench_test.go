package sidecar

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// BenchmarkGrowth measures one decision by how much there is of something, with the
// memory of decisions off. Each name ends with how much.
func BenchmarkGrowth(b *testing.B) {
	tree := benchmarkTree(b, stageCalls)
	decider := benchmarkSidecar(b, tree, cacheOff)
	b.Run("commands", func(b *testing.B) { growCommands(b, decider, tree) })
	b.Run("length", func(b *testing.B) { growLength(b, decider, tree) })
	b.Run("hostile", func(b *testing.B) { decideHostile(b, decider, tree) })
	b.Run("parsed", parseHostile)
	b.Run("rules", func(b *testing.B) { growRules(b, tree) })
	b.Run("sessions", func(b *testing.B) { growSessions(b, decider, tree) })
	b.Run("approvals", func(b *testing.B) { growApprovals(b, decider, tree) })
}

// growApprovals adds remembered answers that don't apply, for verbs and directories
// of all kinds.
func growApprovals(b *testing.B, decider *Sidecar, tree project.Tree) {
	b.Helper()
	bodies, known := benchmarkCalls()[2].bodies(b, tree, stageCalls), 0
	for _, size := range []int{10, 100, 1000, 10_000, 100_000} {
		entries := make([]v1.ApprovalEntry, 0, size)
		for ; known < size; known++ {
			entries = append(entries, v1.ApprovalEntry{
				ID: fmt.Sprintf("a-%06d", known), Audience: v1.AudiencePersonal, Agent: "*", Tool: v1.ToolShell,
				Verb:      fmt.Sprintf("verb%d run", known%500),
				Directory: new(fmt.Sprintf("/srv/p%d/src", known)), CreatedAt: time.Now(),
			})
		}
		decider.Memory.Approvals.Remember(entries, nil)
		b.Run(strconv.Itoa(size), func(b *testing.B) { decideInTurn(b, decider, bodies) })
	}
}

// growSessions lets ever more sessions ask in turn.
func growSessions(b *testing.B, decider *Sidecar, tree project.Tree) {
	b.Helper()
	var bodies [][]byte
	call := benchmarkCalls()[2]
	for _, size := range []int{1, 10, 100, 1000, 10_000} {
		for known := len(bodies); known < size; known++ {
			session := benchmarkSession(tree, fmt.Sprintf("s-%05d", known))
			body := bodyOf(b, v1.Call{Tool: call.tool, Args: []byte(call.fixed), Cwd: tree.Project, Session: session})
			_, err := wholeWay(b.Context(), decider, body) // the first call of a session is written down
			require.NoError(b, err)
			bodies = append(bodies, body)
		}
		b.Run(strconv.Itoa(size), func(b *testing.B) { decideInTurn(b, decider, bodies) })
	}
}

// growCommands joins ever more commands, each of which reads a file of its own.
func growCommands(b *testing.B, decider *Sidecar, tree project.Tree) {
	b.Helper()
	for _, size := range []int{1, 5, 10, 20, 40, 64} {
		commands := make([]string, size)
		for i := range commands {
			commands[i] = fmt.Sprintf("wc -l src/f%04d.go", i)
		}
		body := shellBody(b, tree, strings.Join(commands, " && "))
		b.Run(strconv.Itoa(size), func(b *testing.B) { decideInTurn(b, decider, [][]byte{body}) })
	}
}

// growLength makes one command's argument longer. The name is the length in bytes.
func growLength(b *testing.B, decider *Sidecar, tree project.Tree) {
	b.Helper()
	for _, size := range []int{256, 1 << 10, 4 << 10, 8 << 10, 16 << 10} {
		line := "grep -n '" + strings.Repeat("some plain text ", size/16)
		body := shellBody(b, tree, line[:size-len("' src/main.go")]+"' src/main.go")
		b.Run(strconv.Itoa(size), func(b *testing.B) { decideInTurn(b, decider, [][]byte{body}) })
	}
}

// growRules judges the same facts by ever more rules of an operator, each of which
// begins with an index key that the call doesn't have.
func growRules(b *testing.B, tree project.Tree) {
	b.Helper()
	body := benchmarkCalls()[2].bodies(b, tree, 1)
	for _, size := range []int{0, 10, 100, 1000} {
		variables := []string{cacheOff}
		if size > 0 {
			variables = append(variables, "POLICYD_BUNDLE="+ruleBundle(b, size))
		}
		decider := benchmarkSidecar(b, tree, variables...)
		in := &stage(b, decider, body)[0].input
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			current := decider.Policy.Current()
			b.ReportAllocs()
			for b.Loop() {
				if err := judged(current.Judge(b.Context(), in)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// ruleBundle writes a bundle of so many rules.
func ruleBundle(b *testing.B, size int) string {
	b.Helper()
	var rules strings.Builder
	rules.WriteString("package site.many\n")
	for i := range size {
		fmt.Fprintf(&rules, `
deny contains {"rule": "site/many", "code": "never", "message": "never run this", "item": i} if {
	"verb%[1]d run" in input.verbs
	some i, item in input.items
	item.verb == "verb%[1]d run"
}
`, i)
	}
	dir := b.TempDir()
	for name, text := range map[string]string{
		".manifest":           `{"roots": ["site/many"], "rego_version": 1}`,
		"site/many/many.rego": rules.String(),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func shellBody(b *testing.B, tree project.Tree, line string) []byte {
	b.Helper()
	return requestBody(b, tree, "Bash", arguments(b, line))
}
