package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_protected_instructions_cases := {
	"changed": {"path": {"op": "write", "caveats": {"exists": true}}, "asked": true},
	"deleted": {"path": {"op": "delete"}, "asked": true},
	"created": {"path": {"op": "write", "caveats": {"missing": true}}, "asked": false},
	"read": {"path": {"op": "read"}, "asked": false},
	"another file": {"path": {"op": "write", "class": {"delete_allow": "a"}}, "asked": false},
}

test_protected_instructions_has_cases if count(_protected_instructions_cases) > 0

# P11
test_protected_instructions[name] if {
	some name, case in _protected_instructions_cases
	path := testing.path({
		"real": "/srv/proj/AGENTS.md",
		"op": case.path.op,
		"caveats": object.get(case.path, "caveats", {}),
		"class": object.get(case.path, "class", {"protected": "AGENTS.md"}),
	})
	asked := {finding |
		some finding in rules.prompt
		finding.rule == "protected/instructions"
	} with input as testing.shell_paths({"verb": "tee"}, [path])
	expected := {{
		"rule": "protected/instructions",
		"code": "protected_file",
		"message": "/srv/proj/AGENTS.md holds an agent's instructions (AGENTS.md)",
		"item": 0,
	} |
		case.asked
	}
	asked == expected
}
