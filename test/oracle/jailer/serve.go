package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	projectDir = "/srv/proj"
	homeDir    = "/home/dev"
	scratchDir = "/tmp"
	// patience bounds one line.
	patience = 2 * time.Second
	// watchFD is held by everything that a line starts, so that its end is the
	// end of the last of them. It is high, so that lines don't name it.
	watchFD = 60
	// nobody is a user that owns nothing else.
	nobody = 61234
)

// question is one line to run.
type question struct {
	Line string `json:"line"`
	// Status is '0', '1' or '2': see status.
	Status string `json:"status"`
}

// answer is what the line started. Overran is true when it was cut off.
type answer struct {
	Started []started `json:"started"`
	// Changed are the files in project and home that are not as they were, each
	// after the word made, changed or removed.
	Changed []string `json:"changed"`
	Overran bool     `json:"overran"`
}

func serve(in io.Reader, out io.Writer) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<22)
	encoder := json.NewEncoder(out)
	if err := prepare("0"); err != nil {
		return fmt.Errorf("prepare jail: %w", err)
	}
	before, err := files()
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	for scanner.Scan() {
		var q question
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			return fmt.Errorf("read question: %w", err)
		}
		if err := prepare(q.Status); err != nil {
			return fmt.Errorf("prepare jail: %w", err)
		}
		overran, err := run(q.Line)
		if err != nil {
			return fmt.Errorf("run line: %w", err)
		}
		a := answer{Overran: overran}
		if a.Started, err = readLog(); err != nil {
			return fmt.Errorf("read log: %w", err)
		}
		after, err := files()
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		a.Changed = differences(before, after)
		if err := encoder.Encode(a); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
	return scanner.Err()
}

// prepare makes every line start from the same files.
func prepare(status string) error {
	for _, dir := range []string{projectDir, homeDir, scratchDir} {
		if err := empty(dir); err != nil {
			return err
		}
	}
	standIn := "#!/.oracle/jailer\n"
	for name, text := range map[string]string{
		"a.txt": "one\n", "b.txt": "two\n", "README.md": "# x\n", "notes.txt": "",
		"src/main.go": "package main\n", "src/util.go": "package main\n", "docs/guide.md": "x\n",
		"ls": standIn, "b/ls": standIn, "run.sh": "ls from-script\n", "prog.awk": "BEGIN{system(\"rm x\")}\n",
	} {
		if err := place(filepath.Join(projectDir, name), text); err != nil {
			return err
		}
	}
	if err := os.WriteFile(statusFile, []byte(status), 0o644); err != nil {
		return err
	}
	return os.Truncate(logFile, 0)
}

func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func place(name, text string) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		return err
	}
	mode := os.FileMode(0o666)
	if strings.HasPrefix(text, "#!") {
		mode = 0o777
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		return err
	}
	return os.Chmod(name, mode)
}

// run runs one line and everything that it leaves behind to their end.
func run(line string) (overran bool, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer read.Close()
	cmd := exec.Command(realDir+"bash", "--noprofile", "--norc", "-c", line)
	cmd.Dir = projectDir
	cmd.Env = []string{"PATH=/usr/bin", "HOME=" + homeDir, "USER=dev", "BASH_ENV=/.oracle/preamble"}
	cmd.ExtraFiles = make([]*os.File, watchFD-2)
	cmd.ExtraFiles[watchFD-3] = write
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getenv("ORACLE_DROP") != "" {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	if strings.ContainsRune(line, 0) {
		_ = write.Close()
		return false, nil
	}
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return false, err
	}
	if err := read.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return false, err
	}
	if _, err := io.Copy(io.Discard, read); err != nil {
		overran = true
	}
	if overran {
		if err := killAll(cmd); err != nil {
			return true, err
		}
	}
	_ = cmd.Wait() // how the line ends is of no interest
	if os.Getpid() == 1 {
		adopt()
	}
	return overran, nil
}

// killAll ends what a line started. The first process of a namespace may kill
// all others; elsewhere it is done as the user that owns nothing else.
func killAll(cmd *exec.Cmd) error {
	if os.Getpid() == 1 {
		return syscall.Kill(-1, syscall.SIGKILL)
	}
	reaper := exec.Command("/.oracle/jailer", "reap")
	reaper.SysProcAttr = &syscall.SysProcAttr{Credential: cmd.SysProcAttr.Credential}
	_ = reaper.Run() // it kills itself, too
	return nil
}

// adopt waits for orphans, as the first process of a namespace has to.
func adopt() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
			return
		}
	}
}

// files are the contents of project and home, by name.
func files() (map[string]string, error) {
	found := map[string]string{}
	for _, root := range []string{projectDir, homeDir} {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(name)
			found[name] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func differences(before, after map[string]string) []string {
	changed := []string{}
	for name, text := range after {
		if old, known := before[name]; !known {
			changed = append(changed, "made "+name)
		} else if old != text {
			changed = append(changed, "changed "+name)
		}
	}
	for name := range before {
		if _, still := after[name]; !still {
			changed = append(changed, "removed "+name)
		}
	}
	slices.Sort(changed)
	return changed
}

func readLog() ([]started, error) {
	file, err := os.Open(logFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := []started{}
	decoder := json.NewDecoder(file)
	for {
		var s started
		err := decoder.Decode(&s)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
}
