package clientrules

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxPatterns bounds the patterns that the alternatives of one rule represent.
const maxPatterns = 1000

// codex reads the .rules files of Codex and the approval modes in its config.toml, as
// developers.openai.com/codex/rules has them. Forbidden beats prompt, and prompt beats
// allow, whatever the file.
func (r *reader) codex() error {
	directories := []string{r.place("CODEX_HOME", ".codex")}
	if r.where.Project != "" {
		directories = append(directories, filepath.Join(r.where.Project, ".codex"))
	}
	for i, directory := range directories {
		if err := r.each(filepath.Join(directory, "rules"), ".rules", i > 0, r.codexRules); err != nil {
			return err
		}
		text, err := r.open(filepath.Join(directory, "config.toml"), i > 0)
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		if err := r.codexConfig(text); err != nil {
			return err
		}
	}
	return nil
}

// codexConfig reads what the configuration approves: tools of MCP servers, and everything.
func (r *reader) codexConfig(text []byte) error {
	var config struct {
		ApprovalPolicy any `toml:"approval_policy"`
		MCPServers     map[string]struct {
			Default string `toml:"default_tools_approval_mode"`
			Tools   map[string]struct {
				Mode string `toml:"approval_mode"`
			} `toml:"tools"`
		} `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &config); err != nil {
		return r.tomlError(err)
	}
	if config.ApprovalPolicy == "never" {
		r.add(Rule{Text: "approval_policy never", Line: lineOf(text, "approval_policy"), Effect: Allow, unfit: "a mode names no verb"})
	}
	for _, server := range slices.Sorted(maps.Keys(config.MCPServers)) {
		line := lineOf(text, "[mcp_servers."+server)
		own := config.MCPServers[server]
		if own.Default == "approve" {
			r.add(Rule{Text: "mcp_servers." + server + " approve", Line: line, Effect: Allow}).asMCP(server, "", false)
		}
		for _, tool := range slices.Sorted(maps.Keys(own.Tools)) {
			effect, rank := Ask, 1
			switch own.Tools[tool].Mode {
			case "approve":
				effect, rank = Allow, 0
			case "":
				continue
			}
			text := fmt.Sprintf("mcp_servers.%s.tools.%s %s", server, tool, own.Tools[tool].Mode)
			r.add(Rule{Text: text, Line: line, Effect: effect, rank: rank}).asMCP(server, tool, true)
		}
	}
	return nil
}

// lineOf is the first line that begins with a text, 1 if there is none.
func lineOf(text []byte, begins string) int {
	if lines := tableLines(text, begins); len(lines) > 0 {
		return lines[0]
	}
	return 1
}

// codexRules reads a file of rules.
func (r *reader) codexRules(text []byte) error {
	calls, err := parseCalls(text)
	if err != nil {
		err.File = r.file
		return err
	}
	for i := range calls {
		if message := r.codexCall(&calls[i]); message != "" {
			return &FileError{File: r.file, Line: calls[i].line, Message: message}
		}
	}
	return nil
}

// codexCall reads one call. It returns what is wrong with it.
func (r *reader) codexCall(c *call) string {
	decision := "allow"
	if value, given := c.arguments["decision"]; given {
		decision, _ = value.(string)
	}
	effect, known := map[string]Effect{"allow": Allow, "prompt": Ask, "forbidden": Deny, "deny": Deny}[decision]
	if c.name == "prefix_rule" && !known {
		return fmt.Sprintf("decision %q is none of allow, prompt and forbidden", decision)
	}
	rank := map[Effect]int{Allow: 0, Ask: 1, Deny: 2}[effect]
	switch c.name {
	case "prefix_rule":
		patterns, message := patterns(c.arguments["pattern"])
		for _, words := range patterns {
			rule := r.add(Rule{Text: "prefix_rule " + strings.Join(words, " "), Line: c.line, Effect: effect, rank: rank})
			rule.asArgv(words)
		}
		return message
	case "network_rule":
		host, _ := c.arguments["host"].(string)
		r.add(Rule{Text: "network_rule " + host, Line: c.line, Effect: effect, rank: rank, unfit: "it is for the network of Codex's sandbox, which an approval doesn't open"})
	default: // host_executable
		name, _ := c.arguments["name"].(string)
		r.add(Rule{Text: c.name + " " + name, Line: c.line, Effect: Allow, unfit: "it says where a program is, and allows nothing by itself"})
	}
	return ""
}

// asArgv makes a rule one about commands that begin with these words, as they are.
func (r *Rule) asArgv(words []string) {
	r.asWords(strings.Join(words, " ")+" *", false)
	if r.unfit == "" && slices.ContainsFunc(words, func(word string) bool { return word == "" || strings.ContainsAny(word, " \t") }) {
		r.unfit = "it is more than literal words of one command"
	}
}

// patterns are the word lists that a pattern with alternatives represents.
func patterns(value any) (lists [][]string, message string) {
	elements, isList := value.([]any)
	if !isList || len(elements) == 0 {
		return nil, "pattern is no list of words"
	}
	lists = [][]string{nil}
	for _, element := range elements {
		words, ok := oneOrMore(element)
		if !ok || len(words) == 0 {
			return nil, "pattern holds a value that is neither a word nor a list of words"
		}
		var longer [][]string
		for _, list := range lists {
			for _, word := range words {
				longer = append(longer, append(slices.Clone(list), word))
			}
		}
		if lists = longer; len(lists) > maxPatterns {
			return nil, fmt.Sprintf("pattern matches more than %d commands", maxPatterns)
		}
	}
	return lists, ""
}
