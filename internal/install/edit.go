package install

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/tailscale/hujson"

	"policyd/internal/jsonmembers"
)

// serverName is the name of the hint tools' server in every client.
const serverName = "policyd"

// withHooks is the file's text with the hooks of this install and without those of an earlier one.
func (f *file) withHooks(text []byte, o *Options) ([]byte, error) {
	clean, err := f.withoutHooks(text)
	if err != nil {
		return nil, err
	}
	switch f.format {
	case plugin:
		made, err := OpenCodePlugin(o.command(), o.patience()+slack)
		return []byte(made), err
	case toml:
		if f.server == nil {
			return clean, nil
		}
		return addServerTable(clean, o.Policyd, []string{"tools", "--client", o.Client})
	case strictJSON, commentedJSON:
	}
	if !f.wanted() {
		return clean, nil
	}
	d, err := parseDocument(clean, f.format == commentedJSON)
	if err != nil {
		return nil, err
	}
	if f.version != 0 && d.find("version") == nil {
		if err := d.put(f.version, "version"); err != nil {
			return nil, err
		}
	}
	for _, hook := range f.hooks {
		if err := d.push(hook.entry, "hooks", hook.event); err != nil {
			return nil, err
		}
	}
	if f.server != nil {
		if err := d.put(f.server, f.serverAt, serverName); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// withoutHooks is the file's text without anything of ours.
func (f *file) withoutHooks(text []byte) ([]byte, error) {
	switch {
	case f.format == plugin:
		if len(text) > 0 && !bytes.HasPrefix(text, []byte(pluginMark)) {
			return nil, fmt.Errorf("line 1, column 1: this is not policyd's plugin; move it away first")
		}
		return nil, nil
	case f.format == toml:
		return removeServerTable(text)
	case len(text) == 0:
		return text, nil
	}
	d, err := parseDocument(text, f.format == commentedJSON)
	if err != nil {
		return nil, err
	}
	found := false
	for path := d.ownHook(); path != nil; path = d.ownHook() {
		found = true
		if err := d.remove(path...); err != nil {
			return nil, err
		}
		if err := d.prune(path[:len(path)-1]...); err != nil {
			return nil, err
		}
	}
	if f.serverAt != "" && d.ownServer(f.serverAt) {
		found = true
		if err := d.remove(f.serverAt, serverName); err != nil {
			return nil, err
		}
		if err := d.prune(f.serverAt); err != nil {
			return nil, err
		}
	}
	if !found {
		return text, nil
	}
	return d.bytes(), nil
}

// ownHook finds a hook of policyd's, by the program that it starts.
func (d *document) ownHook() []any {
	return ownHook(d.find("hooks"), []any{"hooks"})
}

func ownHook(value *hujson.Value, path []any) []any {
	step := func(inner *hujson.Value, name any) []any {
		return ownHook(inner, append(append([]any{}, path...), name))
	}
	switch inner := valueAt(value).(type) {
	case *hujson.Array:
		for i := range inner.Elements {
			if found := step(&inner.Elements[i], i); found != nil {
				return found
			}
		}
	case *hujson.Object:
		for i := range inner.Members {
			name := jsonmembers.Name(&inner.Members[i])
			literal, isLiteral := inner.Members[i].Value.Value.(hujson.Literal)
			_, inList := path[len(path)-1].(int)
			if isLiteral && inList && (name == "command" || name == "bash") && ours(literal.String()) {
				return path
			}
			if found := step(&inner.Members[i].Value, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// ownServer states whether the server of our name is ours.
func (d *document) ownServer(at string) bool {
	words := []string{d.stringAt(at, serverName, "command")}
	var more []string
	if words[0] == "" {
		words = nil
		d.decode(&more, at, serverName, "command")
	} else {
		d.decode(&more, at, serverName, "args")
	}
	words = append(words, more...)
	return len(words) > 1 && filepath.Base(words[0]) == "policyd" && words[1] == "tools"
}
