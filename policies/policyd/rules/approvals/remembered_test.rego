package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_approvals_remembered_cases := {
	"here": {"approval": {}, "item": {}, "covered": true},
	"above": {"approval": {"directory": "/srv"}, "item": {}, "covered": true},
	"beside": {"approval": {"directory": "/srv/other"}, "item": {}, "covered": false},
	"without a directory": {"approval": {"directory": ""}, "item": {}, "covered": false},
	"anywhere": {"approval": {"directory": "", "anywhere": true}, "item": {"within": {}}, "covered": true},
	"another verb": {"approval": {"verb": "git stash"}, "item": {}, "covered": false},
	"no verb": {"approval": {"verb": ""}, "item": {"verb": ""}, "covered": false},
	"no verb, anywhere": {"approval": {"verb": "", "anywhere": true}, "item": {"verb": ""}, "covered": false},
	"another tool": {"approval": {"tool": "fetch"}, "item": {}, "covered": false},
	"another tool, anywhere": {"approval": {"tool": "fetch", "anywhere": true}, "item": {}, "covered": false},
	"of one call": {"approval": {"once": true}, "item": {}, "covered": false},
	"of one call, anywhere": {"approval": {"once": true, "anywhere": true}, "item": {}, "covered": false},
	"runs anything": {"approval": {}, "item": {"caveats": {"runs_anything": true}}, "covered": true},
	"over the network": {"approval": {}, "item": {"caveats": {"network": true}}, "covered": true},
	"unknown program": {
		"approval": {},
		"item": {"caveats": {"unknown_program": true, "unknown_option": true}},
		"covered": true,
	},
	"privileged": {"approval": {}, "item": {"caveats": {"privileged": true}}, "covered": false},
	"privileged, anywhere": {"approval": {"anywhere": true}, "item": {"caveats": {"privileged": true}}, "covered": false},
	"named by a path": {"approval": {}, "item": {"caveats": {"named_by_path": true}}, "covered": false},
	"assigns": {"approval": {}, "item": {"caveats": {"assigns": true}}, "covered": false},
	"executes": {"approval": {}, "item": {"caveats": {"executes": true}}, "covered": false},
	"inner": {"approval": {}, "item": {"caveats": {"inner": true}}, "covered": false},
	"inline code": {"approval": {}, "item": {"caveats": {"inline_code": true}}, "covered": false},
	"a dynamic option": {"approval": {}, "item": {"caveats": {"dynamic_option": true}}, "covered": false},
	"a dynamic word": {"approval": {}, "item": {"caveats": {"dynamic_word": true}}, "covered": false},
	"control flow": {"approval": {}, "item": {"caveats": {"control_flow": true}}, "covered": false},
	"unknown directory, here": {"approval": {}, "item": {"caveats": {"cwd_unknown": true}}, "covered": false},
	"unknown directory, anywhere": {
		"approval": {"anywhere": true},
		"item": {"caveats": {"cwd_unknown": true}, "touches": {"list.unknown": true}},
		"covered": true,
	},
	"writes to an unknown place, here": {"approval": {}, "item": {"touches": {"write.unknown": true}}, "covered": false},
	"writes to an unknown place, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"write.unknown": true}},
		"covered": false,
	},
	"works outside, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"list.outside": true}},
		"covered": false,
	},
	"works in a grant, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"list.grant_read_write": true}},
		"covered": true,
	},
	"works under a grant to read, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"list.grant_read": true}},
		"covered": false,
	},
	"works under a grant to read, here": {
		"approval": {"directory": "/lib"},
		"item": {"touches": {"list.grant_read": true}, "within": {"/lib": true}},
		"covered": true,
	},
	"reads under a grant to read, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"list.project": true, "read.grant_read": true}},
		"covered": true,
	},
	"works in the repository around, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"list.repository": true}},
		"covered": false,
	},
	"deletes what is read without a question, anywhere": {
		"approval": {"anywhere": true},
		"item": {"touches": {"delete.read_also": true}},
		"covered": false,
	},
	"works outside, here": {
		"approval": {"directory": "/victim"},
		"item": {"touches": {"list.outside": true}, "within": {"/victim": true}},
		"covered": true,
	},
	"writes in the project": {"approval": {}, "item": {"touches": {"write.project": true}}, "covered": true},
	"a risk": {"approval": {}, "item": {"risks": {"force": true}}, "covered": false},
	"a risk, anywhere": {"approval": {"anywhere": true}, "item": {"risks": {"force": true}}, "covered": false},
	"its risk": {"approval": {"risks": {"force": true}}, "item": {"risks": {"force": true}}, "covered": true},
	"another risk": {"approval": {"risks": {"force": true}}, "item": {"risks": {"delete": true}}, "covered": false},
	"one risk more": {
		"approval": {"risks": {"force": true}},
		"item": {"risks": {"delete": true, "force": true}},
		"covered": false,
	},
	"one risk less": {"approval": {"risks": {"force": true}}, "item": {}, "covered": true},
	"a risk of two words less": {"approval": {"risks": {"no checks": true}}, "item": {}, "covered": true},
	"a method less": {"approval": {"risks": {"method POST": true}}, "item": {}, "covered": true},
	"a class less": {"approval": {"risks": {"production below": true}}, "item": {}, "covered": true},
	"a value less": {"approval": {"risks": {"context dev": true}}, "item": {}, "covered": false},
	"a value less, anywhere": {
		"approval": {"anywhere": true, "risks": {"remote backup": true}},
		"item": {},
		"covered": false,
	},
	"its value": {
		"approval": {"risks": {"context dev": true}},
		"item": {"risks": {"context dev": true}},
		"covered": true,
	},
	"a path": {"approval": {}, "item": {"kind": "path", "path": 0}, "covered": false},
	"a path, anywhere": {"approval": {"anywhere": true}, "item": {"kind": "path", "path": 0}, "covered": false},
}

test_approvals_remembered_has_cases if count(_approvals_remembered_cases) > 0

# V5: what a line writes, a reader beside it may take settings from.
test_approvals_remembered_beside_readers if {
	verbs := {verb | some verb in ["git status", "rg", "wc", "npm install"]; _approvals_remembered_beside(verb)}
	verbs == {"wc", "npm install"}
}

_approvals_remembered_beside(verb) if {
	command := {"verb": "printf", "touches": {"write.project": true}}
	facts := testing.call({
		"items": [testing.command(command), testing.command({"verb": verb})],
		"approvals": [testing.approval({"verb": "printf"})],
	})
	[0, "approvals/remembered"] in rules.cover with input as facts
}

# V6
test_approvals_remembered[name] if {
	some name, case in _approvals_remembered_cases
	facts := testing.call({
		"items": [testing.command(case.item)],
		"paths": [testing.path({})],
		"approvals": [testing.approval(case.approval)],
	})
	_approvals_remembered_covers(facts) == case.covered
	not _approvals_remembered_covers(object.union(facts, {"messy": true}))
}

_approvals_remembered_deletion_cases := {
	"below": {"approval": {}, "real": "/srv/proj/tmp", "op": "delete", "covered": true},
	"the project root": {"approval": {"directory": "/srv"}, "real": "/srv/proj", "op": "delete", "covered": false},
	"the project root, anywhere": {"approval": {"anywhere": true}, "real": "/srv/proj", "op": "delete", "covered": false},
	"the approval's directory": {
		"approval": {"directory": "/srv/proj"},
		"real": "/srv/proj/tmp",
		"op": "delete",
		"covered": true,
	},
	"what holds the project": {
		"approval": {"directory": "/srv"},
		"real": "/srv",
		"op": "delete",
		"caveats": {"root": true},
		"covered": false,
	},
	"another root": {"approval": {}, "real": "/srv/proj/x", "op": "delete", "caveats": {"root": true}, "covered": false},
	"another root, anywhere": {
		"approval": {"anywhere": true},
		"real": "/srv/extra",
		"op": "delete",
		"caveats": {"root": true},
		"covered": false,
	},
	"listing the project root": {"approval": {}, "real": "/srv/proj", "op": "list", "covered": true},
}

test_approvals_remembered_has_deletion_cases if count(_approvals_remembered_deletion_cases) > 0

# P12
test_approvals_remembered_deletions[name] if {
	some name, case in _approvals_remembered_deletion_cases
	facts := testing.call({
		"items": [testing.command({"verb": "rm", "touches": {"delete.project": true}})],
		"paths": [testing.path({"real": case.real, "op": case.op, "caveats": object.get(case, "caveats", {})})],
		"approvals": [testing.approval(object.union({"verb": "rm"}, case.approval))],
	})
	_approvals_remembered_covers(facts) == case.covered
}

_approvals_remembered_kind_cases := {
	"an MCP tool": {"kind": "tool", "tool": "mcp", "verb": "mcp:docs/search"},
	"a host": {"kind": "fetch", "tool": "fetch", "verb": "fetch example.org"},
	"a method": {"kind": "method", "tool": "acp", "verb": "session/new"},
}

test_approvals_remembered_has_kind_cases if count(_approvals_remembered_kind_cases) > 0

# V12
test_approvals_remembered_kinds[name] if {
	some name, case in _approvals_remembered_kind_cases
	facts := testing.call({
		"tool": testing.tool({"kind": case.tool, "name": "T"}),
		"items": [testing.other({"kind": case.kind, "verb": case.verb, "within": {"/srv/proj": true}})],
	})
	anywhere := testing.approval({"tool": case.tool, "verb": case.verb, "directory": "", "anywhere": true})
	_approvals_remembered_covers(object.union(facts, {"approvals": [anywhere]}))
	here := testing.approval({"tool": case.tool, "verb": case.verb})
	not _approvals_remembered_covers(object.union(facts, {"approvals": [here]}))
}

_approvals_remembered_argument_cases := {
	"in the project": {"path": {"op": "write"}, "covered": true},
	"outside": {"path": {"space": "outside"}, "covered": false},
	"unknown": {"path": {"space": "unknown"}, "covered": false},
	"listed under a grant to read": {"path": {"space": "grant_read", "op": "list"}, "covered": true},
	"another name": {"path": {"caveats": {"hard_link": true}}, "covered": false},
	"the project itself, deleted": {"path": {"op": "delete", "real": "/srv/proj", "item": 1}, "covered": false},
	"of another tool": {"path": {}, "verb": "mcp:fs/list", "covered": false},
	"of a file tool": {"path": {}, "kind": "read", "covered": false},
}

test_approvals_remembered_has_argument_cases if count(_approvals_remembered_argument_cases) > 0

# V12
test_approvals_remembered_arguments[name] if {
	some name, case in _approvals_remembered_argument_cases
	path := testing.path(case.path)
	kind := object.get(case, "kind", "mcp")
	facts := testing.call({
		"tool": testing.tool({"kind": kind, "name": "T"}),
		"items": [testing.other({"verb": "mcp:fs/read"}), testing.path_item(path, 0)],
		"paths": [path],
		"approvals": [testing.approval({
			"tool": kind,
			"verb": object.get(case, "verb", "mcp:fs/read"),
			"directory": "",
			"anywhere": true,
		})],
	})
	_approvals_remembered_covers_argument(facts) == case.covered
}

default _approvals_remembered_covers_argument(_) := false

_approvals_remembered_covers_argument(facts) if [1, "approvals/remembered"] in rules.cover with input as facts

default _approvals_remembered_covers(_) := false

_approvals_remembered_covers(facts) if [0, "approvals/remembered"] in rules.cover with input as facts
