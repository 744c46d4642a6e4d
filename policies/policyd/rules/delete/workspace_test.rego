package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_delete_workspace_path := {
	"op": "delete",
	"real": "/srv/proj/.dogent/memory.md",
	"class": {"delete_allow": ".dogent/memory.md"},
}

_delete_workspace_tool_cases := {
	"on the list": {"path": {}, "tool": "delete", "covered": true},
	"in the session directory": {"path": {"space": "session"}, "tool": "delete", "covered": true},
	"moved away": {"path": {}, "tool": "move", "covered": true},
	"by a patch": {"path": {}, "tool": "edit", "covered": true},
	"not on the list": {"path": {"class": {"sensitive": "a"}}, "tool": "delete", "covered": false},
	"under a grant to write": {"path": {"space": "grant_read_write"}, "tool": "delete", "covered": false},
	"outside": {"path": {"space": "outside"}, "tool": "delete", "covered": false},
	"hard link": {"path": {"caveats": {"hard_link": true}}, "tool": "delete", "covered": false},
	"by an MCP tool": {"path": {}, "tool": "mcp", "covered": false},
}

test_delete_workspace_has_cases if {
	count(_delete_workspace_tool_cases) > 0
	count(_delete_workspace_command_cases) > 0
}

# P12
test_delete_workspace_by_tool[name] if {
	some name, case in _delete_workspace_tool_cases
	path := {key: object.get(case.path, key, object.get(_delete_workspace_path, key, value)) |
		some key, value in testing.path({})
	}
	_delete_workspace_covers(testing.file(case.tool, path)) == case.covered
}

_delete_workspace_command_cases := {
	"everything is on the list": {"command": {}, "others": [], "covered": true},
	"something else too": {"command": {}, "others": [{"op": "delete"}], "covered": false},
	"a hard link too": {
		"command": {},
		"others": [{"op": "delete", "class": {"delete_allow": "a"}, "caveats": {"hard_link": true}}],
		"covered": false,
	},
	"the deletion of another item": {"command": {}, "others": [{"op": "delete", "item": 1}], "covered": true},
	"another verb": {"command": {"verb": "git clean"}, "others": [], "covered": false},
	"an option it can't explain": {"command": {"caveats": {"unknown_option": true}}, "others": [], "covered": false},
	"writes too": {
		"command": {"touches": {"delete.project": true, "write.project": true}},
		"others": [],
		"covered": false,
	},
}

# P12
test_delete_workspace_by_command[name] if {
	some name, case in _delete_workspace_command_cases
	command := object.union({"verb": "rm", "touches": {"delete.project": true, "list.project": true}}, case.command)
	paths := array.concat([testing.path(_delete_workspace_path)], [testing.path(other) | some other in case.others])
	_delete_workspace_covers(testing.shell_paths(command, paths)) == case.covered
	not _delete_workspace_covers(object.union(testing.shell_paths(command, paths), {"messy": true}))
}

test_delete_workspace_needs_a_deletion if {
	not _delete_workspace_covers(testing.call({
		"about": ["delete"],
		"items": [testing.command({"verb": "rm", "touches": {"delete.project": true}})],
	}))
}

test_delete_workspace_leaves_public_projects if {
	facts := object.union(
		testing.file("delete", _delete_workspace_path),
		{"session": testing.session({"audience": "public"})},
	)
	not _delete_workspace_covers(facts)
}

default _delete_workspace_covers(_) := false

_delete_workspace_covers(facts) if [0, "delete/workspace"] in rules.cover with input as facts
