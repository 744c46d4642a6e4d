package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_agents_deny_tools_cases := {
	"by name": {"entry": "Bash", "agent": "coordinator", "facts": {}, "denied": true},
	"by kind": {"entry": "shell", "agent": "coordinator", "facts": {}, "denied": true},
	"another tool": {"entry": "Write", "agent": "coordinator", "facts": {}, "denied": false},
	"another agent": {"entry": "Bash", "agent": "claude-code", "facts": {}, "denied": false},
	"an MCP tool": {
		"entry": "mcp:docs/search",
		"agent": "coordinator",
		"facts": {
			"tool": testing.tool({"name": "mcp__docs__search", "kind": "mcp"}),
			"items": [testing.other({"kind": "tool", "verb": "mcp:docs/search"})],
		},
		"denied": true,
	},
	"a command spelled like an MCP tool": {
		"entry": "mcp:docs/search",
		"agent": "coordinator",
		"facts": {"items": [testing.command({"verb": "mcp:docs/search"})]},
		"denied": false,
	},
}

test_agents_deny_tools_has_cases if count(_agents_deny_tools_cases) > 0

# C1
test_agents_deny_tools[name] if {
	some name, case in _agents_deny_tools_cases
	session := testing.session({"agent": case.agent})
	made := testing.call(object.union({"session": session, "items": [testing.command({})]}, case.facts))
	facts := object.union(made, {"about": array.concat(made.about, ["ruled"])})
	found := {finding.code | some finding in rules.deny; finding.rule == "agents/deny_tools"} with input as facts
		with data.policyd.settings.agents as {"coordinator": {"deny_tools": [case.entry]}}
	expected := {"tool_denied" | case.denied}
	found == expected
}
