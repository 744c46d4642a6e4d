package shell

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

// proof is a line of testdata/separators.json: how a program is asked what it takes the
// words behind a separator for. The README beside the program table describes the fields.
type proof struct {
	Entry   string `json:"entry"`
	Package string `json:"package"`
	Version string `json:"version"`
	// As names the entry that runs the same program under another name.
	As string `json:"as"`
	// Family names the parser that both use, if they are two programs.
	Family string `json:"family"`
	// Argv is the command in front of the words, the entry's own words unless set.
	Argv []string `json:"argv"`
	// Before are words in front of all others that the program needs, First operands.
	Before []string `json:"before"`
	First  []string `json:"first"`
	// Option changes what the program prints; a file of this name is made, too.
	Option  string `json:"option"`
	Operand string `json:"operand"`
	// Word is true if operands are no files: an operand then appears in the output.
	Word   bool   `json:"word"`
	Sample string `json:"sample"`
	Stdin  string `json:"stdin"`
	Git    bool   `json:"git"`
}

func proofs(t *testing.T) map[string]proof {
	t.Helper()
	data, err := os.ReadFile("testdata/separators.json")
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var list []proof
	require.NoError(t, decoder.Decode(&list))
	require.NotEmpty(t, list)
	out := make(map[string]proof, len(list))
	for _, p := range list {
		require.NotContains(t, out, p.Entry, "twice")
		out[p.Entry] = p
	}
	return out
}

// Each entry that states separators has a proof, and each proof is used.
func TestSeparatorsAreStatedOfTestedPrograms(t *testing.T) {
	table, err := NewTable()
	require.NoError(t, err)
	tested := proofs(t)
	stated := table.Separators()
	require.NotEmpty(t, stated)
	for entry := range stated {
		require.Contains(t, tested, entry, "states separators that were not tested")
	}
	for entry, p := range tested {
		require.Contains(t, stated, entry, "is tested and states no separators")
		if p.As == "" {
			require.NotEmpty(t, p.Version, entry)
			require.NotEmpty(t, p.Package, entry)
			continue
		}
		require.Contains(t, tested, p.As, entry)
		require.Equal(t, stated[p.As].Ends, stated[entry].Ends, entry)
		require.Subset(t, stated[p.As].Tested, stated[entry].Tested, entry)
	}
}

// What the real programs take the words behind separators for is what the table states.
func TestSeparatorsAgainstPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each program some ten times")
	}
	table, err := NewTable()
	require.NoError(t, err)
	for entry, stated := range table.Separators() {
		p := proofs(t)[entry]
		if p.As != "" {
			continue
		}
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			b := newProbe(t, p)
			for _, separator := range stated.Tested {
				require.True(t, b.agrees(separator, stated.Ends), "%s: words behind %q", entry, separator)
			}
		})
	}
}

// probe runs a program in a directory with a file of the option's name, and in one without.
type probe struct {
	t             *testing.T
	proof         proof
	argv          []string
	with, without string
}

func newProbe(t *testing.T, p proof) *probe {
	t.Helper()
	argv := p.Argv
	if argv == nil {
		argv = strings.Fields(p.Entry)
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		t.Skipf("%s is not installed", argv[0])
	}
	if p.Operand == "" {
		p.Operand = "f.txt"
	}
	if p.Stdin == "" {
		p.Stdin = "a\tb line\n\n\nx\n"
	}
	b := &probe{t: t, proof: p, argv: append([]string{program}, argv[1:]...)}
	b.with, b.without = b.directory(true), b.directory(false)
	return b
}

// directory makes a directory with two files, and the one called as the option.
func (b *probe) directory(withOption bool) string {
	b.t.Helper()
	dir := filepath.Join(b.t.TempDir(), "d")
	require.NoError(b.t, os.Mkdir(dir, 0o700))
	write := func(name, text string) {
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, name), sample(b.t, b.proof.Sample, text), 0o600))
		changed := time.Unix(1e9, 0) // some print it
		require.NoError(b.t, os.Chtimes(filepath.Join(dir, name), changed, changed))
	}
	names := []string{"f.txt", "g.txt"}
	if withOption && !strings.Contains(b.proof.Option, "/") {
		names = append(names, b.proof.Option)
	}
	for _, name := range names {
		write(name, "a\tof "+name+"\n\n\nb  b\n")
	}
	if !b.proof.Git {
		return dir
	}
	git := func(args ...string) {
		command := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@x.example", "-c", "init.defaultBranch=main"}, args...)...)
		command.Dir, command.Env = dir, environment(dir)
		out, err := command.CombinedOutput()
		require.NoError(b.t, err, "%s", out)
	}
	git("init", "-q")
	git("add", "--", "f.txt", "g.txt")
	git("commit", "-qm", "first")
	git("add", "-A")
	if withOption {
		git("commit", "-qm", "second")
	}
	git("tag", "v1")
	for _, name := range names {
		write(name, "a of "+name+"\nc\n")
	}
	git("stash")
	for _, name := range names {
		write(name, "a of "+name+"\nd\n")
	}
	return dir
}

func environment(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "TERM=dumb", "NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2001-01-01T00:00:00Z", "GIT_PAGER=cat", "PAGER=cat",
	}
}

// sample is the content of a file as the program expects it.
func sample(t *testing.T, kind, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	switch kind {
	case "":
		return []byte(text)
	case "json":
		return []byte(`{"a": ` + string(must(json.Marshal(text))) + "}\n")
	case "gzip":
		w := gzip.NewWriter(&out)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	case "zip":
		w := zip.NewWriter(&out)
		f, err := w.Create("member.txt")
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	case "tar":
		w := tar.NewWriter(&out)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "member.txt", Mode: 0o600, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	case "elf":
		data, err := os.ReadFile("/bin/true")
		require.NoError(t, err)
		return data
	default:
		data, err := base64.StdEncoding.DecodeString(kind)
		require.NoError(t, err)
		return data
	}
	return out.Bytes()
}

func must(data []byte, _ error) []byte { return data }

func (b *probe) run(dir string, words ...string) string {
	b.t.Helper()
	args := slices.Concat(b.argv[1:], b.proof.Before, words)
	command := exec.Command(b.argv[0], args...)
	command.Dir, command.Env, command.Stdin = dir, environment(dir), strings.NewReader(b.proof.Stdin)
	out, err := command.CombinedOutput()
	code := "0"
	if err != nil {
		code = err.Error()
	}
	return clock.ReplaceAllString(strings.ReplaceAll(string(out), dir, "DIR"), "TIME") + code
}

// clock is the time of the run, which some programs print.
var clock = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// agrees reports whether the program treats the words behind a separator as the table
// states: behind "--" as operands, and behind the others as options unless the first
// operand ends them.
func (b *probe) agrees(separator string, ends bool) bool {
	b.t.Helper()
	option, operand := b.proof.Option, b.proof.Operand
	if separator == "--" {
		return b.operand(option)
	}
	first := b.proof.First
	if separator == "-" {
		operand = "-"
	}
	behind := b.run(b.with, slices.Concat(first, []string{operand, option})...)
	before := b.run(b.with, slices.Concat([]string{option}, first, []string{operand})...)
	other := b.run(b.without, slices.Concat(first, []string{operand, option})...)
	b.t.Logf("behind %q, before %q", behind, before)
	switch {
	case ends && b.proof.Word:
		return strings.Contains(behind, option) && behind != before
	case ends:
		return behind != other
	}
	return behind == before && behind != b.run(b.with, slices.Concat(first, []string{operand})...) && (b.proof.Git || behind == other)
}

// operand reports whether the option is an operand behind "--", alone and behind others.
func (b *probe) operand(option string) bool {
	alone := slices.Concat([]string{"--"}, b.proof.First, []string{option})
	more := slices.Concat([]string{"--"}, b.proof.First, []string{b.proof.Operand, option})
	asOption := b.run(b.with, slices.Concat([]string{option}, b.proof.First, []string{b.proof.Operand})...)
	with := b.run(b.with, more...)
	b.t.Logf("behind %q, before %q", with, asOption)
	if with == asOption {
		return false
	}
	if b.proof.Word {
		return strings.Contains(with, option)
	}
	return b.run(b.with, alone...) != b.run(b.without, alone...)
}

// V5: no line is explained in which an option stands behind a separator that its program
// was not tested with.
func TestUntestedSeparatorsAreNotExplained(t *testing.T) {
	table, err := NewTable()
	require.NoError(t, err)
	lines := untestedLines(table)
	require.Greater(t, len(lines), 5000)
	for _, line := range lines {
		for _, c := range parse(t, line).Commands[:1] {
			unknown := slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return e.Kind == "unknown" })
			explained := !unknown && !c.Caveats.Has("unknown_option") && !c.Caveats.Has("unknown_program") && !c.Caveats.Has("inline_code")
			assert.Falsef(t, explained, "%q: %v %v", line, c.Form, c.Caveats)
		}
	}
}

// The words behind such a separator are read as options and as paths.
func TestWordsBehindUntestedSeparators(t *testing.T) {
	for line, want := range map[string]string{
		"unzip -t -- --t -o a.zip -d ../outside":        "write ../outside",
		"openssl dgst -sha256 - -out src/main.go a.txt": "write src/main.go",
		"unzip -l -- -o /etc/x.zip":                     "write /etc/x.zip",
		"zipinfo -- -1 ../outside/a.zip":                "write ../outside/a.zip",
		"pdftotext -- -f 1 a.pdf out.txt":               "write out.txt",
	} {
		require.Contains(t, accesses(t, line), want, "%q", line)
		require.True(t, parse(t, line).Commands[0].Caveats.Has("unknown_option"), "%q", line)
	}
	for _, line := range []string{
		"grep -- -x a.txt", "git diff -- a.txt", "cat -", "sort - -u", "rg foo -g x", "git log HEAD --oneline -- a.txt",
		"ls src -la", "unzip -l a.zip", "openssl dgst -sha256 a.txt", "jq . a.json -r", "timeout 5 ls -x",
	} {
		require.False(t, parse(t, line).Commands[0].Caveats.Has("unknown_option"), "%q", line)
	}
}

// untestedLines returns lines with an option of each entry behind each separator that the
// entry was not tested with.
func untestedLines(table *Table) []string {
	var lines []string
	for _, name := range table.Names() {
		if program := table.Program(name); program != nil && !strings.Contains(name, "/") && !strings.Contains(name, " ") {
			lines = append(lines, untestedOptions(program, name)...)
		}
	}
	return lines
}

func untestedOptions(program *argv.Program, verb string) []string {
	var lines []string
	for name, command := range program.Commands {
		lines = append(lines, untestedOptions(command, verb+" "+name)...)
	}
	if program.Commands != nil || program.Style == "text" || program.Style == "test" || program.Style == "find" {
		return lines
	}
	for separator, words := range map[string]string{argv.SeparatorDashes: "--", argv.SeparatorDash: "-", argv.SeparatorOperand: "a.txt"} {
		if program.Tested(separator) {
			continue
		}
		for name, known := range program.Options {
			if known.Kinds[0] == "none" && strings.HasPrefix(name, "-") {
				lines = append(lines, verb+" "+words+" "+name+" b")
			}
		}
	}
	return lines
}
