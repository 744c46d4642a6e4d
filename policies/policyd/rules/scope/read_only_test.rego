package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_scope_read_only_cases := {
	"written": {"path": {"op": "write", "space": "grant_read"}, "denied": true},
	"deleted": {"path": {"op": "delete", "space": "grant_read"}, "denied": true},
	"read": {"path": {"op": "read", "space": "grant_read"}, "denied": false},
	"listed": {"path": {"op": "list", "space": "grant_read"}, "denied": false},
	"written under a grant to write": {"path": {"op": "write", "space": "grant_read_write"}, "denied": false},
	"written in the project": {"path": {"op": "write"}, "denied": false},
}

test_scope_read_only_has_cases if count(_scope_read_only_cases) > 0

# P4
test_scope_read_only[name] if {
	finding := {
		"rule": "scope/read_only",
		"code": "path_read_only",
		"message": "/srv/lib/a.go is read-only for this agent",
		"item": 0,
	}
	some name, case in _scope_read_only_cases
	path := object.union({"real": "/srv/lib/a.go"}, case.path)
	by_tool := {0 | finding in rules.deny} with input as testing.file("write", path)
	by_command := {0 | finding in rules.deny} with input as testing.shell_paths({"verb": "cp"}, [testing.path(path)])
	by_tool == by_command
	by_tool == {0} == case.denied
}
