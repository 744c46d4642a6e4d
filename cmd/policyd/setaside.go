package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"policyd/internal/visible"
)

// setAsideDir is the directory of notes about files that were set aside, one for each, so that concurrent
// commands lose none.
const setAsideDir = "set-aside"

// asideFact states that a file was set aside.
type asideFact struct {
	File   string `json:"file"`
	Kept   string `json:"kept_as"`
	Reason string `json:"reason"`
}

// mostAside bounds the names that are tried for one file.
const mostAside = 10_000

// setAside renames a file to a free name that ends in ending, or in ending and a number, and writes a note.
// Until the last step the file has both names, so that it is never lost.
func setAside(stateDir, file, ending, reason string) (moved string, err error) {
	for n := 1; n < mostAside; n++ {
		moved = file + ending
		if n > 1 {
			moved += fmt.Sprintf(".%d", n)
		}
		err = duplicate(file, moved)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	if err := rememberAside(stateDir, asideFact{File: file, Kept: moved, Reason: reason}); err != nil {
		return "", errors.Join(err, os.Remove(moved))
	}
	if err := os.Remove(file); err != nil {
		return "", fmt.Errorf("set aside: it is kept as %s, and its old name is still there: %w", moved, err)
	}
	return moved, nil
}

// duplicate gives a file a second name, which must be free. If the file system has no hard links it copies.
func duplicate(file, name string) error {
	err := os.Link(file, name)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Sync()
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func rememberAside(stateDir string, fact asideFact) error {
	text, err := json.Marshal(fact)
	if err != nil {
		return fmt.Errorf("encode what was set aside: %w", err)
	}
	dir := filepath.Join(stateDir, setAsideDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("remember what was set aside: %w", err)
	}
	temporary, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("remember what was set aside: %w", err)
	}
	defer os.Remove(temporary.Name()) // it has its name by now, or is useless
	_, err = temporary.Write(append(text, '\n'))
	if err == nil {
		err = temporary.Sync()
	}
	if err := errors.Join(err, temporary.Close()); err != nil {
		return fmt.Errorf("remember what was set aside: %w", err)
	}
	name := sha256.Sum256([]byte(fact.Kept))
	if err := os.Rename(temporary.Name(), filepath.Join(dir, hex.EncodeToString(name[:8])+".json")); err != nil {
		return fmt.Errorf("remember what was set aside: %w", err)
	}
	return nil
}

// recallSetAside warns of every file that was set aside and still exists. It removes the note of a file that
// is gone.
func (p *Program) recallSetAside(stateDir string) error {
	dir := filepath.Join(stateDir, setAsideDir)
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recall what was set aside: %w", err)
	}
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".json" {
			continue
		}
		fact, err := readAside(filepath.Join(dir, file.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("recall what was set aside: %w", err)
		}
		said, _ := visible.Line(fmt.Sprintf("%s was not imported and is set aside as %s: %s; remove that file to end this warning",
			fact.File, fact.Kept, fact.Reason))
		if _, err := fmt.Fprintf(p.Stderr, "policyd: warning: %s\n", said); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// readAside reads the note of one file. If the file was removed, it removes the note and returns
// fs.ErrNotExist.
func readAside(name string) (asideFact, error) {
	var fact asideFact
	text, err := os.ReadFile(name)
	if err != nil {
		return fact, err
	}
	if err := json.Unmarshal(text, &fact); err != nil {
		return fact, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := os.Lstat(fact.Kept); errors.Is(err, fs.ErrNotExist) {
		return fact, errors.Join(err, os.Remove(name))
	}
	return fact, nil
}
