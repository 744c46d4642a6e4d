package site.approvals

import data.policyd.testing

_cases := {
	"here": {"approval": {}, "item": {}, "covers": {[0, "site/approvals"]}},
	"with a risk that was not approved": {"approval": {}, "item": {"risks": {"force": true}}, "covers": set()},
	"without the value of a risk": {"approval": {"risks": {"context dev": true}}, "item": {}, "covers": set()},
	"with a risk that was": {
		"approval": {"risks": {"force": true}},
		"item": {"risks": {"force": true}},
		"covers": {[0, "site/approvals"]},
	},
	"beside": {"approval": {"directory": "/srv/other"}, "item": {}, "covers": set()},
	"in the project": {
		"approval": {"directory": "", "relative": true},
		"item": {},
		"covers": {[0, "site/approvals"]},
	},
	"below the project": {
		"approval": {"directory": "src", "relative": true},
		"item": {"within": {"/srv": true, "/srv/proj": true, "/srv/proj/src": true}},
		"covers": {[0, "site/approvals"]},
	},
	"above what is approved below the project": {
		"approval": {"directory": "src", "relative": true},
		"item": {},
		"covers": set(),
	},
	"anywhere": {
		"approval": {"directory": "", "anywhere": true},
		"item": {"within": {}},
		"covers": {[0, "site/approvals"]},
	},
	"outside the scope": {
		"approval": {"directory": "", "anywhere": true},
		"item": {"touches": {"write.outside": true}},
		"covers": set(),
	},
	"a deletion": {"approval": {}, "item": {"touches": {"delete.project": true}}, "covers": set()},
	"another verb": {"approval": {}, "item": {"verb": "git push"}, "covers": set()},
	"no verb": {"approval": {}, "item": {"verb": ""}, "covers": set()},
	"another tool": {"approval": {"tool": "fetch"}, "item": {}, "covers": set()},
	"another audience": {"approval": {"audience": "team"}, "item": {}, "covers": set()},
	"another agent": {"approval": {"agent": "codex"}, "item": {}, "covers": set()},
	"this agent": {"approval": {"agent": "claude-code"}, "item": {}, "covers": {[0, "site/approvals"]}},
	"privileged": {"approval": {}, "item": {"caveats": {"privileged": true}}, "covers": set()},
	"inline code": {"approval": {}, "item": {"caveats": {"inline_code": true}}, "covers": set()},
}

_verbs(overrides) := {
	"git status": [_approval(overrides)],
	"": [_approval(overrides)],
	"mcp:docs/search": [_approval(overrides)],
}

_approval(overrides) := object.union(
	{
		"tool": "shell",
		"audience": "personal",
		"agent": "*",
		"directory": "/srv/proj",
		"relative": false,
		"anywhere": false,
		"risks": {},
	},
	overrides,
)

test_there_are_cases if count(_cases) > 0

test_cases[name] if {
	some name, case in _cases
	covers := cover with input as testing.shell([testing.command(case.item)])
		with data.site_data.approvals.verbs as _verbs(case.approval)
	covers == case.covers
}

test_a_messy_line_is_not_covered if {
	line := testing.call({"messy": true, "items": [testing.command({})]})
	here := cover with input as line with data.site_data.approvals.verbs as _verbs({})
	anywhere := cover with input as line with data.site_data.approvals.verbs as _verbs({"anywhere": true})
	here | anywhere == set()
}

test_a_session_without_a_project_has_no_relative_approval if {
	line := testing.call({"items": [testing.command({})], "session": testing.session({"project_dir": ""})})
	covers := cover with input as line with data.site_data.approvals.verbs as _verbs({"directory": "", "relative": true})
	covers == set()
}

test_a_tool_and_its_argument if {
	call := testing.call({
		"tool": testing.tool({"kind": "mcp", "name": "search"}),
		"items": [testing.other({"verb": "mcp:docs/search"}), testing.path_item(testing.path({}), 0)],
		"paths": [testing.path({"item": 1})],
	})
	covers := cover with input as call
		with data.site_data.approvals.verbs as _verbs({"tool": "mcp", "directory": "", "anywhere": true})
	covers == {[0, "site/approvals"], [1, "site/approvals"]}
}

_project_cases := {
	"its tools": {"approval": {"directory": "/srv/proj"}, "item": {}, "covers": {[0, "site/approvals"]}},
	"relative": {"approval": {"directory": "", "relative": true}, "item": {}, "covers": {[0, "site/approvals"]}},
	"another project": {"approval": {"directory": "/srv/other"}, "item": {}, "covers": set()},
	"another agent": {"approval": {"directory": "/srv/proj", "agent": "codex"}, "item": {}, "covers": set()},
	"another tool": {"approval": {"directory": "/srv/proj", "tool": "shell"}, "item": {}, "covers": set()},
	"no tool of a project": {"approval": {"directory": "/srv/proj"}, "item": {"verb": "git push"}, "covers": set()},
	"outside": {
		"approval": {"directory": "/srv/proj"},
		"item": {"touches": {"execute.project": true, "write.outside": true}},
		"covers": set(),
	},
}

test_project_tools[name] if {
	some name, case in _project_cases
	build := {"verb": "go test", "touches": {"list.project": true, "execute.project": true}}
	verbs := {"project tools": [_approval(object.union({"tool": "project"}, case.approval))]}
	covers := cover with input as testing.shell([testing.command(object.union(build, case.item))])
		with data.site_data.approvals.verbs as verbs
	covers == case.covers
}
