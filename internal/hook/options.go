package hook

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"policyd/internal/clients/reply"
	"policyd/internal/pdp"
)

// The deadlines. A client's own, which the installer writes, is longer.
const (
	// Patience bounds an answer without a prompt.
	Patience = 10 * time.Second
	// Grace is added to a hold, for both ways of the request.
	Grace = 5 * time.Second
	// MaxHold is the longest time that the sidecar holds a question.
	MaxHold = 10 * time.Minute
)

// options are the command line.
type options struct {
	client                               string
	socket, runDir, stateDir             string
	addr, tokenFile                      string
	project, audience, tools             string
	hold, timeout                        time.Duration
	autoApprove, interactive, unattended bool
	// contain lets calls be rewritten so that they run contained.
	contain bool
}

// parse parses the command line, and refuses what the sidecar would refuse. With an error it still returns
// options if the client is known, for the client's own deny.
func parse(args []string, env func(string) (string, bool)) (*options, error) {
	o := &options{interactive: true}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil, fmt.Errorf("read command line: the first argument names the client: %s", strings.Join(reply.Clients(), ", "))
	}
	o.client = args[0]
	if !slices.Contains(reply.Clients(), o.client) {
		return nil, fmt.Errorf("read command line: unknown client %q; known are %s", o.client, strings.Join(reply.Clients(), ", "))
	}
	flags := flag.NewFlagSet("policyd-hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.socket, "socket", "", "")
	flags.StringVar(&o.runDir, "run-dir", lookup(env, "POLICYD_RUN_DIR"), "")
	flags.StringVar(&o.stateDir, "state-dir", lookup(env, "POLICYD_STATE_DIR"), "")
	flags.StringVar(&o.addr, "addr", "", "")
	flags.StringVar(&o.tokenFile, "token-file", "", "")
	flags.StringVar(&o.project, "project", "", "")
	flags.StringVar(&o.audience, "audience", "", "")
	flags.StringVar(&o.tools, "tools", "", "")
	flags.DurationVar(&o.hold, "hold", 0, "")
	flags.DurationVar(&o.timeout, "timeout", 0, "")
	flags.BoolVar(&o.autoApprove, "auto-approve", false, "")
	flags.BoolVar(&o.contain, "contain", false, "")
	flags.BoolVar(&o.interactive, "interactive", true, "")
	flags.BoolVar(&o.unattended, "no-interactive", false, "")
	if err := flags.Parse(args[1:]); err != nil {
		return &options{}, fmt.Errorf("read command line: %w", err)
	}
	if flags.NArg() > 0 {
		return &options{}, fmt.Errorf("read command line: unexpected argument %q", flags.Arg(0))
	}
	if err := o.check(); err != nil {
		return &options{}, err
	}
	return o, nil
}

func (o *options) check() error {
	switch {
	case o.hold < 0 || o.hold > MaxHold:
		return fmt.Errorf("read command line: --hold %s is not between 0s and %s", o.hold, MaxHold)
	case o.timeout < 0 || o.timeout > MaxHold+time.Minute:
		return fmt.Errorf("read command line: --timeout %s is not between 0s and %s", o.timeout, MaxHold+time.Minute)
	case o.timeout > 0 && o.timeout <= o.hold:
		return fmt.Errorf("read command line: --timeout %s ends before --hold %s", o.timeout, o.hold)
	case o.project != "" && !filepath.IsAbs(o.project):
		return fmt.Errorf("read command line: --project %q is not absolute", o.project)
	case o.addr != "" && o.socket != "":
		return errors.New("read command line: give --socket or --addr, not both")
	case !slices.Contains([]string{"", "personal", "team", "public"}, o.audience):
		return fmt.Errorf("read command line: --audience %q is none of personal, team, public", o.audience)
	}
	return nil
}

// patience is the time from start to answer.
func (o *options) patience() time.Duration {
	switch {
	case o.timeout > 0:
		return o.timeout
	case o.hold > 0:
		return o.hold + Grace
	}
	return Patience
}

// query contains what the launch fixed. Nothing comes from the payload, which contains a model's text.
func (o *options) query(env func(string) (string, bool), platform string) url.Values {
	out := url.Values{}
	set := func(key, value string) {
		if value != "" {
			out.Set(key, value)
		}
	}
	set("project", o.launchedIn(env))
	if o.hold > 0 {
		out.Set("hold", o.hold.String())
	}
	if o.autoApprove {
		out.Set("auto_approve", strconv.FormatBool(true))
	}
	if o.unattended || !o.interactive {
		out.Set("interactive", strconv.FormatBool(false))
	}
	set("audience", o.audience)
	set("tools", o.tools)
	if home := lookup(env, "HOME"); filepath.IsAbs(home) {
		out.Set("home", home)
	}
	set("platform", platform)
	set("shell", o.shell(env, platform, isThere))
	return out
}

// launcher adds to a query how this program runs a call contained: its own real path, and where it reached
// the server.
func (o *options) launcher(query url.Values, address *pdp.Address) error {
	if !o.contain {
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	query.Set("contain", strconv.FormatBool(true))
	query.Set("launcher", program)
	places := map[string]string{"launcher_socket": address.Socket}
	if address.Socket == "" {
		query.Set("launcher_addr", address.TCP)
		places = map[string]string{"launcher_state_dir": o.stateDir, "launcher_token_file": o.tokenFile}
	}
	for name, place := range places {
		if place == "" {
			continue
		}
		if strings.HasPrefix(place, "~/") {
			return fmt.Errorf("read command line: --contain needs places without ~, not %q", place)
		}
		absolute, err := filepath.Abs(place) // the line may run elsewhere
		if err != nil {
			return fmt.Errorf("find policyd: %w", err)
		}
		query.Set(name, absolute)
	}
	return nil
}

// launchedIn is the project of the launch. Claude Code alone passes it to its hooks in the environment; the
// others send it with a session's first event.
func (o *options) launchedIn(env func(string) (string, bool)) string {
	if o.project != "" {
		return o.project
	}
	if client, known := reply.ByName(o.client); known {
		for _, variable := range client.ProjectVariables {
			if named := lookup(env, variable); filepath.IsAbs(named) {
				return named
			}
		}
	}
	return ""
}

// address resolves the sidecar as operators' commands do.
func (o *options) address(env func(string) (string, bool)) (pdp.Address, error) {
	places := pdp.Places{Socket: o.socket, RunDir: o.runDir, StateDir: o.stateDir, TCP: o.addr, TokenFile: o.tokenFile}
	address, err := places.Find(env)
	if err != nil {
		return pdp.Address{}, fmt.Errorf("find policyd: %w", err)
	}
	address.Once = true
	return address, nil
}

func lookup(env func(string) (string, bool), name string) string {
	value, _ := env(name)
	return value
}
