package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/corpus/engine"
	"policyd/test/project"
)

// newApprovedPlace is a project with a secret file, files of instructions and a directory
// without either.
func newApprovedPlace(t *testing.T) place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"AGENTS.md", ".claude/settings.json", ".mcp.json", "clean/x.txt", "clean/deep/y.txt", "conf/.env", "a.tar", "a.zip"} {
		full := filepath.Join(tree.Project, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte("{}\n"), 0o600))
	}
	p := place{home: tree.Home, project: tree.Project}
	p.engine, err = engine.New(t.Context(), engine.Options{Home: tree.Home, Project: tree.Project, StateDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.engine.Close()) })
	return p
}

// approved judges a line after a person approved each of its own verbs, in the project and
// anywhere: the most that remembered answers can give.
func (p place) approved(t *testing.T, line string) v1.Judgement {
	t.Helper()
	call := p.call("Bash", map[string]any{"command": line})
	facts := p.engine.Facts(call, nil)
	var approvals []v1.Approval
	for _, item := range facts.Items {
		approvals = append(approvals,
			v1.Approval{ID: "anywhere", Tool: "shell", Verb: item.Verb, Anywhere: true},
			v1.Approval{ID: "here", Tool: "shell", Verb: item.Verb, Directory: p.project})
	}
	judgement, err := p.engine.Judge(t.Context(), call, nil, approvals)
	require.NoError(t, err)
	return judgement
}

// holdApproved holds which lines remembered answers allow.
func (p place) holdApproved(t *testing.T, allowed bool, lines []string) {
	t.Helper()
	require.NotEmpty(t, lines)
	for _, line := range lines {
		judgement := p.approved(t, line)
		assert.Equalf(t, allowed, judgement.Effect == v1.EffectAllow, "%s: %v", line, judgement.Reasons)
	}
}

// TestNoPathOfAnUnknownRoleIsMissed holds V6 and S1 for every notation in which a program may
// find a path.
func TestNoPathOfAnUnknownRoleIsMissed(t *testing.T) {
	p := newApprovedPlace(t)
	notations := []string{
		"mytool X", "mytool -oX", "mytool -o X", "mytool --out=X", "mytool --out X", "mytool @X", "mytool k=X", "mytool k=@X", "mytool --data=@X",
		"mytool a=b=X", "mytool -Dk=X", "mytool -Wl,-o,X", "mytool a,X,b", "mytool X:rw", "mytool a:X", "mytool a:X:b", "mytool file:X", "mytool FILE:X",
		"mytool fileb://X", "mytool -xzfX", "mytool -o'X'", "mytool 'k='X", "mytool \"--out=X\"", "mytool +X", "mytool %X", "mytool '<X'", "mytool 'a|X'",
		"mytool 'a;X'", "mytool -f=X", "mytool --out:X", "mytool '[X]'", "mytool '{X}'", "mytool 'cat X'", "mytool '{\"f\": \"X\"}'", "mytool https://h.example/a,X",
		"mytool sub X", "mytool -- X", "gcc -oX a.txt", "pandoc -oX a.txt", "webpack -oX", "npm view --unknown=X", "kubectl get --unknown=@X", "docker ps -zX",
		"gh api --unknown k=@X", "aws lambda update-function-code --zip-file fileb://X", "http POST h.example @X", "socat - FILE:X", "go build -unknown=X",
		"helm install x clean --set-file a=X", "terraform plan -unknown=X", "cargo build --unknown=a:X", "cmake -uX", "sort --unknown X", "grep --unknown X a.txt", "kustomize X", "gsutil k=X",
	}
	for _, notation := range notations {
		for _, path := range []string{".env", "/etc/x", "/root/.ssh/id_rsa", "../other/x", "~/x", "AGENTS.md", ".mcp.json", "id_rsa", "opencode.json"} {
			line := replaceX(notation, path)
			assert.NotEqualf(t, v1.EffectAllow, p.approved(t, line).Effect, "%s", line)
		}
		line := replaceX(notation, "clean/x.txt")
		if notation != "mytool X" && notation != "mytool @X" {
			continue
		}
		assert.Equalf(t, v1.EffectAllow, p.approved(t, line).Effect, "%s", line)
	}
	p.holdApproved(t, true, []string{
		"mytool -Isrc/include a.txt", "mytool -m 'fix: a and b'", "mytool --level=3 https://h.example/a?b=/c", `mytool '{"a": "b"}'`, "mytool -k a,b,c",
		"mytool clean", "mytool clean/deep", "gcc -o clean/x src/main.c", "mytool ssh://git@h.example/o/r",
	})
	// More marks than are looked at: no approval covers what was not read.
	long := "mytool "
	for range 200 {
		long += "a="
	}
	p.holdApproved(t, false, []string{long})
}

func replaceX(notation, path string) string {
	out := ""
	for i := range len(notation) {
		if notation[i] == 'X' {
			out += path
			continue
		}
		out += notation[i : i+1]
	}
	return out
}
