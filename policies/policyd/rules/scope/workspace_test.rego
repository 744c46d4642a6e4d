package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_scope_workspace_cases := {
	"project": {"tool": "write", "path": {}, "audience": "personal", "covered": true},
	"project, edited, team": {"tool": "edit", "path": {}, "audience": "team", "covered": true},
	"new file": {"tool": "write", "path": {"caveats": {"missing": true}}, "audience": "personal", "covered": true},
	"session, public": {"tool": "write", "path": {"space": "session"}, "audience": "public", "covered": true},
	"project, public": {"tool": "write", "path": {}, "audience": "public", "covered": false},
	"grant to write": {"tool": "edit", "path": {"space": "grant_read_write"}, "audience": "personal", "covered": true},
	"grant to write, public": {
		"tool": "edit",
		"path": {"space": "grant_read_write"},
		"audience": "public",
		"covered": false,
	},
	"grant to read": {"tool": "edit", "path": {"space": "grant_read"}, "audience": "personal", "covered": false},
	"read also": {"tool": "edit", "path": {"space": "read_also"}, "audience": "personal", "covered": false},
	"outside": {"tool": "write", "path": {"space": "outside"}, "audience": "personal", "covered": false},
	"hard link": {"tool": "write", "path": {"caveats": {"hard_link": true}}, "audience": "personal", "covered": false},
	"not visible": {"tool": "write", "path": {"caveats": {"invisible": true}}, "audience": "personal", "covered": false},
	"deleted": {"tool": "write", "path": {"op": "delete"}, "audience": "personal", "covered": false},
	"of a command": {"tool": "shell", "path": {}, "audience": "personal", "covered": false},
	"of another tool": {"tool": "mcp", "path": {}, "audience": "personal", "covered": false},
}

test_scope_workspace_has_cases if count(_scope_workspace_cases) > 0

# P2
test_scope_workspace[name] if {
	some name, case in _scope_workspace_cases
	facts := object.union(
		testing.file(case.tool, object.union({"op": "write"}, case.path)),
		{"session": testing.session({"audience": case.audience})},
	)
	_scope_workspace_covers(facts) == case.covered
}

test_scope_workspace_leaves_items_with_caveats_or_without_touches if {
	path := testing.path({"op": "write"})
	plain := testing.path_item(path, 0)
	facts := testing.file("write", {"op": "write"})
	_scope_workspace_covers(facts)
	not _scope_workspace_covers(json.patch(facts, [{"op": "add", "path": "/items/0/caveats/new", "value": true}]))
	not _scope_workspace_covers(json.patch(facts, [{"op": "replace", "path": "/items/0/touches", "value": {}}]))
	not _scope_workspace_covers(json.patch(facts, [{"op": "replace", "path": "/items/0/kind", "value": "command"}]))
	plain == facts.items[0]
}

default _scope_workspace_covers(_) := false

_scope_workspace_covers(facts) if [0, "scope/workspace"] in rules.cover with input as facts
