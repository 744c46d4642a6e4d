package policyd.rules

# METADATA
# title: Tools that an agent may not use
# description: >-
#   The settings list them for each agent: a tool by its own name, a kind of tools (write, edit, shell, …), or an MCP
#   tool as mcp:<server>/<tool>.
# custom:
#   id: agents/deny_tools
#   codes: [tool_denied]
#   remedy: take the tool off agents.<agent>.deny_tools in the settings
deny contains {
	"rule": "agents/deny_tools",
	"code": "tool_denied",
	"message": sprintf("%s may not use %s", [input.session.agent, input.tool.name]),
	"item": -1,
} if {
	"ruled" in input.about
	some entry in data.policyd.settings.agents[input.session.agent].deny_tools
	_agents_deny_tools_names(entry)
}

_agents_deny_tools_names(entry) if entry == input.tool.name

_agents_deny_tools_names(entry) if entry == input.tool.kind

_agents_deny_tools_names(entry) if entry == input.tool.act

_agents_deny_tools_names(entry) if {
	input.tool.kind == "mcp"
	some item in input.items
	entry == item.verb
}
