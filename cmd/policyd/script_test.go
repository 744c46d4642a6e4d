package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"policyd/internal/contain"
	"policyd/internal/hook"
	"policyd/test/project"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// TestMain lets scripts run the real program under its own name.
func TestMain(m *testing.M) {
	contain.Stage() // as main does: probes start this program again
	testscript.Main(m, map[string]func(){
		"policyd":      main,
		"policyd-hook": func() { os.Exit(hook.Main(os.Args[1:])) },
	})
}

// TestScripts runs the command line as people do. Each script has a home of its
// own and, in $PROJECT, a project of ordinary shape.
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	testscript.Run(t, testscript.Params{
		Files:               scripts,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "envsubst": substitute,
		},
		Setup: func(env *testscript.Env) error {
			tree, err := project.New(t.Context(), env.WorkDir)
			if err != nil {
				return err
			}
			home := filepath.Join(env.WorkDir, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("PROJECT", tree.Project)
			env.Setenv("OTHER", tree.Other)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return nil
		},
	})
}

// status runs a program that has to end with the given exit status.
func status(script *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		script.Fatalf("usage: status <number> <program> [arguments]")
	}
	err := script.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		script.Fatalf("%s ended with status 0, not %s: %v", args[1], args[0], err)
	}
	if got := strconv.Itoa(exit.ExitCode()); got != args[0] {
		script.Fatalf("%s ended with status %s, not %s", args[1], got, args[0])
	}
}

// substitute replaces the script's variables in files.
func substitute(script *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := os.Expand(script.ReadFile(name), script.Getenv)
		script.Check(os.WriteFile(script.MkAbs(name), []byte(text), 0o600))
	}
}
