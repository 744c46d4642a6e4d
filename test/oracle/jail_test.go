package oracle

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// start is one program that bash started, as the jailer wrote it down.
type start struct {
	PID    int      `json:"pid"`
	Parent int      `json:"parent"`
	Under  string   `json:"under"`
	Path   string   `json:"path"`
	Args   []string `json:"args"`
	Dir    string   `json:"dir"`
}

// outcome is what one line started.
type outcome struct {
	Started []start `json:"started"`
	// Changed are files, each after the word made, changed or removed.
	Changed []string `json:"changed"`
	Overran bool     `json:"overran"`
}

// jail is a directory that a bash can't leave, and a server in it.
type jail struct {
	root  string
	in    io.WriteCloser
	lines *bufio.Reader
}

// preamble is read by every bash in the jail. Builtins that could be programs
// are switched off, so that their start is seen; so is that of a program which
// isn't there.
const preamble = `ulimit -S -t 1 -f 2048 -v 800000 -u 200 2>/dev/null
enable -n echo printf kill test [ true false
command_not_found_handle() { /.oracle/missing "$@"; }
`

// realPrograms start other programs, or read a script that may: they run for real behind their stand-in. So
// do those whose output the facts predict: lines fail if a stand-in prints nothing in place of a number.
var realPrograms = []string{
	"bash", "dash", "dirname", "basename", "echo", "printf", "sh", "env", "nice", "nohup", "timeout", "stdbuf", "setsid", "xargs", "find", "sed", "mawk", "awk", "wc",
}

// isolation is a way to shut a process in.
type isolation struct {
	name string
	attr syscall.SysProcAttr
	drop bool
}

func isolations(root string) []isolation {
	own := uintptr(syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC)
	if os.Geteuid() == 0 {
		return []isolation{
			{"namespaces", syscall.SysProcAttr{Chroot: root, Cloneflags: own}, true},
			{"chroot", syscall.SysProcAttr{Chroot: root}, true},
		}
	}
	return []isolation{{"user namespace", syscall.SysProcAttr{
		Chroot: root, Cloneflags: own | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}, false}}
}

// newJail builds a jail and starts its server, or skips the test where the
// system lets nobody be shut in.
func newJail(t *testing.T) *jail {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("skipped: bash is not installed")
	}
	root := t.TempDir()
	require.NoError(t, furnish(root))
	var failures []error
	for _, way := range isolations(root) {
		j, err := lock(t, root, way)
		if err == nil {
			return j
		}
		failures = append(failures, fmt.Errorf("%s: %w", way.name, err))
	}
	t.Skipf("skipped: no way to shut bash in: %v", errors.Join(failures...))
	return nil
}

func lock(t *testing.T, root string, way isolation) (*jail, error) {
	t.Helper()
	cmd := exec.Command("/.oracle/jailer", "serve")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin"}
	if way.drop {
		cmd.Env = append(cmd.Env, "ORACLE_DROP=1")
	}
	cmd.SysProcAttr = &way.attr
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &jail{root: root, in: in, lines: bufio.NewReaderSize(out, 1<<20)}, nil
}

// run runs one line. The status is the exit status of stand-ins.
func (j *jail) run(line string, status int) (outcome, error) {
	var got outcome
	body, err := json.Marshal(map[string]string{"line": line, "status": fmt.Sprint(status)})
	if err != nil {
		return got, err
	}
	if _, err := j.in.Write(append(body, '\n')); err != nil {
		return got, fmt.Errorf("ask jail: %w", err)
	}
	text, err := j.lines.ReadBytes('\n')
	if err != nil {
		return got, fmt.Errorf("hear jail: %w", err)
	}
	return got, json.Unmarshal(text, &got)
}

// furnish puts into root what the jail needs, and nothing else.
func furnish(root string) error {
	for _, dir := range []string{".oracle/real", "usr/bin", "dev", "etc", "srv/proj", "home/dev", "tmp", "usr/local"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{
		"bin": "usr/bin", "sbin": "usr/bin", "usr/sbin": "bin", "usr/local/bin": "../bin",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		".oracle/preamble": preamble, ".oracle/started": "", ".oracle/missing": "#!/.oracle/jailer\n",
		"dev/null": "", "dev/zero": "", "etc/passwd": "root:x:0:0::/root:/bin/sh\n",
	} {
		name = filepath.Join(root, name)
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{".oracle/started", "dev/null", "srv/proj", "home/dev", "tmp"} {
		if err := os.Chmod(filepath.Join(root, name), 0o777); err != nil {
			return err
		}
	}
	if err := copyFile(jailer, filepath.Join(root, ".oracle/jailer")); err != nil {
		return err
	}
	if err := install(root); err != nil {
		return err
	}
	return standIns(root)
}

// install copies the real programs with their libraries.
func install(root string) error {
	for _, name := range realPrograms {
		found, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if found, err = filepath.EvalSymlinks(found); err != nil {
			return err
		}
		if err := copyFile(found, filepath.Join(root, ".oracle/real", name)); err != nil {
			return err
		}
		out, err := exec.Command("ldd", found).Output()
		if err != nil {
			continue // static
		}
		for _, library := range libraries.FindAllString(string(out), -1) {
			into := filepath.Join(root, library)
			if err := os.MkdirAll(filepath.Dir(into), 0o755); err != nil {
				return err
			}
			if err := copyFile(library, into); err != nil {
				return err
			}
		}
	}
	return nil
}

var libraries = regexp.MustCompile(`/\S+\.so\S*`)

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

// standIns puts one into the jail for every program that the table knows.
func standIns(root string) error {
	names, err := programs()
	if err != nil {
		return err
	}
	for _, name := range append(names, "evil", "sudo", "rm") {
		err := os.WriteFile(filepath.Join(root, "usr/bin", name), []byte("#!/.oracle/jailer\n"), 0o755)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// programs are the names in the program table.
var programs = sync.OnceValues(func() ([]string, error) {
	files, err := filepath.Glob("../../extract/argv/programs/*.json")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var entries map[string]json.RawMessage
		if err := json.Unmarshal(text, &entries); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		for name := range entries {
			if !strings.Contains(name, "/") && !builtin(name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
})

// builtin reports the names that only a shell can be meant by.
func builtin(name string) bool {
	switch name {
	case "cd", "command", "builtin", "type", "wait", "export", ":":
		return true
	}
	return false
}

// jailer is the program that runs in the jail, built once.
var jailer string

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return 1, fmt.Errorf("make directory: %w", err)
	}
	defer os.RemoveAll(dir)
	jailer = filepath.Join(dir, "jailer")
	build := exec.Command("go", "build", "-o", jailer, "./jailer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build jailer: %w: %s", err, out)
	}
	return m.Run(), nil
}
