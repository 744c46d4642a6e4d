package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"policyd/internal/clients/reply"
	"policyd/internal/hook"
	"policyd/internal/install"
)

// installFlags are the options of install and uninstall.
type installFlags struct {
	chosen                                                 settingsFlags
	user, project, dryRun, autoApprove, noTool, unattended bool
	temporary, contain                                     bool
	hold                                                   time.Duration
	audience                                               string
}

func (p *Program) installCommand() *cobra.Command {
	var flags installFlags
	command := &cobra.Command{
		Use:   "install CLIENT",
		Short: "gate an agent program's tool calls by policyd",
		Long: "Write policyd's hooks into the settings of an agent program: " + strings.Join(reply.Clients(), ", ") + ".\n" +
			"Other settings are kept; the change is shown, and a backup is kept beside each file.",
		Args: oneClient,
		RunE: func(command *cobra.Command, args []string) error {
			return p.changeClient(command, &flags, args[0], install.Install)
		},
	}
	flags.add(command)
	command.Flags().DurationVar(&flags.hold, "hold", 0,
		"how long a question is held for an answer; 55s for "+listed(install.Holding())+", which can't ask by themselves")
	command.Flags().BoolVar(&flags.autoApprove, "auto-approve", false, "let policyd's allow replace the client's own question")
	command.Flags().BoolVar(&flags.contain, "contain", false,
		"run command lines contained: the hook rewrites them ("+strings.Join(install.Containing(), ", ")+")")
	command.Flags().BoolVar(&flags.unattended, "no-interactive", false, "nobody is there to ask: what would be asked is denied")
	command.Flags().StringVar(&flags.audience, "audience", "", "personal, team or public; personal unless the settings say otherwise")
	command.Flags().BoolVar(&flags.temporary, "temporary", false, "also if policyd lies in a temporary directory, for a trial")
	command.Flags().BoolVar(&flags.noTool, "no-tools", false, "don't register the tools that hints name")
	return command
}

func (p *Program) uninstallCommand() *cobra.Command {
	var flags installFlags
	command := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "take policyd's hooks out of an agent program's settings",
		Args:  oneClient,
		RunE: func(command *cobra.Command, args []string) error {
			return p.changeClient(command, &flags, args[0], install.Uninstall)
		},
	}
	flags.add(command)
	return command
}

func (f *installFlags) add(command *cobra.Command) {
	f.chosen.addPolicy(command)
	f.chosen.add(command, "run_dir", "run-dir", "`directory` of the Unix socket")
	command.Flags().BoolVar(&f.user, "user", false, "write the user's settings (the default)")
	command.Flags().BoolVar(&f.project, "project", false, "write the settings of the project in this directory")
	command.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change, and make none")
	command.MarkFlagsMutuallyExclusive("user", "project")
}

func oneClient(_ *cobra.Command, args []string) error {
	if len(args) == 1 && slices.Contains(reply.Clients(), args[0]) {
		return nil
	}
	if len(args) == 1 {
		return usage(fmt.Errorf("client %q is not known", args[0]), "clients are "+strings.Join(reply.Clients(), ", "))
	}
	return usage(errors.New("name one client"), "clients are "+strings.Join(reply.Clients(), ", "))
}

type planner func(*install.Options) ([]install.Change, error)

// changeClient shows what is changed and changes it.
func (p *Program) changeClient(command *cobra.Command, flags *installFlags, client string, plan planner) error {
	options, err := p.installOptions(command, flags, client)
	if err != nil {
		return err
	}
	changes, err := plan(options)
	if err != nil {
		return usage(err, "nothing was written; mend the file and try again")
	}
	changed := false
	for i := range changes {
		if !changes[i].Changed() {
			continue
		}
		changed = true
		if _, err := p.Stdout.Write(changes[i].Diff()); err != nil {
			return fmt.Errorf("print change: %w", err)
		}
	}
	if flags.dryRun {
		return nil
	}
	for i := range changes {
		if err := changes[i].Apply(); err != nil {
			return failed(err, "run the command again")
		}
	}
	return p.tellInstalled(command.Name(), client, changed)
}

// tellInstalled prints on standard error what is left to do.
func (p *Program) tellInstalled(did, client string, changed bool) error {
	lines := []string{did + " " + client + ": done; sessions that run keep their old settings"}
	if !changed {
		lines = []string{did + " " + client + ": nothing to change"}
	}
	if did == "install" {
		if known, found := install.ByName(client); found && known.After != "" {
			lines = append(lines, known.After)
		}
		lines = append(lines, "policyd doctor says whether the hooks fire, and what they don't see")
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(p.Stderr, "policyd: %s\n", line); err != nil {
			return fmt.Errorf("print what was done: %w", err)
		}
	}
	return nil
}

// listed lists names as prose does.
func listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (p *Program) installOptions(command *cobra.Command, flags *installFlags, client string) (*install.Options, error) {
	if err := flags.check(client); err != nil {
		return nil, err
	}
	settings, err := p.settings(command, &flags.chosen)
	if err != nil {
		return nil, err
	}
	if settings.Home == "" {
		return nil, usage(errors.New("HOME is not set"), "the client's settings lie there")
	}
	options := &install.Options{
		Client: client, Home: settings.Home, Env: p.LookupEnv, AutoApprove: flags.autoApprove,
		Contain: flags.contain,
	}
	if known, found := install.ByName(client); found {
		options.Hold = known.Hold
	}
	if held := command.Flags().Lookup("hold"); held != nil && held.Changed {
		options.Hold = flags.hold
	}
	if flags.project {
		if options.Project, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("find project: %w", err)
		}
	}
	program, err := ownProgram()
	if err != nil {
		return nil, err
	}
	options.Hook = hookProgram(program)
	if command.Name() == "install" && !flags.temporary {
		if err := p.checkLasting(options.Hook[0], program); err != nil {
			return nil, err
		}
	}
	if !flags.noTool {
		options.Policyd = program
	}
	if options.HookFlags, err = hookFlags(settings); err != nil {
		return nil, err
	}
	options.HookFlags = append(options.HookFlags, flags.session()...)
	return options, nil
}

// check returns a usage error for the first flag that doesn't fit the client.
func (f *installFlags) check(client string) error {
	switch {
	case !slices.Contains([]string{"", "personal", "team", "public"}, f.audience):
		return usage(fmt.Errorf("--audience %q is not known", f.audience), "name personal, team or public")
	case f.hold < 0 || f.hold > hook.MaxHold:
		return usage(fmt.Errorf("--hold %s is not between 0s and %s", f.hold, hook.MaxHold), "leave it out for the default")
	case f.contain && !install.Contains(client):
		return usage(fmt.Errorf("%s takes no rewritten command line from a hook", client), "leave --contain out; its calls are judged as they are")
	}
	return nil
}

// session returns the flags of the hook that describe its sessions.
func (f *installFlags) session() []string {
	var list []string
	if f.unattended {
		list = append(list, "--no-interactive")
	}
	if f.audience != "" {
		list = append(list, "--audience", f.audience)
	}
	return list
}

// checkLasting refuses programs in temporary places: without its hook program, some clients run every tool,
// and others block every tool.
func (p *Program) checkLasting(programs ...string) error {
	for _, program := range programs {
		why := ""
		switch {
		case inGoBuild(program):
			why = "Go's build cache"
		case p.inTemporary(program):
			why = "a temporary directory"
		default:
			continue
		}
		return usage(fmt.Errorf("hooks would start %s, which lies in %s and will be deleted", program, why),
			"install policyd first (make install, or go install ./cmd/policyd ./cmd/policyd-hook) and run policyd install; for a trial add --temporary")
	}
	return nil
}

// inGoBuild reports whether a program is one that go run or go test made.
func inGoBuild(program string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(realOf(program)), "/"), func(name string) bool {
		return strings.HasPrefix(name, "go-build")
	})
}

func (p *Program) inTemporary(program string) bool {
	dirs := []string{os.TempDir()}
	if dir, set := p.LookupEnv("TMPDIR"); set && dir != "" {
		dirs = []string{dir}
	} else if runtime.GOOS != "windows" {
		dirs = append(dirs, "/var/tmp", "/dev/shm")
	}
	real := realOf(program)
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return strings.HasPrefix(real, strings.TrimSuffix(realOf(dir), string(filepath.Separator))+string(filepath.Separator))
	})
}

// realOf is a path with its links followed, or as it is if it leads nowhere.
func realOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// ownProgram is this program by the name that it was started under: what that
// links to has another name after an upgrade.
func ownProgram() (string, error) {
	if found, err := exec.LookPath(os.Args[0]); err == nil {
		if absolute, err := filepath.Abs(found); err == nil {
			return absolute, nil
		}
	}
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find policyd's own program: %w", err)
	}
	return program, nil
}

// hookProgram is the small program next to this one or in the path, else this one.
func hookProgram(own string) []string {
	const name = "policyd-hook"
	beside := filepath.Join(filepath.Dir(own), name)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		return []string{beside}
	}
	if found, err := exec.LookPath(name); err == nil && filepath.IsAbs(found) {
		return []string{found}
	}
	return []string{own, "hook"}
}

// hookFlags always include the socket: its default depends on the environment, and a client's environment can
// come from the project that it was started in.
func hookFlags(s *settings) ([]string, error) {
	socket, err := filepath.Abs(socketOf(s))
	if err != nil {
		return nil, fmt.Errorf("find socket: %w", err)
	}
	return []string{"--socket", socket}, nil
}
