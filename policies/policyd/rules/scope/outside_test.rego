package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_scope_outside_hint := "use request_read_access(path, reason) to ask for permission"

_scope_outside_cases := {
	"read, request, tool listed": {
		"outside": "request",
		"path": {"space": "outside"},
		"tools": {"request_read_access": true},
		"hints": {_scope_outside_hint},
	},
	"listed, request, tool listed": {
		"outside": "request",
		"path": {"space": "outside", "op": "list"},
		"tools": {"request_read_access": true},
		"hints": {_scope_outside_hint},
	},
	"read, request, no tool": {"outside": "request", "path": {"space": "outside"}, "tools": {}, "hints": {""}},
	"written, request": {
		"outside": "request",
		"path": {"space": "outside", "op": "write"},
		"tools": {"request_read_access": true},
		"hints": {""},
	},
	"read, prompt": {
		"outside": "prompt",
		"path": {"space": "outside"},
		"tools": {"request_read_access": true},
		"hints": set(),
	},
	"in the project, request": {"outside": "request", "path": {}, "tools": {}, "hints": set()},
}

test_scope_outside_has_cases if count(_scope_outside_cases) > 0

# P3, D5
test_scope_outside[name] if {
	some name, case in _scope_outside_cases
	facts := object.union(testing.file("read", case.path), {"session": testing.session({"tools": case.tools})})
	hints := {finding.hint |
		some finding in rules.deny
		finding.code == "outside_scope"
		finding.item == 0
	} with input as facts with data.policyd.settings.scope.outside as case.outside
	hints == case.hints
}

test_scope_outside_denies_a_path_of_a_command if {
	path := testing.path({"real": "/etc/passwd", "space": "outside"})
	facts := testing.call({"items": [testing.command({"verb": "cat"}), testing.path_item(path, 0)], "paths": [path]})
	found := {[finding.item, finding.message] | some finding in rules.deny} with input as facts
		with data.policyd.settings.scope.outside as "request"
	found == {[1, "read of /etc/passwd is outside this session's directories"]}
}
