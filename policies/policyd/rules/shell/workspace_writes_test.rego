package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_shell_workspace_writes_copy := {
	"verb": "cp",
	"form": {"<source>": "read", "<target>": "write"},
	"touches": {"read.project": true, "write.project": true},
}

_shell_workspace_writes_move := {
	"verb": "mv",
	"form": {"<source>": "delete", "<target>": "write"},
	"touches": {"delete.project": true, "write.project": true},
}

_shell_workspace_writes_target := {"op": "write", "caveats": {"missing": true}}

_shell_workspace_writes_source := {"op": "delete"}

_shell_workspace_writes_cases := {
	"a copy": {"command": {}, "paths": [_shell_workspace_writes_target], "covered": true},
	"over a file": {"command": {}, "paths": [{"op": "write"}], "covered": true},
	"into the session directory": {
		"command": {"touches": {"write.session": true}},
		"paths": [{"op": "write", "space": "session"}],
		"covered": true,
	},
	"on the list of what may be deleted": {
		"command": {},
		"paths": [{"op": "write", "class": {"delete_allow": "a"}}],
		"covered": true,
	},
	"named by a system path": {
		"command": {"caveats": {"named_by_system_path": true}},
		"paths": [_shell_workspace_writes_target],
		"covered": true,
	},
	"a reader with redirected output": {
		"command": {"verb": "cat", "form": {"<file>": "read"}},
		"paths": [_shell_workspace_writes_target],
		"covered": true,
	},
	"a verb without a side effect, redirected": {
		"command": {"verb": "echo", "form": {"<text>": "value"}},
		"paths": [_shell_workspace_writes_target],
		"covered": true,
	},
	"writes no file": {"command": {"touches": {"write.none": true}}, "paths": [], "covered": false},
	"a verb that is on no list": {
		"command": {"verb": "ln"},
		"paths": [_shell_workspace_writes_target],
		"covered": false,
	},
	"an option that no form holds": {
		"command": {"form": {"-l": "none"}},
		"paths": [_shell_workspace_writes_target],
		"covered": false,
	},
	"outside": {
		"command": {"touches": {"write.outside": true}},
		"paths": [{"op": "write", "space": "outside"}],
		"covered": false,
	},
	"deletes": {
		"command": {"touches": {"delete.project": true}},
		"paths": [_shell_workspace_writes_target],
		"covered": false,
	},
	"runs": {"command": {"touches": {"execute.project": true}}, "paths": [{"op": "write"}], "covered": false},
	"a secret": {"command": {}, "paths": [{"op": "write", "class": {"secret": ".env"}}], "covered": false},
	"instructions": {"command": {}, "paths": [{"op": "write", "class": {"protected": "AGENTS.md"}}], "covered": false},
	"protected": {"command": {}, "paths": [{"op": "write", "class": {"protected_always": ".git"}}], "covered": false},
	"one of two is protected": {
		"command": {},
		"paths": [{"op": "write"}, {"op": "write", "class": {"protected_always": ".git"}}],
		"covered": false,
	},
	"another item's file": {"command": {}, "paths": [{"op": "write", "item": 1}], "covered": false},
	"over a link": {"command": {}, "paths": [{"op": "write", "links": ["/srv/proj/l"]}], "covered": false},
	"a hard link": {"command": {}, "paths": [{"op": "write", "caveats": {"hard_link": true}}], "covered": false},
	"what can't be seen": {"command": {}, "paths": [{"op": "write", "caveats": {"invisible": true}}], "covered": false},
	"over the network": {"command": {"caveats": {"network": true}}, "paths": [{"op": "write"}], "covered": false},
	"names that can't be told": {
		"command": {"caveats": {"lands_unknown": true}},
		"paths": [{"op": "write"}],
		"covered": false,
	},
	"a word that only the run knows": {
		"command": {"caveats": {"dynamic_word": true}},
		"paths": [{"op": "write"}],
		"covered": false,
	},
	"a disk that can't be seen": {"command": {"caveats": {"unseen": true}}, "paths": [{"op": "write"}], "covered": false},
	"no command": {"command": {"kind": "tool"}, "paths": [{"op": "write"}], "covered": false},
	"a move": {
		"command": _shell_workspace_writes_move,
		"paths": [_shell_workspace_writes_source, _shell_workspace_writes_target],
		"covered": true,
	},
	"a move of a directory": {
		"command": _shell_workspace_writes_move,
		"paths": [{"op": "delete", "caveats": {"directory": true}}, _shell_workspace_writes_target],
		"covered": false,
	},
	"a move of a link": {
		"command": _shell_workspace_writes_move,
		"paths": [{"op": "delete", "links": ["/srv/proj/l"]}, _shell_workspace_writes_target],
		"covered": false,
	},
	"a move of what is protected": {
		"command": _shell_workspace_writes_move,
		"paths": [{"op": "delete", "class": {"protected": "AGENTS.md"}}, _shell_workspace_writes_target],
		"covered": false,
	},
}

test_shell_workspace_writes_has_cases if count(_shell_workspace_writes_cases) > 0

# P2
test_shell_workspace_writes[name] if {
	some name, case in _shell_workspace_writes_cases
	kept := object.remove(_shell_workspace_writes_copy, object.keys(case.command))
	item := testing.command(object.union(kept, case.command))
	paths := [testing.path(path) | some path in case.paths]
	_shell_workspace_writes_covers(testing.call({"items": [item], "paths": paths})) == case.covered
}

# P2
test_shell_workspace_writes_beside_others if {
	copy := testing.command(_shell_workspace_writes_copy)
	paths := [testing.path(_shell_workspace_writes_target)]
	_shell_workspace_writes_covers(testing.call({"items": [copy, testing.command({"verb": "ls"})], "paths": paths}))
	not _shell_workspace_writes_covers(testing.call({"items": [copy, testing.command({})], "paths": paths}))
}

# P2
_shell_workspace_writes_audiences := {"personal": true, "team": true, "public": false}

test_shell_workspace_writes_by_audience[audience] if {
	some audience, covered in _shell_workspace_writes_audiences
	facts := testing.call({
		"items": [testing.command({"verb": "touch", "touches": {"write.session": true}})],
		"paths": [testing.path({"op": "write", "space": "session"})],
		"session": testing.session({"audience": audience}),
	})
	_shell_workspace_writes_covers(facts) == covered
}

test_shell_workspace_writes_leaves_messy_lines if {
	facts := testing.shell_paths(_shell_workspace_writes_copy, [testing.path({"op": "write"})])
	_shell_workspace_writes_covers(facts)
	not _shell_workspace_writes_covers(object.union(facts, {"messy": true}))
}

test_shell_workspace_writes_is_off_by_default if {
	facts := testing.shell_paths(_shell_workspace_writes_copy, [testing.path({"op": "write"})])
	not [0, "shell/workspace_writes"] in rules.cover with input as facts
}

default _shell_workspace_writes_covers(_) := false

_shell_workspace_writes_covers(facts) if {
	[0, "shell/workspace_writes"] in rules.cover with input as facts
		with data.policyd.settings.shell.workspace_writes as true
}
