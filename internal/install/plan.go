package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/tailscale/hujson"
)

// backupSuffix follows the name of a file that an install changed. The backup has the content before the
// first install.
const backupSuffix = ".policyd.bak"

// Change is the change of one file. A nil After removes it, a nil Before is a missing file.
type Change struct {
	Path          string
	Before, After []byte
	backup        backupStep
}

type backupStep int

const (
	leaveBackup backupStep = iota
	makeBackup
	dropBackup
)

// Changed states whether there is anything to do.
func (c *Change) Changed() bool {
	return !bytes.Equal(c.Before, c.After) || (c.Before == nil) != (c.After == nil)
}

// Diff shows the change as a unified diff.
func (c *Change) Diff() []byte {
	before, after := c.Path, c.Path
	if c.Before == nil {
		before = os.DevNull
	}
	if c.After == nil {
		after = os.DevNull
	}
	return diff.Diff(before, c.Before, after, c.After)
}

// Install states what an install changes, and changes nothing. Files that stay as they are are listed, too.
func Install(o *Options) ([]Change, error) {
	return o.plan(func(f *file, text []byte) (Change, error) {
		if !f.wanted() {
			return f.removal(text, o)
		}
		original, err := f.original(text, o)
		if err != nil {
			return Change{}, err
		}
		after, err := f.withHooks(original, o)
		change := Change{Path: f.path, Before: text, After: after}
		// A file with a hook of policyd's isn't the original.
		if text != nil && change.Changed() && bytes.Equal(original, text) && !exists(f.path+backupSuffix) {
			change.backup = makeBackup
		}
		return change, err
	})
}

// Uninstall states what an uninstall changes, and changes nothing.
func Uninstall(o *Options) ([]Change, error) {
	return o.plan(func(f *file, text []byte) (Change, error) { return f.removal(text, o) })
}

// wanted states whether anything belongs into the file.
func (f *file) wanted() bool { return f.format == plugin || f.server != nil || len(f.hooks) > 0 }

func (f *file) removal(text []byte, o *Options) (Change, error) {
	change := Change{Path: f.path, Before: text, After: text}
	original, err := f.original(text, o)
	if err != nil || text == nil || bytes.Equal(original, text) {
		return change, err
	}
	change.After, change.backup = original, dropBackup
	if !exists(f.path+backupSuffix) && f.blank(original) {
		change.After = nil
	}
	return change, nil
}

// original is the file without policyd's hooks: the backup, if nothing but installs changed the file since,
// else the file with the hooks removed.
func (f *file) original(text []byte, o *Options) ([]byte, error) {
	clean, err := f.withoutHooks(text)
	if err != nil || bytes.Equal(clean, text) {
		return clean, err
	}
	kept, err := os.ReadFile(f.path + backupSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return clean, nil
	case err != nil:
		return nil, fmt.Errorf("read backup: %w", err)
	case o.leads(f.path, kept, clean):
		return kept, nil
	}
	return clean, nil
}

// leads states whether an install over kept, in one of its forms, leaves clean when it is removed again.
func (o *Options) leads(path string, kept, clean []byte) bool {
	for _, approve := range []bool{false, true} {
		for _, tools := range []string{"", "policyd"} {
			form := *o
			form.AutoApprove, form.Policyd = approve, tools
			files, err := form.files()
			if err != nil {
				return false
			}
			for i := range files {
				if files[i].path != path {
					continue
				}
				installed, err := files[i].withHooks(kept, &form)
				if err != nil {
					continue
				}
				if again, err := files[i].withoutHooks(installed); err == nil && bytes.Equal(again, clean) {
					return true
				}
			}
		}
	}
	return false
}

// blank reports whether a file that an install made is empty again.
func (f *file) blank(text []byte) bool {
	if f.format == toml || f.format == plugin {
		return len(bytes.TrimSpace(text)) == 0
	}
	d, err := parseDocument(text, true)
	if err != nil || !d.root.IsStandard() {
		return false
	}
	object, isObject := d.root.Value.(*hujson.Object)
	return isObject && (len(object.Members) == 0 || len(object.Members) == 1 && f.version != 0 && d.find("version") != nil)
}

func (o *Options) plan(change func(*file, []byte) (Change, error)) ([]Change, error) {
	files, err := o.files()
	if err != nil {
		return nil, err
	}
	var changes []Change
	for i := range files {
		text, err := readSettings(files[i].path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && text == nil {
			text = []byte{}
		}
		made, err := change(&files[i], text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[i].path, err)
		}
		changes = append(changes, made)
	}
	return changes, nil
}

const (
	fileMode      = 0o600
	directoryMode = 0o755
)

// Apply makes the change, unless the file differs from what the plan read. A link stays a link, and a file
// keeps its mode.
func (c *Change) Apply() error {
	now, err := readSettings(c.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, c.Before) || (err != nil) != (c.Before == nil) {
		return fmt.Errorf("write settings: %s changed meanwhile; try again", c.Path)
	}
	if c.backup == makeBackup {
		if err := replace(c.Path+backupSuffix, c.Before, modeOf(c.Path)); err != nil {
			return fmt.Errorf("keep backup: %w", err)
		}
	}
	if err := c.write(); err != nil {
		return err
	}
	if c.backup != dropBackup {
		return nil
	}
	if err := os.Remove(c.Path + backupSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove backup: %w", err)
	}
	return nil
}

func (c *Change) write() error {
	if !c.Changed() {
		return nil
	}
	if c.After == nil {
		if err := os.Remove(c.Path); err != nil {
			return fmt.Errorf("remove settings: %w", err)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), directoryMode); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	target := c.Path
	if real, err := filepath.EvalSymlinks(c.Path); err == nil {
		target = real
	}
	if err := replace(target, c.After, modeOf(target)); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

func modeOf(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return fileMode
}

// replace replaces a whole file at once.
func replace(path string, text []byte, mode fs.FileMode) (err error) {
	made, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".policyd-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(made.Name()))
		}
	}()
	_, err = made.Write(text)
	if err = errors.Join(err, made.Chmod(mode), made.Sync(), made.Close()); err != nil {
		return err
	}
	return os.Rename(made.Name(), path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
