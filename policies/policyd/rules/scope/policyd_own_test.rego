package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_scope_policyd_own_cases := {
	"a program": {
		"input": testing.shell([testing.command({"verb": "policyd approvals", "caveats": {"own_program": true}})]),
		"denied": {[0, "policyd's commands are the operator's"]},
	},
	"the address": {
		"input": testing.shell([
			testing.command({}),
			testing.command({"verb": "curl", "caveats": {"own_address": true, "network": true}}),
		]),
		"denied": {[1, "policyd's own address is not for agents"]},
	},
	"the state": {
		"input": testing.file("read", {"real": "/home/dev/.local/state/policyd/agent.token", "class": {"own": "state"}}),
		"denied": {[0, "/home/dev/.local/state/policyd/agent.token belongs to policyd"]},
	},
	"anything else": {
		"input": testing.shell_paths({"verb": "curl", "caveats": {"network": true}}, [testing.path({})]),
		"denied": set(),
	},
}

test_scope_policyd_own_has_cases if count(_scope_policyd_own_cases) > 0

# P6
test_scope_policyd_own[name] if {
	some name, case in _scope_policyd_own_cases
	denied := {[finding.item, finding.message] |
		some finding in rules.deny
		finding.rule == "scope/policyd_own"
		finding.code == "own_state"
	} with input as case.input
	denied == case.denied
}
