package clientrules

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Ranks of Gemini CLI's policy engine: the tier of a file, then the priority in it
// (geminicli.com/docs/reference/policy-engine). Rules of settings have the user's tier.
const (
	geminiTier      = 1000
	geminiWorkspace = 3 * geminiTier
	geminiUser      = 4 * geminiTier
	geminiAllowed   = geminiUser + 300
	geminiExcluded  = geminiUser + 400
)

func (r *reader) gemini() error {
	directories := []string{filepath.Join(r.place("GEMINI_CLI_HOME"), ".gemini")}
	if r.where.Project != "" {
		directories = append(directories, filepath.Join(r.where.Project, ".gemini"))
	}
	for i, directory := range directories {
		project, tier := i > 0, geminiUser
		if project {
			tier = geminiWorkspace
		}
		d, err := r.json(filepath.Join(directory, "settings.json"), project, true)
		if err != nil {
			return err
		}
		if d != nil {
			if err := r.geminiSettings(d); err != nil {
				return err
			}
		}
		if err := r.each(filepath.Join(directory, "policies"), ".toml", project, func(text []byte) error { return r.geminiPolicy(text, tier) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) geminiSettings(d *document) error {
	for _, list := range []struct {
		names  []string
		effect Effect
		rank   int
		unfit  string
	}{
		{[]string{"tools", "allowed"}, Allow, geminiAllowed, ""},
		{[]string{"allowedTools"}, Allow, geminiAllowed, ""},
		{[]string{"tools", "exclude"}, Deny, geminiExcluded, ""},
		{[]string{"excludeTools"}, Deny, geminiExcluded, ""},
		{[]string{"tools", "confirmationRequired"}, Ask, geminiExcluded, ""},
		{[]string{"tools", "core"}, Allow, 0, coreUnfit},
		{[]string{"coreTools"}, Allow, 0, coreUnfit},
	} {
		entries, err := d.texts(d.find(list.names...), strings.Join(list.names, "."))
		if err != nil {
			return err
		}
		for _, entry := range entries {
			rule := r.add(Rule{Text: entry.string, Line: entry.line, Effect: list.effect, rank: list.rank})
			name, specifier, some := strings.Cut(entry.string, "(")
			specifier, closed := strings.CutSuffix(specifier, ")")
			if some && !closed {
				return &FileError{File: d.file, Line: entry.line, Message: entry.string + " has no closing parenthesis"}
			}
			geminiTool(rule, name, specifier)
			if list.unfit != "" {
				rule.unfit = list.unfit
			}
		}
	}
	servers, err := d.members(d.find("mcpServers"), "mcpServers")
	if err != nil {
		return err
	}
	for _, server := range servers {
		if trust := d.find("mcpServers", server.name, "trust"); isTrue(trust) {
			rule := r.add(Rule{Text: "mcpServers." + server.name + ".trust", Line: d.line(trust), Effect: Allow})
			rule.asMCP(server.name, "", false)
		}
	}
	return nil
}

const coreUnfit = "it limits which tools there are, and approves none"

// geminiTool parses the name of a tool, and the command prefix after the name of the shell tool.
func geminiTool(rule *Rule, name, prefix string) {
	switch name {
	case "run_shell_command", "ShellTool":
		rule.asPrefix(prefix)
	case "web_fetch", "WebFetchTool":
		rule.kind, rule.open, rule.unfit = fetch, true, "it is for every host, and an approval is for one"
	case "read_file", "write_file", "replace", "list_directory", "glob", "search_file_content", "grep_search", "read_many_files",
		"ReadFileTool", "WriteFileTool", "EditTool", "LSTool", "GlobTool", "GrepTool", "ReadManyFilesTool":
		rule.kind = file
	case "*":
		rule.kind, rule.unfit = every, "it allows every tool"
	default:
		server, tool, one := strings.Cut(name, "__")
		if one && !strings.Contains(tool, "__") {
			rule.asMCP(server, tool, tool != "*")
		} else if strings.HasPrefix(name, "mcp_") {
			rule.kind, rule.open, rule.unfit = mcp, true, "where the server's name ends is not known; write the rule with mcpName and toolName"
		}
	}
}

// asPrefix makes a rule one about command lines that begin with a text.
func (r *Rule) asPrefix(prefix string) {
	prefix = strings.TrimRight(prefix, " ")
	if strings.ContainsAny(prefix, "*?") {
		r.asWords(prefix+" *", false)
		r.unfit = "a wildcard inside the command matches words that an approval can't leave open"
		return
	}
	r.asWords(strings.TrimSpace(prefix+" *"), false)
}

// geminiRule is a rule of a policy file. What narrows a rule to some calls alone is read as
// any value.
type geminiRule struct {
	ToolName      any     `toml:"toolName"`
	MCPName       string  `toml:"mcpName"`
	CommandPrefix any     `toml:"commandPrefix"`
	CommandRegex  string  `toml:"commandRegex"`
	ArgsPattern   string  `toml:"argsPattern"`
	Decision      string  `toml:"decision"`
	Priority      float64 `toml:"priority"`

	Modes           any `toml:"modes"`
	Subagent        any `toml:"subagent"`
	ToolAnnotations any `toml:"toolAnnotations"`
	Interactive     any `toml:"interactive"`

	DenyMessage      any `toml:"denyMessage"`
	DenyMessageSnake any `toml:"deny_message"`
	AllowRedirection any `toml:"allowRedirection"`
	Description      any `toml:"description"`
}

func (r *reader) geminiPolicy(text []byte, tier int) error {
	var policy struct {
		Rules         []geminiRule `toml:"rule"`
		SafetyChecker any          `toml:"safety_checker"`
	}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(&policy); err != nil {
		return r.tomlError(err)
	}
	lines := tableLines(text, "[[rule]]")
	for i := range policy.Rules {
		line := 1
		if len(lines) == len(policy.Rules) {
			line = lines[i]
		}
		if message := r.geminiPolicyRule(&policy.Rules[i], line, tier); message != "" {
			return &FileError{File: r.file, Line: line, Message: message}
		}
	}
	return nil
}

// tomlError names the line of an error in TOML.
func (r *reader) tomlError(err error) error {
	line := 1
	var wrong *toml.DecodeError
	var unknown *toml.StrictMissingError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		line, _ = unknown.Errors[0].Position()
		return &FileError{File: r.file, Line: line, Message: fmt.Sprintf("the key %s is not known", strings.Join(unknown.Errors[0].Key(), "."))}
	case errors.As(err, &wrong):
		line, _ = wrong.Position()
	}
	return &FileError{File: r.file, Line: line, Message: strings.TrimPrefix(err.Error(), "toml: ")}
}

// tableLines are the lines that begin a table.
func tableLines(text []byte, header string) []int {
	var lines []int
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if strings.HasPrefix(strings.TrimSpace(string(line)), header) {
			lines = append(lines, number)
		}
	}
	return lines
}

// geminiPolicyRule reads one rule into one for each tool and prefix. It returns what is
// wrong with it.
func (r *reader) geminiPolicyRule(from *geminiRule, line, tier int) string {
	effect, known := map[string]Effect{"allow": Allow, "ask_user": Ask, "deny": Deny}[from.Decision]
	if !known {
		return fmt.Sprintf("decision %q is none of allow, ask_user and deny", from.Decision)
	}
	tools, ok := oneOrMore(from.ToolName)
	prefixes, okay := oneOrMore(from.CommandPrefix)
	if !ok || !okay {
		return "toolName and commandPrefix are strings or lists of strings"
	}
	if len(tools) == 0 {
		switch {
		case len(prefixes) > 0 || from.CommandRegex != "":
			tools = []string{"run_shell_command"}
		default:
			tools = []string{"*"}
		}
	}
	if len(prefixes) == 0 {
		prefixes = []string{""}
	}
	for _, tool := range tools {
		for _, prefix := range prefixes {
			rule := r.add(Rule{Text: geminiText(from, tool, prefix), Line: line, Effect: effect, rank: tier + int(from.Priority)})
			if from.MCPName != "" {
				rule.asMCP(from.MCPName, tool, tool != "*")
			} else {
				geminiTool(rule, tool, prefix)
			}
			if from.narrows() {
				rule.unfit = "its patterns, modes or agents narrow it to some calls, and an approval can't say which"
			}
		}
	}
	return ""
}

// narrows reports whether a rule holds for some of the calls that its tool and prefix represent.
func (g *geminiRule) narrows() bool {
	return g.CommandRegex != "" || g.ArgsPattern != "" || g.Modes != nil || g.Subagent != nil || g.ToolAnnotations != nil || g.Interactive != nil
}

func geminiText(from *geminiRule, tool, prefix string) string {
	switch {
	case from.MCPName != "":
		return from.MCPName + " " + tool
	case prefix != "":
		return tool + "(" + prefix + ")"
	case from.CommandRegex != "":
		return tool + "(/" + from.CommandRegex + "/)"
	}
	return tool
}

// oneOrMore reads a string or a list of strings.
func oneOrMore(value any) (texts []string, ok bool) {
	switch value := value.(type) {
	case nil:
		return nil, true
	case string:
		return []string{value}, true
	case []any:
		for _, one := range value {
			text, isText := one.(string)
			if !isText {
				return nil, false
			}
			texts = append(texts, text)
		}
		return texts, true
	}
	return nil, false
}
