package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

const (
	acmeVerbs = `programs:
  acme:
    options: {"-p,--profile": value}
    separators: [operand]
    commands:
      status: {options: {"--json": none, "-o,--output": write}, operands: [{roles: ["service:value*"]}]}
      deploy: {network: true}
common:
  acme status:
    - form: {"-p": value, "--json": none, "<service>": value}
  sort:
    - form: {"-R": none}
`
	acmeTools = `clients:
  generic:
    tools:
      ticket_lookup: {kind: internal, inert: [id]}
      report_read: {kind: read, paths: {report: read}, inert: [page]}
  acme-agent:
    tools:
      run_job: {kind: shell, command: [script], inert: [note]}
`
)

// operatorCalls are calls that the files allow, and some like them that they don't.
func operatorCalls(t *testing.T, tree project.Tree) map[string]struct {
	call   v1.Call
	listed string
} {
	t.Helper()
	made := map[string]struct {
		call   v1.Call
		listed string
	}{}
	for _, one := range []struct{ agent, tool, key, value, listed string }{
		{"claude-code", "Bash", "command", "acme status --json", "allow"},
		{"claude-code", "Bash", "command", "acme -p x status web --json | wc -l", "allow"},
		{"claude-code", "Bash", "command", "acme status --jsn", "prompt"},
		{"claude-code", "Bash", "command", "acme status -o x", "prompt"},
		{"claude-code", "Bash", "command", "acme status > x", "prompt"},
		{"claude-code", "Bash", "command", "acme deploy", "prompt"},
		{"claude-code", "Bash", "command", "acme", "prompt"},
		{"claude-code", "Bash", "command", "./acme status", "prompt"},
		{"in-house", "ticket_lookup", "id", "4", "allow"},
		{"in-house", "ticket_lookups", "id", "4", "prompt"},
		{"in-house", "report_read", "report", "README.md", "allow"},
		{"in-house", "report_read", "report", "/etc/passwd", "prompt"},
		{"in-house", "report_read", "reports", "README.md", "prompt"},
		{"claude-code", "report_read", "report", "README.md", "prompt"},
		{"acme-agent", "run_job", "script", "ls", "allow"},
		{"acme-agent", "run_job", "script", "make deploy", "prompt"},
		{"in-house", "run_job", "script", "ls", "prompt"},
	} {
		args, err := json.Marshal(map[string]string{one.key: one.value})
		require.NoError(t, err)
		call := v1.Call{Tool: one.tool, Args: args, Session: session(tree, one.agent)}
		made[one.agent+" "+one.tool+" "+one.value+one.key] = struct {
			call   v1.Call
			listed string
		}{call, one.listed}
	}
	return made
}

// V5, V12: the files of the operator decide; unusable ones are reported and decide nothing, and a corrected
// one decides again.
func TestOperatorFilesDecide(t *testing.T) {
	tree, dir := newTree(t), t.TempDir()
	put(t, dir, "verbs.yaml", acmeVerbs)
	put(t, dir, "tools.yaml", acmeTools)
	s := startSet(t, "safe_verbs: {file: "+dir+"/verbs.yaml}\ncatalog: {file: "+dir+"/tools.yaml}\n")
	calls := operatorCalls(t, tree)
	decide := func(want func(listed string) string) {
		for name, one := range calls {
			one.call.Session.ID = strings.NewReplacer(" ", "-", "/", "-").Replace(name) // a session has few open prompts
			decision := s.decide(t, one.call)
			assert.Equal(t, want(one.listed), decision.Effect.String(), "%s: %+v", name, decision.Reasons)
		}
	}
	decide(func(listed string) string { return listed })
	with := s.decide(t, calls["in-house ticket_lookup 4id"].call).Policy.Revision

	put(t, dir, "verbs.yaml", strings.Replace(acmeVerbs, "--json\": none, \"<service>", "--jsn\": none, \"<service>", 1))
	put(t, dir, "tools.yaml", strings.Replace(acmeTools, "kind: shell", "kind: harmless", 1))
	require.NoError(t, s.command.Process.Signal(syscall.SIGHUP))
	for _, key := range []string{"safe_verbs", "catalog"} {
		eventually(t, key+" is told to be malformed", func() bool { ok, _ := s.verbose(t, key); return !ok })
	}
	_, detail := s.verbose(t, "safe_verbs")
	assert.Contains(t, detail, dir+"/verbs.yaml:10: common.acme status[0].form.--jsn: ")
	_, detail = s.verbose(t, "catalog")
	assert.Contains(t, detail, dir+"/tools.yaml:8: clients.acme-agent.tools.run_job.kind: ")
	status, _ := ask(t, s.socketClient(), http.MethodGet, "http://localhost/readyz", "", "")
	assert.Equal(t, http.StatusOK, status)
	eventually(t, "the log says so", func() bool {
		return strings.Contains(s.stderr.String(), "verbs.yaml:10") && strings.Contains(s.stderr.String(), "tools.yaml:8")
	})
	eventually(t, "the policy before the files is in force", func() bool {
		return s.decide(t, calls["in-house ticket_lookup 4id"].call).Policy.Revision != with
	})
	decide(func(string) string { return "prompt" })

	put(t, dir, "verbs.yaml", acmeVerbs)
	put(t, dir, "tools.yaml", acmeTools)
	for _, key := range []string{"safe_verbs", "catalog"} {
		eventually(t, key+" is mended", func() bool { ok, _ := s.verbose(t, key); return ok })
	}
	eventually(t, "the files are in force again", func() bool {
		return s.decide(t, calls["in-house ticket_lookup 4id"].call).Policy.Revision == with
	})
	decide(func(listed string) string { return listed })
}

// malformedFiles are contents that can't be used, by the setting, and what the warning says.
var malformedFiles = map[string][]struct{ content, want string }{
	"safe_verbs": {
		{"", "holds nothing"},
		{"common: {", "not YAML"},
		{"- common", "wrong type"},
		{"verbs: {}", "verbs: unknown key; allowed: common, darwin, linux, programs, windows"},
		{"common: {sort: {form: {}}}", ":1: common.sort: wrong type"},
		{"common:\n  sort: []", ":2: common.sort: the list is empty"},
		{"common:\n  sort:", ":2: common.sort: wrong type"},
		{"common:\n  sort:\n    - {}", ":3: common.sort[0].form: the key is missing"},
		{"common:\n  sort:\n    - form: [-r]", ":3: common.sort[0].form: wrong type"},
		{"common:\n  sort:\n    - form: {-r: none}\n      safe: true", ":4: common.sort[0].safe: unknown key"},
		{"common:\n  sort:\n    - form: {-r: harmless}", `:3: common.sort[0].form.-r: unknown kind "harmless"`},
		{"common:\n  sort:\n    - form:\n        -o: write", `:4: common.sort[0].form.-o: the kind "write" does more than read`},
		{"common:\n  rm:\n    - form: {<file>: delete}", "never safe"},
		{"common:\n  acme status:\n    - form: {}", "the program acme is in no table"},
		{"common:\n  git look:\n    - form: {}", "git has no command look"},
		{"common:\n  sort:\n    - form: {--reverse: none}", "facts call this option -r"},
		{"programs:\n  git: {options: {--json: none}}", ":2: programs.git: the program is in the table already"},
		{"programs:\n  python3.99: {}", ":2: programs.python3.99: the program is in the table already"},
		{"programs:\n  eval: {}", ":2: programs.eval: a shell or policyd gives the name a meaning"},
		{"programs:\n  acme:\n    wrapper: plain", ":3: programs.acme.wrapper: unknown key"},
		{"programs:\n  acme:\n    options: {--x: sudo}", `:3: programs.acme.options.--x: unknown kind "sudo"`},
		{"programs:\n  acme: {network: 1}", ":2: programs.acme.network: wrong type"},
		{"{\n\t\"common\": {\n\t\t\"sort\": [{}]\n\t}\n}", ":3: common.sort[0].form: the key is missing"},
	},
	"catalog": {
		{"clients:", "wrong type"},
		{"tools: {}", "tools: unknown key"},
		{"clients: {generic: {inherits: claude}}", "inherits: unknown key"},
		{"clients:\n  generic:\n    tools:\n      ours: {}", ":4: clients.generic.tools.ours.kind: the key is missing"},
		{"clients:\n  generic:\n    tools:\n      ours: {kind: harmless}", `"harmless" is no kind`},
		{"clients:\n  generic:\n    tools:\n      ours: {kind: other, inert: x}", "wrong type"},
		{"clients:\n  generic:\n    tools:\n      ours: {kind: internal, paths: {p: write}}", "has no paths"},
		{"clients:\n  claude-code:\n    tools:\n      Bash: {kind: internal}", ":4: clients.claude-code.tools.Bash: the catalog has this tool already"},
		{"clients:\n  new:\n    tools:\n      write_file: {kind: internal}", "the catalog has this tool already"},
		{"clients:\n  generic:\n    tools:\n      fs/write_text_file: {kind: internal}", "ACP method"},
	},
}

// V5: the doctor reports every unusable file, with file and entry, and the built-in list decides; the start
// continues.
func TestMalformedOperatorFiles(t *testing.T) {
	tree, dir := newTree(t), t.TempDir()
	put(t, dir, "policyd.yaml", "")
	run := func(settings string, arguments ...string) string {
		put(t, dir, "policyd.yaml", settings)
		command := exec.CommandContext(t.Context(), program, append(arguments, "--config", "policyd.yaml", "--state-dir", filepath.Join(dir, "state"))...)
		command.Dir, command.Env = dir, environment(tree.Home)
		out, err := command.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
		return string(out)
	}
	for key, cases := range malformedFiles {
		for _, one := range cases {
			put(t, dir, "file.yaml", one.content)
			said := run(key+": {file: "+dir+"/file.yaml}\n", "doctor")
			line := said[max(strings.Index(said, "warn"), 0):]
			assert.Contains(t, line, "policy         "+key+".file: "+dir+"/file.yaml", one.content)
			assert.Contains(t, line, one.want, one.content)
			assert.Contains(t, line, "the built-in list decides until it is mended")
		}
	}
	said := run("safe_verbs: "+dir+"/missing.yaml\n", "doctor")
	assert.Contains(t, said, dir+"/missing.yaml: there is no such file")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "directory"), 0o755))
	assert.Contains(t, run("catalog: "+dir+"/directory\n", "doctor"), "is no regular file")

	put(t, dir, "file.yaml", acmeTools)
	known := "catalog: {file: " + dir + "/file.yaml}\nagents: {acme-agent: {deny_tools: [run_job, ticket_lookup]}}\n"
	assert.NotContains(t, run(known, "doctor"), "warn")

	call := func(name, line string) {
		body, err := json.Marshal(v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command": "` + line + `"}`), Session: session(tree, "claude-code")})
		require.NoError(t, err)
		put(t, dir, name, string(body))
	}
	call("listed.json", "ls")
	call("asked.json", "acme status")
	settings := "safe_verbs: {file: " + dir + "/file.yaml}\n"
	for verbs, want := range map[string]string{acmeVerbs: "allow\n", acmeVerbs + "    - {}\n": "prompt\n"} {
		put(t, dir, "file.yaml", verbs)
		assert.Equal(t, "allow\n", run(settings, "decide", "--quiet", "listed.json"))
		assert.Equal(t, want, run(settings, "decide", "--quiet", "asked.json"))
	}
}

// P6: no agent may write policyd's own input files.
func TestOperatorFilesAreProtected(t *testing.T) {
	tree := newTree(t)
	for name, content := range map[string]string{"verbs.yaml": acmeVerbs, "tools.yaml": acmeTools} {
		put(t, tree.Project, name, content)
	}
	s := startSet(t, "safe_verbs: {file: "+tree.Project+"/verbs.yaml}\ncatalog: {file: "+tree.Project+"/tools.yaml}\n")
	for _, name := range []string{"verbs.yaml", "tools.yaml"} {
		args, err := json.Marshal(map[string]string{"file_path": filepath.Join(tree.Project, name), "content": "x"})
		require.NoError(t, err)
		call := v1.Call{Tool: "Write", Args: args, Session: session(tree, "claude-code")}
		assert.Equal(t, "protected_always", s.decide(t, call).Reasons[0].Code, name)
	}
}

// V5: forms that may change something are active and warned of, at the start, by the doctor and when a file
// changes.
func TestFormsThatMayChangeSomethingAreWarnedOf(t *testing.T) {
	tree, dir := newTree(t), t.TempDir()
	put(t, dir, "verbs.yaml", "common:\n  git gc:\n    - form: {}\n")
	s := startSet(t, "safe_verbs: {file: "+dir+"/verbs.yaml, common: {git prune: [{form: {}}], git repack: [{form: {}, reads_only: true}]}}\n")
	s.register(t, tree, "s")
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git gc").Effect)
	eventually(t, "the file and the setting are warned of", func() bool {
		said := s.stderr.String()
		return strings.Contains(said, dir+"/verbs.yaml:3: common.git gc[0]: ") && strings.Contains(said, "safe_verbs.common.git prune[0]: ")
	})
	assert.NotContains(t, s.stderr.String(), "git repack")
	ok, _ := s.verbose(t, "safe_verbs")
	assert.True(t, ok, "they are in force")
	said := s.cli(t, "doctor --config "+filepath.Join(filepath.Dir(s.stateDir), "policyd.yaml"))
	assert.Contains(t, said, "common.git gc[0]: no built-in form vouches")
	assert.Contains(t, said, "safe_verbs.common.git prune[0]: no built-in form vouches")
	put(t, dir, "verbs.yaml", "common:\n  git gc:\n    - {form: {}, reads_only: true}\n  git pack-refs:\n    - form: {}\n")
	require.NoError(t, s.command.Process.Signal(syscall.SIGHUP))
	eventually(t, "what was added is warned of", func() bool { return strings.Contains(s.stderr.String(), "common.git pack-refs[0]: ") })
	assert.NotContains(t, s.cli(t, "doctor --config "+filepath.Join(filepath.Dir(s.stateDir), "policyd.yaml")), "common.git gc[0]")
}
