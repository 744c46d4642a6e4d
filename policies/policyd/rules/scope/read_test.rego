package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_scope_read_cases := {
	"project": {"path": {}, "audience": "personal", "covered": true},
	"project, listed": {"path": {"op": "list", "caveats": {"directory": true}}, "audience": "team", "covered": true},
	"project, public": {"path": {}, "audience": "public", "covered": false},
	"session, public": {"path": {"space": "session"}, "audience": "public", "covered": true},
	"grant to read": {"path": {"space": "grant_read"}, "audience": "team", "covered": true},
	"grant to write": {"path": {"space": "grant_read_write"}, "audience": "personal", "covered": true},
	"grant, public": {"path": {"space": "grant_read"}, "audience": "public", "covered": false},
	"repository": {"path": {"space": "repository"}, "audience": "personal", "covered": true},
	"repository, listed": {"path": {"op": "list", "space": "repository"}, "audience": "team", "covered": true},
	"repository, public": {"path": {"space": "repository"}, "audience": "public", "covered": false},
	"repository, written": {"path": {"op": "write", "space": "repository"}, "audience": "personal", "covered": false},
	"read also": {"path": {"space": "read_also"}, "audience": "personal", "covered": true},
	"read also, public": {"path": {"space": "read_also"}, "audience": "public", "covered": false},
	"no file": {"path": {"space": "none"}, "audience": "public", "covered": true},
	"outside": {"path": {"space": "outside"}, "audience": "personal", "covered": false},
	"unknown": {"path": {"space": "unknown"}, "audience": "personal", "covered": false},
	"written": {"path": {"op": "write"}, "audience": "personal", "covered": false},
	"deleted": {"path": {"op": "delete"}, "audience": "personal", "covered": false},
	"executed": {"path": {"op": "execute"}, "audience": "personal", "covered": false},
	"not visible": {"path": {"caveats": {"invisible": true}}, "audience": "personal", "covered": false},
	"not resolved": {"path": {"caveats": {"error": true}}, "audience": "personal", "covered": false},
	"a device": {"path": {"caveats": {"device": true}}, "audience": "personal", "covered": false},
	"a caveat of tomorrow": {"path": {"caveats": {"new": true}}, "audience": "personal", "covered": false},
	"an audience of tomorrow": {"path": {}, "audience": "board", "covered": false},
}

test_scope_read_has_cases if count(_scope_read_cases) > 0

# P3
test_scope_read[name] if {
	some name, case in _scope_read_cases
	facts := object.union(
		testing.file("read", case.path),
		{"session": testing.session({"audience": case.audience})},
	)
	_scope_read_covers(facts) == case.covered
}

test_scope_read_leaves_items_with_caveats_or_without_touches if {
	path := testing.path({})
	plain := testing.path_item(path, 0)
	_scope_read_covers(testing.call({"items": [plain], "paths": [path]}))
	not _scope_read_covers(testing.call({"items": [object.union(plain, {"caveats": {"glob": true}})], "paths": [path]}))
	untouched := object.union(object.remove(plain, ["touches"]), {"touches": {}})
	not _scope_read_covers(testing.call({"items": [untouched], "paths": [path]}))
	not _scope_read_covers(testing.call({"items": [testing.path_item(path, -1)], "paths": [path]}))
}

test_scope_read_covers_paths_alone if {
	not _scope_read_covers(testing.call({
		"about": ["path"],
		"items": [testing.command({"path": 0})],
		"paths": [testing.path({})],
	}))
}

default _scope_read_covers(_) := false

_scope_read_covers(facts) if [0, "scope/read"] in rules.cover with input as facts
