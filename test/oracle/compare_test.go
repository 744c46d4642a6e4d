package oracle

import (
	"fmt"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell"
	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
	"policyd/test/oracle/lines"
)

const projectDir = "/srv/proj"

// surroundings are those of the jail.
func (j *jail) surroundings() host.Options {
	return host.Options{
		Shell: "bash", Platform: "linux", Home: "/home/dev", Cwd: projectDir,
		Plain: func(dir string) bool { return !strings.HasPrefix(dir, "/bin") && !strings.HasPrefix(dir, "/sbin") },
		// Of the jail's project these are there for everyone.
		Enterable: func(dir string) bool {
			return slices.Contains([]string{projectDir, projectDir + "/src", projectDir + "/docs"}, dir)
		},
		Readable: func(name string) bool { return name == projectDir+"/a.txt" },
	}
}

// panicSite is the first place in the extraction that a stack names.
var panicSite = regexp.MustCompile(`extract/shell/\w+\.go:\d+`)

// opaque are the caveats that say of a command that it runs what can't be seen.
var opaque = []string{
	"executes", "inner", "runs_anything", "inline_code", "unknown_program", "unknown_option", "dynamic_option",
	"own_program", "project_chooses_program", "named_by_path",
}

// unwrapped are programs that the facts leave out, since the command within represents them.
var unwrapped = []string{
	"bash", "sh", "dash", "zsh", "ksh", "timeout", "nice", "ionice", "nohup", "stdbuf", "setsid", "time", "chrt",
	"taskset", "env", "command", "builtin", "sudo", "doas", "su", "pkexec", "runuser", "strace", "xargs",
}

// inert are programs for which no option in the table does anything except choose what is printed, so the
// facts don't report which of them a word becomes.
var inert = []string{"basename", "dirname", "echo", "seq"}

// finding is one way in which facts and bash differ.
type finding struct {
	// class groups findings that probably have one cause.
	class string
	text  string
}

// judge compares what a line started with what the facts name. A messy line
// promises nothing.
func judge(table *shell.Table, options host.Options, line string, got outcome) (findings []finding) {
	defer func() {
		if cause := recover(); cause != nil {
			at := panicSite.FindString(string(debug.Stack()))
			findings = []finding{{"panic " + at, fmt.Sprintf("reading the line panics: %v", cause)}}
		}
	}()
	parsed := table.Parse(line, options)
	if len(parsed.Messy) > 0 {
		return nil
	}
	r := reading{table: table, options: options, named: parsed.Commands, started: got.Started}
	for i := range got.Started {
		if r.hidden(i) {
			continue
		}
		if f := r.judge(got.Started[i]); f != nil {
			findings = append(findings, *f)
		}
	}
	if len(findings) == 0 {
		for _, change := range got.Changed {
			how, name, _ := strings.Cut(change, " ")
			if !r.written(name) {
				findings = append(findings, finding{"file " + how, "bash " + change + ", and no command writes it"})
			}
		}
	}
	return findings
}

// written reports whether a command states that it may change a file, or that nobody knows what it does.
func (r *reading) written(name string) bool {
	return slices.ContainsFunc(r.named, func(c command.Command) bool {
		if slices.ContainsFunc(grave, c.Caveats.Has) {
			return true
		}
		return slices.ContainsFunc(c.Accesses, func(a command.Access) bool {
			if a.Op != v1.OpWrite && a.Op != v1.OpDelete {
				return false
			}
			dirs := c.Cwd.Known
			if a.Dirs != nil {
				dirs = a.Dirs
			}
			return a.Naming == command.Unnamed || a.Naming == command.ByGlob || c.Cwd.Others || slices.ContainsFunc(dirs, func(dir string) bool {
				at := absolute(a.Text, dir)
				return at == name || strings.HasPrefix(name, at+"/")
			})
		})
	})
}

// reading is what the facts say of one line.
type reading struct {
	table   *shell.Table
	options host.Options
	named   []command.Command
	started []start
}

// words are the argv that a program was started with.
func (s start) words() []string {
	if s.Path == "/.oracle/missing" {
		return s.Args
	}
	name := s.Path
	if dir := path.Dir(name); dir == "/usr/bin" || dir == "/bin" {
		name = path.Base(name) // found in PATH or by "command -p", or named in full: the facts may say either
	}
	return append([]string{name}, s.Args...)
}

// hidden reports whether a program was started by one that the facts name and
// that they say runs what can't be seen.
func (r *reading) hidden(at int) bool {
	for at = r.before(at); at >= 0; at = r.before(at) {
		program := path.Base(r.started[at].words()[0])
		for i := range r.named {
			c := &r.named[i]
			if c.Program == program && slices.ContainsFunc(opaque, c.Caveats.Has) {
				return true
			}
			// What is assigned can put anything into a shell.
			if c.Caveats.Has("assigns") && slices.Contains(unwrapped, program) {
				return true
			}
		}
	}
	return false
}

// before finds the start that a start came from, -1 for the line itself: the
// same process before it became another program, the process above, or the one
// above that a shell forked in between.
func (r *reading) before(at int) int {
	s := r.started[at]
	under, _ := strconv.Atoi(s.Under) // empty for what the line itself started
	for _, pid := range []int{s.PID, s.Parent, under} {
		for i := at - 1; i >= 0; i-- {
			if r.started[i].PID == pid && len(r.started[i].words()) > 0 {
				return i
			}
		}
	}
	return -1
}

// judge compares one start with the command that has to represent it.
func (r *reading) judge(s start) *finding {
	words := s.words()
	if len(words) == 0 || words[0] == "" {
		return nil
	}
	program := path.Base(words[0])
	var candidates []*command.Command
	for i := range r.named {
		if r.named[i].Program == program {
			candidates = append(candidates, &r.named[i])
		}
	}
	if len(candidates) == 0 {
		if slices.Contains(unwrapped, program) || slices.ContainsFunc(r.named, unexplained) {
			return nil
		}
		return &finding{"program " + program, fmt.Sprintf("bash started %q, and no command is named so", words)}
	}
	if !slices.ContainsFunc(candidates, func(c *command.Command) bool { return moved(words) || in(c, s.Dir) }) {
		return &finding{"directory", fmt.Sprintf("bash started %q in %s, and the facts say %q", words, s.Dir, candidates[0].Cwd.Known)}
	}
	return r.retell(s, words)
}

// unexplained reports an assignment that the facts don't explain: the shell may
// evaluate what it is given.
func unexplained(c command.Command) bool { return c.Verb == ":" && c.Caveats.Has("assigns") }

func in(c *command.Command, dir string) bool {
	return c.Cwd.Others || slices.Contains(c.Cwd.Known, dir)
}

// moved reports an option that makes the facts name another directory than the
// one that the program is started in.
func moved(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(word, "-C") || strings.HasPrefix(word, "--directory") || strings.HasPrefix(word, "--chdir") || strings.HasPrefix(word, "-chdir") ||
			strings.HasPrefix(word, "--base-directory") || strings.HasPrefix(word, "--cwd") || strings.HasPrefix(word, "--prefix") || strings.HasPrefix(word, "--git-dir") ||
			strings.HasPrefix(word, "-D") || strings.HasPrefix(word, "--work-tree") || strings.HasPrefix(word, "--manifest-path")
	})
}

// retell writes down what was really started as a plain line, reads that, and checks that the facts of the
// first line say no less.
func (r *reading) retell(s start, words []string) *finding {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = lines.Quote(word)
	}
	if r.excused(words) {
		return nil
	}
	options := r.options
	options.Cwd = s.Dir
	plain := r.table.Parse(strings.Join(quoted, " "), options)
	if len(plain.Messy) > 0 {
		return nil
	}
	for i := range plain.Commands {
		told := &plain.Commands[i]
		if told.Verb == ":" || told.Verb == "cd" {
			continue
		}
		lacks := ""
		for j := range r.named {
			missing := r.lack(&r.named[j], told, s.Dir)
			if missing == "" {
				lacks = ""
				break
			}
			if lacks == "" || r.named[j].Program == told.Program {
				lacks = missing
			}
		}
		if lacks != "" {
			kind, _, _ := strings.Cut(lacks, " ")
			return &finding{"facts " + kind + " " + told.Program, fmt.Sprintf("bash started %q, and the facts lack %s", words, lacks)}
		}
	}
	return nil
}

// grave are caveats with which the call must prompt, whatever else the facts contain.
var grave = []string{
	"dynamic_word", "dynamic_option", "unknown_option", "unknown_program", "executes", "inner", "inline_code", "assigns",
}

// excused reports a program whose words are unknown according to the facts, or are commands of their own.
func (r *reading) excused(words []string) bool {
	program := path.Base(words[0])
	return program == "xargs" || program == "sed" && slices.ContainsFunc(words, belowZero) || slices.ContainsFunc(r.named, func(c command.Command) bool {
		return c.Program == program && (slices.ContainsFunc(grave, c.Caveats.Has) ||
			slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return vague(a) || handedOn(a, words) || misread(a, words) }))
	})
}

// belowZero reports a script of sed that begins with a number which turned out to be below
// zero: no sed has an option of that name.
func belowZero(word string) bool {
	return len(word) > 1 && word[0] == '-' && strings.IndexByte("0123456789", word[1]) >= 0
}

// misread reports a word that is handed on and is more than a path to the program: what
// gets it looks at what it is.
func misread(a command.Access, words []string) bool {
	return a.Reading.Misread(a.Text) && slices.Contains(words, a.Text)
}

// handedOn reports a pattern without a match that became a word of a script that splits its words once more,
// according to the disk.
func handedOn(a command.Access, words []string) bool {
	return a.Naming == command.ByGlob && a.Split && slices.Contains(words, strings.ReplaceAll(a.Text, `\`, ""))
}

// vague is an access that depends on the run or on the disk: one known only at run time, and a pattern where
// one word belongs.
func vague(a command.Access) bool {
	return a.Naming == command.Unnamed || a.Naming == command.ByGlob && a.Matches == command.SingleMatch
}

// lack returns what the facts' command lacks of the real one, empty if nothing.
func (r *reading) lack(named, told *command.Command, dir string) string {
	if named.Program != told.Program {
		return "program " + told.Program
	}
	if slices.ContainsFunc(grave, named.Caveats.Has) {
		return "" // as excused, for a command that find runs
	}
	if named.Verb != told.Verb {
		return "verb " + told.Verb
	}
	if told.Caveats.Has("unknown_option") && slices.Contains(inert, told.Program) {
		return ""
	}
	for _, caveat := range told.Caveats {
		if !named.Caveats.Has(caveat) {
			return "caveat " + caveat
		}
	}
	for _, entry := range told.Form {
		kind, found := named.Form.Get(entry.Name)
		if !found || kind != entry.Kind && kind != "mixed" && kind != "unknown" && kind != "item" {
			return fmt.Sprintf("form %s %s", entry.Name, entry.Kind)
		}
	}
	for _, name := range told.Variables {
		if !slices.Contains(named.Variables, name) {
			return "variable " + name
		}
	}
	for i := range told.Accesses {
		if !r.accessed(named, &told.Accesses[i], dir) {
			return "access " + told.Accesses[i].Op + " " + told.Accesses[i].Text
		}
	}
	return ""
}

// accessed reports whether the named command has an access that represents a.
func (r *reading) accessed(named *command.Command, a *command.Access, dir string) bool {
	if len(a.Dirs) == 1 {
		dir = a.Dirs[0]
	}
	if _, anywhere := named.Form.Get("--no-index"); a.Text == ".." && named.Program == "git" && !anywhere {
		return true // a range between two names that aren't there is the directory above: less than all that git shows
	}
	want := absolute(a.Text, dir)
	if strings.HasPrefix(want, "/dev/fd/") {
		return true // what represents <(…), whose commands are compared by themselves
	}
	return slices.ContainsFunc(named.Accesses, func(b command.Access) bool {
		switch {
		case b.Naming == command.ByGlob && a.Op == v1.OpList && (a.Text == "." || strings.HasPrefix(b.Text, a.Text)):
			return true // a pattern that matched nothing is handed on as it is
		case b.Op != a.Op && (b.Op != v1.OpWrite || a.Op != v1.OpRead) || a.Below == command.Tree && b.Below != command.Tree:
			return false
		case b.Naming == command.Unnamed, b.Text == a.Text, b.Naming == command.ByGlob && strings.ReplaceAll(b.Text, `\`, "") == a.Text:
			return true // a pattern that matched nothing, too
		}
		bases := named.Cwd.Known
		if b.Dirs != nil {
			bases = b.Dirs
		}
		for _, base := range bases {
			text := absolute(b.Text, base)
			if text == want || b.Below == command.Tree && strings.HasPrefix(want, strings.TrimSuffix(text, "/")+"/") {
				return true
			}
			// Go writes the classes of what is left out otherwise than shells do. What it can't
			// read, classes by name among it, counts as a pattern that reaches anything.
			matched, err := path.Match(strings.ReplaceAll(text, "[!", "[^"), want)
			if b.Naming == command.ByGlob && (err != nil || matched || strings.Contains(text, "[[:") || matchesDots(text, want)) {
				return true
			}
		}
		return named.Cwd.Others
	})
}

// matchesDots reports whether a pattern such as .* represents the directory itself or the one above it, as it
// does in every shell but the newest.
func matchesDots(pattern, want string) bool {
	dir, last := path.Split(pattern)
	for _, dots := range []string{".", ".."} {
		if matched, err := path.Match(last, dots); err == nil && matched && path.Join(dir, dots) == want {
			return true
		}
	}
	return false
}

func absolute(text, dir string) string {
	if strings.HasPrefix(text, "/") {
		return path.Clean(text)
	}
	return path.Join(dir, text)
}

// quote writes a word so that every shell reads it as it is.
