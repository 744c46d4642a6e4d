package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schema: error:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // a source directory
			return fmt.Errorf("make directory: %w", err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // a source file
			return fmt.Errorf("write file: %w", err)
		}
	}
	return nil
}

// generate returns the files to write, by slash path from the module root. The
// root is read for the comments of the types.
func generate(root string) (map[string][]byte, error) {
	reflector, err := newReflector(root)
	if err != nil {
		return nil, err
	}
	facts, err := factsSchema(reflector)
	if err != nil {
		return nil, err
	}
	description, err := openAPI(reflector)
	if err != nil {
		return nil, err
	}
	safe, err := mergeForms(filepath.Join(root, "policies", "forms"))
	if err != nil {
		return nil, err
	}
	remote, err := mergeForms(filepath.Join(root, "policies", "forms", "remote"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, document := range map[string]any{"policies/schemas/facts.json": facts, "api/openapi.json": description} {
		if files[name], err = encode(document); err != nil {
			return nil, err
		}
	}
	for name, tables := range map[string]map[string]verbForms{"safe_verbs": safe, "remote_readers": remote} {
		if files["policies/policyd/config/"+name+"/data.json"], err = encodeForms(tables); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// encode writes a document with its keys sorted, two spaces of indent, and a
// line feed at the end.
func encode(document any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	return out.Bytes(), nil
}

// moduleRoot is the nearest directory above the working directory with a go.mod.
func moduleRoot() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory, nil
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			return "", errors.New("find module: no go.mod here or above")
		}
		directory = parent
	}
}
