package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_shell_granted_writes_target := {
	"op": "write",
	"space": "grant_read_write",
	"caveats": {"apart": true, "missing": true},
}

_shell_granted_writes_near := {"op": "write", "space": "grant_read_write", "caveats": {"missing": true}}

_shell_granted_writes_cases := {
	"a redirected reader": {"command": {"verb": "git diff"}, "covered": true},
	"a listed verb": {"command": {"verb": "tee", "form": {"<file>": "write"}}, "covered": true},
	"a verb that is on no list": {"command": {"verb": "ln"}, "covered": false},
	"an option that no form holds": {"command": {"verb": "tee", "form": {"-l": "none"}}, "covered": false},
	"into the project": {
		"command": {"verb": "cat", "touches": {"write.project": true}},
		"paths": [{"op": "write"}],
		"covered": false,
	},
	"also into the project": {
		"command": {"verb": "cat", "touches": {"write.project": true, "write.grant_read_write": true}},
		"paths": [_shell_granted_writes_target, {"op": "write"}],
		"covered": false,
	},
	"out of the project": {
		"command": {
			"verb": "mv",
			"form": {"<source>": "delete", "<target>": "write"},
			"touches": {"delete.project": true, "write.grant_read_write": true},
		},
		"paths": [{"op": "delete"}, _shell_granted_writes_target],
		"covered": false,
	},
	"protected": {
		"command": {"verb": "cat"},
		"paths": [object.union(_shell_granted_writes_target, {"class": {"protected": "AGENTS.md"}})],
		"covered": false,
	},
	"over a link": {
		"command": {"verb": "cat"},
		"paths": [object.union(_shell_granted_writes_target, {"links": ["/srv/other/l"]})],
		"covered": false,
	},
	"near the session's directories": {
		"command": {"verb": "cat"},
		"paths": [_shell_granted_writes_near],
		"covered": true,
	},
	"near the session's directories, by what reads settings": {
		"command": {"verb": "git diff"},
		"paths": [_shell_granted_writes_near],
		"covered": false,
	},
	"near the session's directories, beside what reads settings": {
		"command": {"verb": "cat"},
		"paths": [_shell_granted_writes_near],
		"beside": {"verb": "git status"},
		"covered": false,
	},
	"near and apart, beside what reads settings": {
		"command": {"verb": "cat"},
		"paths": [_shell_granted_writes_target, _shell_granted_writes_near],
		"beside": {"verb": "git status"},
		"covered": false,
	},
	"beside what reads there": {
		"command": {"verb": "cat"},
		"beside": {"verb": "git status", "touches": {"read.grant_read_write": true}},
		"covered": false,
	},
	"beside what reads elsewhere": {"command": {"verb": "cat"}, "beside": {"verb": "git status"}, "covered": true},
	"beside what reads there and no settings": {
		"command": {"verb": "cat"},
		"beside": {"verb": "wc", "touches": {"read.grant_read_write": true}},
		"covered": true,
	},
}

test_shell_granted_writes_has_cases if count(_shell_granted_writes_cases) > 0

# P2
test_shell_granted_writes[name] if {
	some name, case in _shell_granted_writes_cases
	command := object.union({"touches": {"write.grant_read_write": true}}, case.command)
	_shell_granted_writes_covers(testing.call({
		"items": [testing.command(item) | some item in array.concat([command], [beside | beside := case.beside])],
		"paths": [testing.path(path) | some path in object.get(case, "paths", [_shell_granted_writes_target])],
	})) == case.covered
}

default _shell_granted_writes_covers(_) := false

_shell_granted_writes_covers(facts) if [0, "shell/granted_writes"] in rules.cover with input as facts
