package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"policyd/internal/secretfile"
)

// TokenFile is a token with a name, in a file of its own.
type TokenFile struct {
	Principal
	File string
}

// TokenFiles keeps a keyring as the token files are. It may be used concurrently.
type TokenFiles struct {
	stateDir string
	named    []TokenFile
	ring     *Keyring

	// load reads the token of a file of the state directory, and named that of another.
	load, loadNamed func(file string) (string, error)

	mu    sync.Mutex
	fault error
	// last are the tokens that were read last, by file.
	last map[string]string
}

// OpenTokenFiles reads the tokens of the state directory, which it makes, and the
// named ones. At the start each has to be usable.
func OpenTokenFiles(stateDir string, named []TokenFile) (*TokenFiles, error) {
	if _, err := LoadOrCreateTokens(stateDir); err != nil {
		return nil, err
	}
	files := &TokenFiles{stateDir: stateDir, named: named, load: loadToken, loadNamed: readToken, last: map[string]string{}}
	keys, err := files.read()
	if err != nil {
		return nil, err
	}
	files.ring, err = NewKeyring(keys)
	return files, err
}

// Keys is the keyring, which changes with Reload.
func (f *TokenFiles) Keys() *Keyring { return f.ring }

// Reload reads the files again. A token whose file is gone or invalid is disabled until the file is
// corrected, and the error reports it; the others stay. If the system temporarily can't read a file, its
// token stays.
func (f *TokenFiles) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys, fault := f.read()
	f.fault = errors.Join(fault, f.ring.Replace(keys))
	return f.fault
}

// Fault is the result of the last Reload.
func (f *TokenFiles) Fault() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fault
}

// read returns every valid token. Equal tokens are invalid: their senders can't be distinguished.
func (f *TokenFiles) read() ([]Key, error) {
	var keys []Key
	var faults []error
	add := func(who Principal, file, token string, err error) {
		if err != nil {
			faults = append(faults, err)
			token = f.last[file]
		}
		switch {
		case err == nil:
			f.last[file] = token
		case token == "" || !secretfile.Transient(err):
			delete(f.last, file)
			return
		}
		keys = append(keys, Key{Principal: who, Token: token})
	}
	for _, role := range []Role{RoleAgent, RoleOperator} {
		file := filepath.Join(f.stateDir, string(role)+".token")
		token, err := f.load(file)
		add(Principal{Role: role}, file, token, err)
	}
	for _, file := range f.named {
		token, err := f.loadNamed(file.File)
		if err != nil {
			err = fmt.Errorf("token of %s: %w", file.Name, err)
		}
		add(file.Principal, file.File, token, err)
	}
	count := map[string]int{}
	for _, key := range keys {
		count[key.Token]++
	}
	unique := keys[:0]
	for _, key := range keys {
		if count[key.Token] == 1 {
			unique = append(unique, key)
			continue
		}
		who := key.Name
		if who == "" {
			who = string(key.Role) + ".token"
		}
		faults = append(faults, fmt.Errorf("check tokens: that of %s is another's, too; make a new one", who))
	}
	return unique, errors.Join(faults...)
}

// readToken reads a named token, which may be reached over a link.
func readToken(file string) (string, error) {
	content, err := secretfile.Read(file)
	if err != nil {
		return "", err
	}
	return parseToken(file, strings.TrimSpace(string(content)))
}
