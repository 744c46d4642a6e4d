package pdp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Places are where to look for a sidecar. The zero value is the default place. Paths may begin with "~/".
type Places struct {
	// Socket or TCP is the address of the sidecar itself. Socket takes precedence.
	Socket, TCP string
	// RunDir and StateDir are the server's own settings.
	RunDir, StateDir string
	// TokenFile is the file of the token for TCP; the state directory's agent.token unless set. POLICYD_TOKEN
	// takes precedence.
	TokenFile string
}

const (
	defaultStateDir = "~/.local/state/policyd"
	tokenName       = "agent.token"
)

// Find returns the address of the sidecar, by the rules that the server uses for listening. It reads no file
// except the token's, and connects to nothing.
func (p Places) Find(env func(string) (string, bool)) (Address, error) {
	state := p.StateDir
	if state == "" {
		state = defaultStateDir
	}
	if p.TCP != "" && p.Socket == "" {
		token, err := p.token(state, env)
		return Address{TCP: p.TCP, Token: token}, err
	}
	socket, err := p.socket(state, env)
	return Address{Socket: socket}, err
}

func (p Places) socket(state string, env func(string) (string, bool)) (string, error) {
	if p.Socket != "" {
		return expandHome(p.Socket, env)
	}
	if p.RunDir != "" {
		runDir, err := expandHome(p.RunDir, env)
		return SocketIn(runDir), err
	}
	if session, set := env("XDG_RUNTIME_DIR"); set && filepath.IsAbs(session) {
		return SocketIn(filepath.Join(session, "policyd")), nil
	}
	state, err := expandHome(state, env)
	return SocketIn(filepath.Join(state, "run")), err
}

func (p Places) token(state string, env func(string) (string, bool)) (string, error) {
	if token, set := env("POLICYD_TOKEN"); set && token != "" {
		return token, nil
	}
	file := p.TokenFile
	if file == "" {
		file = filepath.Join(state, tokenName)
	}
	file, err := expandHome(file, env)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("read token: %s is empty", file)
	}
	return token, nil
}

func expandHome(path string, env func(string) (string, bool)) (string, error) {
	rest, below := strings.CutPrefix(path, "~/")
	if !below {
		return path, nil
	}
	home, set := env("HOME")
	if !set || !filepath.IsAbs(home) {
		return "", errors.New("HOME is not set to a directory; name the place with --socket or POLICYD_RUN_DIR")
	}
	return filepath.Join(home, rest), nil
}
