package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/test/decider"
)

// approve answers a line with "Always here".
func (a *asking) approve(t *testing.T, line string) {
	t.Helper()
	call := a.call(decider.Line{Command: line}, true)
	decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{})
	require.Equal(t, v1.EffectPrompt, decision.Effect, line)
	_, err := a.book.Answer(t.Context(), decision.Prompt.ID, v1.AnswerRequest{Choice: v1.ChoiceAlwaysHere, By: "test"})
	require.NoError(t, err, line)
}

// covered reports whether a line is allowed.
func (a *asking) covered(t *testing.T, line string) (allowed bool, reasons []v1.Reason) {
	t.Helper()
	call := a.call(decider.Line{Command: line}, true)
	decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{Probe: true})
	return decision.Effect == v1.EffectAllow, decision.Reasons
}

// glue puts a command among others that do no more than it does.
var glue = []string{
	"%s 2>&1 | tail -20", "%s || true", "%s; echo \"exit $?\"", "%s > /dev/null 2>&1; echo $?", "timeout 60 %s", "time %s", "nice -n 10 %s", "env CI=1 %s",
	"stdbuf -oL %s", "command %s", "%s & wait", "%s & wait $!", "%s & PID=$!; wait $PID; echo $?", "sleep 1; %s", "sleep 1 && %s", "set -e; %s", "set -o pipefail; %s | head -5",
	"set -euo pipefail\n%s", "for f in a b; do %s; done", "for i in $(seq 1 3); do %s; done", "for i in 1 2; do %s && break; sleep 1; done",
	"while true; do %s; sleep 1; done", "if %s; then echo ok; else echo bad; fi", "[ -f a.txt ] && %s", "[[ -d src ]] || %s", "( %s )", "{ %s; }", "! %s", "true && %s",
	"cd src && %s", "cd . && %s", "FOO=1 %s", "FOO=1; %s", "export FOO=1 && %s", "export FOO=1 BAR='a b'; %s", "FOO=1; export FOO; %s", "unset FOO; %s", "env FOO=1 %s",
	"NODE_ENV=test PORT=3000 %s", "export NODE_ENV=test\n%s", "OUT=$(date +%%F); %s", "DEBUG=$(pwd); %s", "START=$(date +%%s); %s; echo $(( $(date +%%s) - START ))",
	"echo '== run =='; %s", "%s | grep -c ok", "%s; echo \"${PIPESTATUS[0]}\"", "f() { %s; }; f", "MSG=$(cat <<'EOF'\ntext\nEOF\n); %s; echo \"$MSG\"",
}

// TestGlueAddsNoQuestion checks that an approval of a command covers it in what agents put around their
// commands, and that nothing else is covered so.
func TestGlueAddsNoQuestion(t *testing.T) {
	a := ask(t)
	a.approve(t, "go test ./...")
	for _, around := range glue {
		allowed, reasons := a.covered(t, fmt.Sprintf(around, "go test ./..."))
		assert.True(t, allowed, "%q: %v", around, reasons)
		for _, other := range []string{"rm -rf src", "go run ./src", "GOFLAGS=-toolexec=x go test ./..."} {
			if strings.HasPrefix(other, "GOFLAGS") && !strings.Contains(around, "; %s") {
				continue // an assignment is no word of a wrapper's
			}
			allowed, _ := a.covered(t, fmt.Sprintf(around, other))
			assert.False(t, allowed, "%q: %s", around, other)
		}
	}
}

// TestDangerousVariablesBreakApprovals checks that no approval covers a command behind a variable of the
// list, however it is set, and that one covers it behind any other.
func TestDangerousVariablesBreakApprovals(t *testing.T) {
	text, err := os.ReadFile("../../extract/argv/words.json")
	require.NoError(t, err)
	var words struct {
		Variables struct {
			Dangerous []string `json:"dangerous"`
			Local     []string `json:"local"`
		} `json:"variables"`
	}
	require.NoError(t, json.Unmarshal(text, &words))
	require.Greater(t, len(words.Variables.Dangerous), 250)
	a := ask(t)
	a.approve(t, "go test ./...")
	ways := []string{"%s=./x go test", "export %s=./x && go test", "export %s=./x; go test", "env %s=./x go test", "declare -x %s=./x; go test", "%s=./x; export %[1]s; go test"}
	for n, pattern := range words.Variables.Dangerous {
		name := strings.NewReplacer("*", "X", "[0-9]", "1").Replace(pattern)
		for w, way := range ways {
			if testing.Short() && (n+w)%len(ways) != 0 {
				continue
			}
			line := fmt.Sprintf(way, name)
			allowed, _ := a.covered(t, line)
			assert.False(t, allowed, line)
		}
	}
	local := words.Variables.Local
	if testing.Short() {
		local = local[:sampled]
	}
	for _, name := range append(slices.Clone(local), "FOO", "NODE_ENV", "DEBUG", "PORT", "MY_VAR", "GOOS", "VERBOSE") {
		if name == "RC" || name == "SRC" || name == "TMP" || name == "FILE_PATH" {
			continue // patterns of the list match these, too
		}
		for _, way := range []string{"%s=1; go test", "%s=1 go test", "export %s=1 && go test", "%s=1; export %[1]s; go test"} {
			line := fmt.Sprintf(way, name)
			allowed, reasons := a.covered(t, line)
			assert.True(t, allowed, "%s: %v", line, reasons)
		}
	}
}
