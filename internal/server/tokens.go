package server

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tokens are the bearer tokens of the two roles.
type Tokens struct {
	Agent    string // may ask
	Operator string // may ask, answer, grant and read everything
}

// shortestToken is 32 random bytes in base64url.
const shortestToken = 43

func (t Tokens) check() error {
	switch {
	case len(t.Agent) < shortestToken || len(t.Operator) < shortestToken:
		return errors.New("check tokens: a token is missing or shorter than 43 characters")
	case t.Agent == t.Operator:
		return errors.New("check tokens: the agent's and the operator's token are the same")
	}
	return nil
}

// ModeError states that a file or directory of the state is open to others than its owner.
type ModeError struct {
	Path string
	// Mode is what it has, and Want what is needed.
	Mode, Want fs.FileMode
	// Secret is true for a token, which others may know by now.
	Secret bool
}

// Error implements error.
func (e *ModeError) Error() string {
	if e.Secret {
		return fmt.Sprintf("%s has mode %04o, so others may know it", e.Path, e.Mode)
	}
	return fmt.Sprintf("%s has mode %04o, so others may enter it", e.Path, e.Mode)
}

var _ error = (*ModeError)(nil)

// LoadOrCreateTokens reads agent.token and operator.token in the state directory, and creates what is
// missing: the directory with mode 0700, the files with 0600. It refuses a file that others than its owner
// can read, since the token may be known already, and a directory that others may enter, since only the
// operator may change it. The error then wraps a *ModeError.
func LoadOrCreateTokens(stateDir string) (Tokens, error) {
	if err := prepareStateDir(stateDir); err != nil {
		return Tokens{}, err
	}
	agent, err := loadOrCreate(filepath.Join(stateDir, "agent.token"))
	if err != nil {
		return Tokens{}, err
	}
	operator, err := loadOrCreate(filepath.Join(stateDir, "operator.token"))
	if err != nil {
		return Tokens{}, err
	}
	tokens := Tokens{Agent: agent, Operator: operator}
	return tokens, tokens.check()
}

func prepareStateDir(stateDir string) error {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", err)
	}
	info, err := os.Stat(stateDir)
	if err != nil {
		return fmt.Errorf("look at state directory: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("check state directory: %w", &ModeError{Path: stateDir, Mode: mode, Want: 0o700})
	}
	return nil
}

func loadOrCreate(file string) (string, error) {
	token, err := loadToken(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := createToken(file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return loadToken(file)
}

func loadToken(file string) (string, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("read token: %s is not a regular file", file)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("read token: %w", &ModeError{Path: file, Mode: mode, Want: 0o600, Secret: true})
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	return parseToken(file, strings.TrimSpace(string(data)))
}

// parseToken checks that a token can't be guessed.
func parseToken(file, token string) (string, error) {
	// The decoder passes over line feeds, and no header carries them.
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) < 32 || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("read token: %s doesn't hold 32 bytes in base64url; delete it and restart to make a new one", file)
	}
	return token, nil
}

// createToken writes a whole file under another name and links it into place,
// so that no reader sees half a token and no token is replaced.
func createToken(file string) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".token-*") // mode 0600
	if err != nil {
		return fmt.Errorf("make token: %w", err)
	}
	defer os.Remove(temporary.Name()) // it is linked by now, or useless
	var random [32]byte
	_, err = rand.Read(random[:])
	if err == nil {
		_, err = temporary.WriteString(base64.RawURLEncoding.EncodeToString(random[:]) + "\n")
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err := errors.Join(err, temporary.Close()); err != nil {
		return fmt.Errorf("make token: %w", err)
	}
	if err := os.Link(temporary.Name(), file); err != nil {
		return fmt.Errorf("make token: %w", err)
	}
	return nil
}
