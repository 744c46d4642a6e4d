package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

const (
	namePolicyd = "policyd"
	nameBare    = "bare Echo"
	nameOPA     = "opa run --server"
	// nameFastOPA is the same with --optimize-store-for-read-speed.
	nameFastOPA = "opa run --server, store set for reading"
	// line is the command line that is decided: three commands, all of them read.
	line = "cd src && git status && ls -la"
	// startPatience bounds how long a server may take to answer at first.
	startPatience = 30 * time.Second
)

// startServers starts the servers and returns them, policyd first, with
// the function that ends them.
func startServers(ctx context.Context, dir string, tree project.Tree) ([]target, func(), error) {
	var started []*exec.Cmd
	stop := func() {
		for _, cmd := range started {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	}
	targets, err := start(ctx, dir, tree, func(cmd *exec.Cmd) error {
		log, err := os.Create(filepath.Join(dir, filepath.Base(cmd.Path)+".log"))
		if err != nil {
			return fmt.Errorf("make log: %w", err)
		}
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start server: %w", err)
		}
		started = append(started, cmd)
		return nil
	})
	if err != nil {
		stop()
		return nil, nil, err
	}
	return targets, stop, nil
}

func start(ctx context.Context, dir string, tree project.Tree, launch func(*exec.Cmd) error) ([]target, error) {
	policyd, err := startPolicyd(ctx, dir, tree, launch)
	if err != nil {
		return nil, err
	}
	asked, err := policyd.untilAnswered(ctx)
	if err != nil {
		return nil, err
	}
	bare, err := startBare(ctx, dir, policyd.body, asked, launch)
	if err != nil {
		return nil, err
	}
	withFacts := policyd
	withFacts.url += "?include=facts"
	answer, err := withFacts.ask(ctx, http.DefaultClient)
	if err != nil {
		return nil, err
	}
	if _, err := bare.untilAnswered(ctx); err != nil {
		return nil, err
	}
	targets := []target{policyd, bare}
	program, err := build(ctx, dir, "opa", "github.com/open-policy-agent/opa")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{nameOPA, nameFastOPA} {
		var flags []string
		if name == nameFastOPA {
			flags = append(flags, "--optimize-store-for-read-speed")
		}
		opa, err := startOPA(ctx, program, answer, launch, flags...)
		if err != nil {
			return nil, err
		}
		judged, err := opa.untilAnswered(ctx)
		if err != nil {
			return nil, err
		}
		if err := sameDecision(asked, judged); err != nil {
			return nil, err
		}
		opa.name = name
		targets = append(targets, opa)
	}
	return targets, nil
}

// sameDecision holds that OPA's server decides what policyd decides, and not
// something that is quicker or slower.
func sameDecision(asked, judged []byte) error {
	var decision v1.Decision
	if err := json.Unmarshal(asked, &decision); err != nil {
		return fmt.Errorf("compare decisions: %w", err)
	}
	var answer struct {
		Result struct {
			Effect  v1.Effect         `json:"effect"`
			Reasons []json.RawMessage `json:"reasons"`
			Covered []json.RawMessage `json:"covered"`
		} `json:"result"`
	}
	if err := json.Unmarshal(judged, &answer); err != nil {
		return fmt.Errorf("compare decisions: %w", err)
	}
	if len(answer.Result.Reasons)+len(answer.Result.Covered) == 0 || answer.Result.Effect != decision.Effect {
		return fmt.Errorf("compare decisions: policyd says %s, %s says %s", decision.Effect, nameOPA, judged)
	}
	return nil
}

func startPolicyd(ctx context.Context, dir string, tree project.Tree, launch func(*exec.Cmd) error) (target, error) {
	program, err := build(ctx, dir, "policyd", "policyd/cmd/policyd")
	if err != nil {
		return target{}, err
	}
	addr, err := freeAddress(ctx)
	if err != nil {
		return target{}, err
	}
	state := filepath.Join(dir, "state")
	cmd := exec.CommandContext(ctx, program, "serve", "--addr", addr, "--state-dir", state)
	// One agent asks as much as it can, which is what is measured.
	cmd.Env = append(os.Environ(), "HOME="+tree.Home, "POLICYD_LIMITS_REQUESTS_PER_SECOND=0", "POLICYD_LIMITS_CONCURRENT=0")
	if err := launch(cmd); err != nil {
		return target{}, err
	}
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return target{}, fmt.Errorf("encode arguments: %w", err)
	}
	body, err := json.Marshal(v1.Call{Tool: "Bash", Args: args, Cwd: tree.Project, Session: v1.Session{
		ID: "bench", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: tree.Project,
		Interactive: new(true), Platform: "linux", Home: tree.Home,
	}})
	if err != nil {
		return target{}, fmt.Errorf("encode call: %w", err)
	}
	token, err := waitForFile(ctx, filepath.Join(state, "agent.token"))
	if err != nil {
		return target{}, err
	}
	return target{name: namePolicyd, url: "http://" + addr + "/v1/decide", token: token, body: body}, nil
}

func startBare(ctx context.Context, dir string, body, answer []byte, launch func(*exec.Cmd) error) (target, error) {
	self, err := os.Executable()
	if err != nil {
		return target{}, fmt.Errorf("find own program: %w", err)
	}
	addr, err := freeAddress(ctx)
	if err != nil {
		return target{}, err
	}
	file := filepath.Join(dir, "answer.json")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		return target{}, fmt.Errorf("write answer: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "-bare", addr, "-answer", file)
	cmd.Env = append(os.Environ(), "GOGC=400") // as policyd sets it for itself
	return target{name: nameBare, url: "http://" + addr + "/v1/decide", body: body}, launch(cmd)
}

// startOPA starts OPA's server with the built-in policy, its decision log on the
// console, and facts that somebody else has made.
func startOPA(ctx context.Context, program string, answer []byte, launch func(*exec.Cmd) error, flags ...string) (target, error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return target{}, err
	}
	var decision struct {
		Facts map[string]json.RawMessage `json:"facts"`
	}
	if err := json.Unmarshal(answer, &decision); err != nil {
		return target{}, fmt.Errorf("decode facts: %w", err)
	}
	if len(decision.Facts) == 0 {
		return target{}, errors.New("decode facts: policyd answered none")
	}
	decision.Facts["approvals"] = json.RawMessage("[]")
	body, err := json.Marshal(map[string]any{"input": decision.Facts})
	if err != nil {
		return target{}, fmt.Errorf("encode input: %w", err)
	}
	arguments := []string{
		"run", "--server", "--disable-telemetry", "--addr", addr,
		"--set", "decision_logs.console=true", "--ignore", "*_test.rego", "--bundle", "policies",
	}
	cmd := exec.CommandContext(ctx, program, append(arguments, flags...)...)
	return target{url: "http://" + addr + "/v1/data/policyd/main/decision", body: body}, launch(cmd)
}

func build(ctx context.Context, dir, name, pkg string) (string, error) {
	program := filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", pkg, err, out)
	}
	return program, nil
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

func (t target) untilAnswered(ctx context.Context) (answer []byte, err error) {
	err = retry(ctx, func() error {
		answer, err = t.ask(ctx, http.DefaultClient)
		return err
	})
	return answer, err
}

func waitForFile(ctx context.Context, path string) (string, error) {
	var text []byte
	err := retry(ctx, func() (err error) {
		text, err = os.ReadFile(path)
		return err
	})
	return strings.TrimSpace(string(text)), err
}

// retry tries until there is no error, or patience ends.
func retry(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}
