// Leaststart is the least that a start could be: it parses and compiles the built-in
// policy by OPA as it comes, and ends. Policyd's start is measured beside it.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/goccy/go-json"
	"github.com/open-policy-agent/opa/v1/ast"

	"policyd/policies"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	modules := map[string]*ast.Module{}
	err := fs.WalkDir(policies.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.FS, name)
		if err != nil {
			return err
		}
		return read(modules, name, text)
	})
	if err != nil {
		return fmt.Errorf("read policy: %w", err)
	}
	compiler := ast.NewCompiler()
	if compiler.Compile(modules); compiler.Failed() {
		return fmt.Errorf("compile policy: %w", compiler.Errors)
	}
	if len(modules) == 0 {
		return errors.New("compile policy: there are no rules")
	}
	return nil
}

// read parses rules, and makes terms of data.
func read(modules map[string]*ast.Module, name string, text []byte) error {
	switch {
	case path.Base(name) == "data.json":
		var value any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		_, err := ast.InterfaceToValue(value)
		return err
	case strings.HasSuffix(name, ".rego") && !strings.HasSuffix(name, "_test.rego"):
		module, err := ast.ParseModule(name, string(text))
		modules[name] = module
		return err
	}
	return nil
}
