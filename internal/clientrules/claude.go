package clientrules

import (
	"path/filepath"
	"strings"
)

// claude reads permissions.allow, ask and deny of Claude Code's settings files, as
// code.claude.com/docs/en/permissions has them. Deny beats ask, and ask beats allow,
// whatever the file.
func (r *reader) claude() error {
	files := []struct {
		path    string
		project bool
	}{{filepath.Join(r.place("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), false}}
	if r.where.Project != "" {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			files = append(files, struct {
				path    string
				project bool
			}{filepath.Join(r.where.Project, ".claude", name), true})
		}
	}
	for _, file := range files {
		d, err := r.json(file.path, file.project, false)
		if err != nil {
			return err
		}
		if d == nil {
			continue
		}
		if err := r.claudePermissions(d); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) claudePermissions(d *document) error {
	permissions := d.find("permissions")
	if _, err := d.members(permissions, "permissions"); err != nil {
		return err
	}
	for rank, effect := range []Effect{Allow, Ask, Deny} {
		list, err := d.texts(d.find("permissions", string(effect)), "permissions."+string(effect))
		if err != nil {
			return err
		}
		for _, rule := range list {
			if !claudeRule(r.add(Rule{Text: rule.string, Line: rule.line, Effect: effect, rank: rank}), rule.string) {
				return &FileError{File: d.file, Line: rule.line, Message: "permission rule " + rule.string + " has no closing parenthesis"}
			}
		}
	}
	directories, err := d.texts(d.find("permissions", "additionalDirectories"), "permissions.additionalDirectories")
	if err != nil {
		return err
	}
	for _, directory := range directories {
		r.add(Rule{Text: "additionalDirectories " + directory.string, Line: directory.line, Effect: Allow, unfit: "it is no verb; let the directory be used with policyd grants add"})
	}
	if mode := d.find("permissions", "defaultMode"); mode != nil {
		if name, isText := d.string(mode); isText && name != "default" && name != "plan" {
			r.add(Rule{Text: "defaultMode " + name, Line: d.line(mode), Effect: Allow, unfit: "a mode names no verb"})
		}
	}
	return nil
}

// claudeRule reads Tool or Tool(specifier); false if the parenthesis isn't closed.
func claudeRule(rule *Rule, written string) bool {
	tool, specifier, some := strings.Cut(written, "(")
	if some {
		var closed bool
		if specifier, closed = strings.CutSuffix(specifier, ")"); !closed {
			return false
		}
	}
	switch tool {
	case "Bash":
		rule.asWords(specifier, true)
	case "WebFetch":
		rule.kind, rule.open = fetch, true
		if host, named := strings.CutPrefix(specifier, "domain:"); named {
			rule.words, rule.open = []string{host}, false
			if strings.ContainsAny(host, "*/: ") || host == "" {
				rule.words, rule.open, rule.unfit = nil, true, "it is not for one host"
			}
		} else {
			rule.unfit = "it is for every host, and an approval is for one"
		}
	case "Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS":
		rule.kind = file
	case "*":
		rule.kind, rule.unfit = every, "it allows every tool"
	default:
		if named, isMCP := strings.CutPrefix(tool, "mcp__"); isMCP {
			rule.asMCP(strings.Cut(named, "__"))
			if some {
				rule.unfit, rule.open = "an approval of a tool holds for all its arguments", true
			}
		}
	}
	return true
}

// asMCP makes a rule one about a tool of an MCP server, or about all its tools.
func (r *Rule) asMCP(server, tool string, one bool) {
	r.kind, r.words = mcp, []string{server, tool}
	if !one || tool == "" || strings.Contains(server+tool, "*") {
		r.unfit = "it is for every tool of a server, and an approval is for one"
		r.words, r.open = []string{server}, true
	}
	if strings.Contains(server, "*") || server == "" {
		r.words = nil
	}
}
