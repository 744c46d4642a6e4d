package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"policyd/policies"
)

// withoutBuiltin is the flag that leaves the built-in policy out.
const withoutBuiltin = "no-builtin"

// includeBuiltin adds the built-in policy, its helpers for tests and the schema of facts to one of OPA's
// commands, test or check, as in a server. A path with packages of policyd itself is checked alone.
func includeBuiltin(command *cobra.Command) {
	var without bool
	command.Flags().BoolVar(&without, withoutBuiltin, false,
		"leave out the built-in policy, which is included unless a path has packages of policyd")
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		if without || replacesBuiltin(args) {
			return run(command, args)
		}
		dir, err := os.MkdirTemp("", "policyd-builtin-")
		if err != nil {
			return failed(fmt.Errorf("unpack the built-in policy: %w", err), "free the temporary directory, or pass --"+withoutBuiltin)
		}
		defer os.RemoveAll(dir)
		paths, err := unpackBuiltin(command, dir)
		if err != nil {
			return failed(fmt.Errorf("unpack the built-in policy: %w", err), "free the temporary directory, or pass --"+withoutBuiltin)
		}
		return run(command, append(append([]string{}, args...), paths...))
	}
}

// unpackBuiltin writes the built-in policy without its own tests below dir, and returns
// the paths to load. It sets the flag schema unless that is given.
func unpackBuiltin(command *cobra.Command, dir string) ([]string, error) {
	policy, schemas, binding := filepath.Join(dir, "policyd"), filepath.Join(dir, "schemas"), filepath.Join(dir, "site.rego")
	if err := writeBuiltin(policy); err != nil {
		return nil, err
	}
	paths := []string{policy}
	schema := command.Flags().Lookup("schema")
	if schema == nil || schema.Changed {
		return paths, nil
	}
	if err := os.Mkdir(schemas, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(schemas, "facts.json"), policies.Schema, 0o600); err != nil {
		return nil, err
	}
	if err := schema.Value.Set(schemas); err != nil {
		return nil, err
	}
	if asBundle := command.Flags().Lookup("bundle"); asBundle != nil && asBundle.Changed {
		return paths, nil // a bundle can't contain a file outside of its roots
	}
	return append(paths, binding), os.WriteFile(binding, []byte(policies.SiteSchema), 0o600)
}

func writeBuiltin(dir string) error {
	return fs.WalkDir(policies.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		target := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case strings.HasSuffix(name, "_test.rego"):
			return nil
		}
		content, err := fs.ReadFile(policies.FS, name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

// replacesBuiltin reports whether a file below the paths is of a package of policyd.
func replacesBuiltin(paths []string) bool {
	errFound := errors.New("found")
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".rego") {
				return nil //nolint:nilerr // the command reports what can't be read
			}
			if isPolicydModule(name) {
				return errFound
			}
			return nil
		})
		if err != nil {
			return true
		}
	}
	return false
}

// isPolicydModule reports whether a file declares a package of policyd.
func isPolicydModule(name string) bool {
	content, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for scanner := bufio.NewScanner(bytes.NewReader(content)); scanner.Scan(); {
		words := strings.Fields(scanner.Text())
		if len(words) > 1 && words[0] == "package" {
			root, _, _ := strings.Cut(words[1], ".")
			return root == "policyd"
		}
	}
	return false
}
