package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/test/decider"
)

// literalForms write a text of the line as what a command prints.
var literalForms = []func(quoted, text string) string{
	func(quoted, _ string) string { return `"$(echo ` + quoted + `)"` },
	func(quoted, _ string) string { return `"$(printf '%s' ` + quoted + `)"` },
	func(quoted, _ string) string { return `"$(printf '%s\n' ` + quoted + ` 2>/dev/null)"` },
	func(_, text string) string { return "\"$(cat <<'END_OF_TEXT'\n" + text + "\nEND_OF_TEXT\n)\"" },
}

// split cuts the last word off a simple command of plain words.
func split(line string) (front, last string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 || file.Stmts[0].Background || file.Stmts[0].Negated {
		return "", "", false
	}
	call, simple := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !simple || len(call.Args) < 2 {
		return "", "", false
	}
	word := call.Args[len(call.Args)-1]
	last = word.Lit()
	if quoted, isQuoted := word.Parts[0].(*syntax.SglQuoted); isQuoted && len(word.Parts) == 1 && !quoted.Dollar {
		last = quoted.Value
	} else if strings.ContainsAny(last, "\\*?[]{}~=!^#") {
		return "", "", false
	}
	if last == "" || last[0] == '-' || strings.ContainsAny(last, "\\") || strings.HasSuffix(last, "\n") || int(word.End().Offset()) != len(strings.TrimRight(line, " \n")) {
		return "", "", false
	}
	return line[:word.Pos().Offset()], last, true
}

// judged is what a decision comes to.
func judged(decision *v1.Decision) string {
	out := string(decision.Effect)
	if decision.Prompt == nil {
		return out
	}
	for _, choice := range decision.Prompt.Choices {
		out += "; " + choice.Key + ": " + choice.Saves
	}
	return out
}

// TestTextOfASubstitutionIsJudgedAsItStands checks that a word which a here-document, echo or printf of the
// line prints is judged as the same word in quotes: it is allowed, denied or asked alike, with the same
// choices.
func TestTextOfASubstitutionIsJudgedAsItStands(t *testing.T) {
	a := ask(t)
	compared, prompted := 0, 0
	for n, line := range a.share(t) {
		front, last, ok := split(line.Command)
		if !ok || line.Windows || line.Platform != "" || line.Shell != "" || slices.Contains([]string{"export", "declare", "local", "readonly", "typeset"}, strings.Fields(front)[0]) ||
			testing.Short() && n%sampled != 0 {
			continue
		}
		quoted := "'" + strings.ReplaceAll(last, "'", `'\''`) + "'"
		line.Command = front + quoted
		want := a.probe(t, line)
		for _, form := range literalForms {
			line.Command = front + form(quoted, last)
			compared++
			got := a.probe(t, line)
			if strings.HasPrefix(want, string(v1.EffectPrompt)) {
				prompted++
			}
			assert.Equal(t, want, got, line.Command)
		}
	}
	t.Logf("%d lines, %d of them ask", compared, prompted)
	require.Greater(t, compared, 400)
	require.Greater(t, prompted, 50)
}

// probe decides a line without asking anybody.
func (a *asking) probe(t *testing.T, line decider.Line) string {
	t.Helper()
	call := a.call(line, true)
	decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{})
	out := judged(&decision)
	if decision.Prompt != nil {
		require.NoError(t, a.book.Withdraw(t.Context(), decision.Prompt.ID))
	}
	return out
}

// TestKnownValuesAreJudgedAsTheirText checks that a word which begins with what a program prints is judged as
// the same word with the text in its place.
func TestKnownValuesAreJudgedAsTheirText(t *testing.T) {
	a := ask(t)
	home := filepath.Dir(a.project)
	values := map[string]string{
		"pwd": a.project, "git rev-parse --show-toplevel": a.project, "git rev-parse --git-dir": ".git", "git rev-parse --absolute-git-dir": a.project + "/.git",
		"go env GOPATH": home + "/go", "go env GOMODCACHE": home + "/go/pkg/mod",
	}
	effects := map[string]int{}
	for producer, text := range values {
		for _, rest := range []string{"/README.md", "/example.org/x@v1/a.go", "/../other", "/.env", "/*.md", "/.ssh/id_rsa", "/pkg/mod/x"} {
			for _, form := range []string{
				"cat %s", "ls -la %s", "head -5 %s | wc -l", "grep -rn foo %s", "find %s -name '*.go'", "M=%s; sed -n 1,5p $M", "M=%s && tail -3 \"$M\"",
				"rm %s", "echo x > %s", "cp README.md %s", "./x.sh %s", "git log -- %s", "for f in %s; do cat \"$f\"; done", "[ -f %s ] && cat %[1]s",
			} {
				want := a.probe(t, decider.Line{Command: fmt.Sprintf(form, text+rest)})
				got := a.probe(t, decider.Line{Command: fmt.Sprintf(form, "$("+producer+")"+rest)})
				effects[fmt.Sprintf("%q", want[:1])]++
				if strings.HasPrefix(want, string(v1.EffectAllow)) && strings.HasPrefix(rest, "/../") {
					continue
				}
				if strings.HasPrefix(got, string(v1.EffectAllow)) || strings.HasPrefix(want, string(v1.EffectAllow)) && !strings.Contains(form, "x.sh") {
					assert.Equal(t, want, got, "%s of $(%s)%s", form, producer, rest)
				}
			}
		}
	}
	t.Log(effects)
}
