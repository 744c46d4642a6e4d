package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_agents_peers_cases := {
	"a peer": {"item": {"form": {"callee": "ada"}}, "covered": {0}, "denied": set()},
	"nobody's peer": {"item": {"form": {"callee": "eve"}}, "covered": set(), "denied": {"peer_denied"}},
	"another tool": {"item": {}, "covered": set(), "denied": set()},
	"with a caveat": {
		"item": {"form": {"callee": "ada"}, "caveats": {"unknown_argument": true}},
		"covered": set(),
		"denied": set(),
	},
	"a command": {"item": {"kind": "command", "form": {"callee": "ada"}}, "covered": set(), "denied": set()},
}

test_agents_peers_has_cases if count(_agents_peers_cases) > 0

# C2
test_agents_peers[name] if {
	settings := {"claude-code": {"peers": ["ada"]}}
	some name, case in _agents_peers_cases
	made := testing.call({
		"tool": testing.tool({"name": "ask_agent", "kind": "other"}),
		"items": [testing.other(object.union({"kind": "tool", "verb": "ask_agent"}, case.item))],
	})
	facts := object.union(made, {"about": array.concat(made.about, ["ruled"])})
	covered := {i | some [i, "agents/peers"] in rules.cover} with input as facts
		with data.policyd.settings.agents as settings
	covered == case.covered
	denied := {finding.code | some finding in rules.deny; finding.rule == "agents/peers"} with input as facts
		with data.policyd.settings.agents as settings
	denied == case.denied
}

test_agents_peers_needs_settings if {
	made := testing.call({"items": [testing.other({"kind": "tool", "verb": "ask_agent ada", "form": {"callee": "ada"}})]})
	facts := object.union(made, {"about": array.concat(made.about, ["ruled"])})
	{i | some [i, "agents/peers"] in rules.cover} == set() with input as facts
	{finding | some finding in rules.deny; finding.rule == "agents/peers"} == set() with input as facts
}
