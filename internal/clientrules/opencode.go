package clientrules

import (
	"path/filepath"

	"github.com/tailscale/hujson"
)

// agentRank is above the rank of every rule for all agents.
const agentRank = 1 << 20

// openCode reads permission and tools of OpenCode's configuration, as opencode.ai/docs/permissions has them.
// The last rule that matches applies; a later file changes a rule in its place.
func (r *reader) openCode() error {
	directories := []string{r.place("OPENCODE_CONFIG_DIR", r.openCodeDir()...)}
	if r.where.Project != "" {
		directories = append(directories, r.where.Project, filepath.Join(r.where.Project, ".opencode"))
	}
	merged := map[[2]string]int{}
	for i, directory := range directories {
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			d, err := r.json(filepath.Join(directory, name), i > 0, true)
			if err != nil {
				return err
			}
			if d == nil {
				continue
			}
			if err := r.openCodeFile(d, merged); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) openCodeDir() []string {
	if named, set := r.where.Env("XDG_CONFIG_HOME"); set && filepath.IsAbs(named) {
		if below, err := filepath.Rel(r.where.Home, named); err == nil {
			return []string{below, "opencode"}
		}
	}
	return []string{".config", "opencode"}
}

func (r *reader) openCodeFile(d *document, merged map[[2]string]int) error {
	if err := r.openCodePermission(d, d.find("permission"), "", merged); err != nil {
		return err
	}
	tools, err := d.members(d.find("tools"), "tools")
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if literal, isLiteral := tool.value.Value.(hujson.Literal); isLiteral && literal.Kind() == 'f' {
			rule := r.add(Rule{Text: "tools." + tool.name + ": false", Line: d.line(tool.value), Effect: Deny, rank: 1 << 30})
			openCodeTool(rule, tool.name, "*")
		}
	}
	agents, err := d.members(d.find("agent"), "agent")
	if err != nil {
		return err
	}
	for _, agent := range agents {
		if err := r.openCodePermission(d, d.find("agent", agent.name, "permission"), agent.name, merged); err != nil {
			return err
		}
	}
	return nil
}

// openCodePermission reads one permission value: an effect for all tools, or one or more
// effects for each tool.
func (r *reader) openCodePermission(d *document, value *hujson.Value, agent string, merged map[[2]string]int) error {
	if value == nil {
		return nil
	}
	if _, isText := d.string(value); isText {
		return r.openCodeRule(d, "*", "*", value, agent, merged)
	}
	tools, err := d.members(value, "permission")
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if _, isText := d.string(tool.value); isText {
			err = r.openCodeRule(d, tool.name, "*", tool.value, agent, merged)
		} else {
			err = r.openCodePatterns(d, tool, agent, merged)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) openCodePatterns(d *document, tool member, agent string, merged map[[2]string]int) error {
	patterns, err := d.members(tool.value, "permission."+tool.name)
	if err != nil {
		return err
	}
	for _, pattern := range patterns {
		if err := r.openCodeRule(d, tool.name, pattern.name, pattern.value, agent, merged); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) openCodeRule(d *document, tool, pattern string, value *hujson.Value, agent string, merged map[[2]string]int) error {
	name, isText := d.string(value)
	effect := Effect(name)
	if !isText || effect != Allow && effect != Ask && effect != Deny {
		return d.wrong(value, "permission."+tool+" is none of allow, ask and deny")
	}
	text := tool
	if pattern != "*" {
		text += " " + pattern
	}
	rule := r.add(Rule{Text: text + ": " + name, Line: d.line(value), Effect: effect, rank: len(r.rules)})
	openCodeTool(rule, tool, pattern)
	if agent != "" {
		// It overrides the rules for all agents, and an approval would hold for that agent too.
		rule.rank += agentRank
		rule.Text = agent + ": " + rule.Text
		rule.unfit = "it is for one agent of OpenCode, and an approval holds for all of them"
		return nil
	}
	at := len(r.rules) - 1
	if before, known := merged[[2]string{tool, pattern}]; known {
		r.rules[before].inert = true
		rule.rank = r.rules[before].rank
	}
	merged[[2]string{tool, pattern}] = at
	return nil
}

func openCodeTool(rule *Rule, tool, pattern string) {
	switch tool {
	case "*":
		rule.kind, rule.unfit = every, "it allows every tool"
	case "bash":
		rule.asWords(pattern, false)
	case "webfetch":
		rule.kind, rule.open, rule.unfit = fetch, true, "it is for addresses, and an approval is for one host"
	case "read", "edit", "write", "patch", "glob", "grep", "list", "external_directory":
		rule.kind = file
	}
}
