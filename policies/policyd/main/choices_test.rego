package policyd.main_test

import data.policyd.main
import data.policyd.testing

_choices_all := ["once", "session", "always_here", "always_anywhere", "deny"]

_choices_cases := {
	"a command": {"input": testing.shell([testing.command({"verb": "x"})]), "choices": _choices_all},
	"messy": {
		"input": testing.call({"messy": true, "items": [testing.command({"verb": "x"})]}),
		"choices": ["once", "deny"],
	},
	"incomplete": {
		"input": testing.call({"complete": false, "items": [testing.command({"verb": "x"})]}),
		"choices": ["once", "deny"],
	},
	"inline code": {
		"input": testing.shell([testing.command({"verb": "x", "caveats": {"inline_code": true}})]),
		"choices": ["once", "deny"],
	},
	"inline code beside another": {
		"input": testing.shell([
			testing.command({"verb": "x"}),
			testing.command({"verb": "y", "caveats": {"inline_code": true}}),
		]),
		"choices": ["once", "deny"],
	},
	"inline code that is covered": {
		"input": testing.shell([
			testing.command({"verb": "x"}),
			testing.command({"verb": "true"}),
		]),
		"choices": _choices_all,
	},
	"what no approval matches": {
		"input": testing.shell([testing.command({"verb": "x", "caveats": {"privileged": true}})]),
		"choices": ["once", "deny"],
	},
	"no verb": {"input": testing.shell([testing.command({"verb": ""})]), "choices": ["once", "deny"]},
	"a protected file": {
		"input": testing.shell_paths({"verb": "x"}, [testing.path({"op": "write", "class": {"protected_always": ".git"}})]),
		"choices": ["once", "deny"],
	},
	"reaches a secret": {
		"input": testing.shell([testing.command({"verb": "x", "caveats": {"reaches_secret": true}})]),
		"choices": ["once", "deny"],
	},
	"shallow": {
		"input": testing.shell([testing.command({"verb": "x", "caveats": {"shallow": true}})]),
		"choices": ["once", "always_anywhere", "deny"],
	},
	"outside the scope": {
		"input": testing.shell([testing.command({"verb": "x", "touches": {"list.outside": true}})]),
		"choices": ["once", "session", "always_here", "deny"],
	},
	"one of two shallow": {
		"input": testing.shell([
			testing.command({"verb": "x", "caveats": {"shallow": true}}),
			testing.command({"verb": "y"}),
		]),
		"choices": _choices_all,
	},
	"no directory": {
		"input": testing.shell([testing.command({"verb": "x", "directory": ""})]),
		"choices": ["once", "always_anywhere", "deny"],
	},
	"unknown directory": {
		"input": testing.shell([testing.command({"verb": "x", "caveats": {"cwd_unknown": true}})]),
		"choices": ["once", "always_anywhere", "deny"],
	},
	"runs anything": {
		"input": testing.shell([testing.command({"verb": "x"}), testing.command({
			"verb": "python",
			"caveats": {"runs_anything": true},
		})]),
		"choices": ["once", "session", "always_here", "deny"],
	},
	"a tool": {
		"input": testing.call({"items": [testing.other({"verb": "mcp:docs/search", "directory": "/srv/proj"})]}),
		"choices": ["once", "session", "always_anywhere", "deny"],
	},
	"in a directory that it leads out of": {
		"input": testing.shell([testing.command({"verb": "x", "within": {"/srv": true}})]),
		"choices": ["once", "always_anywhere", "deny"],
	},
	"deletes the project": {
		"input": testing.shell_paths(
			{"verb": "x", "touches": {"delete.project": true}},
			[testing.path({"real": "/srv/proj", "op": "delete"})],
		),
		"choices": ["once", "deny"],
	},
	"a tool and its argument": {
		"input": testing.call({
			"tool": testing.tool({"kind": "mcp", "name": "T"}),
			"items": [testing.other({"verb": "mcp:fs/read"}), testing.path_item(testing.path({"op": "write"}), 0)],
			"paths": [testing.path({"op": "write", "item": 1})],
		}),
		"choices": ["once", "session", "always_anywhere", "deny"],
	},
	"a tool and an argument outside": {
		"input": testing.call({
			"tool": testing.tool({"kind": "mcp", "name": "T"}),
			"items": [testing.other({"verb": "mcp:fs/read"}), testing.path_item(testing.path({"space": "outside"}), 0)],
			"paths": [testing.path({"space": "outside", "item": 1})],
		}),
		"choices": ["once", "deny"],
	},
	"a path": {
		"input": testing.file("read", {"space": "outside"}),
		"choices": ["once", "read_chat", "read_here", "deny"],
	},
	"a path without a project": {
		"input": object.union(
			testing.file("read", {"space": "outside"}),
			{"session": testing.session({"project_dir": ""})},
		),
		"choices": ["once", "read_chat", "deny"],
	},
	"a path that is written": {
		"input": testing.file("write", {"space": "outside", "op": "write"}),
		"choices": ["once", "session", "always_here", "deny"],
	},
	"a path that is written without a project": {
		"input": object.union(
			testing.file("write", {"space": "outside", "op": "write"}),
			{"session": testing.session({"project_dir": ""})},
		),
		"choices": ["once", "session", "deny"],
	},
	"a path that is deleted": {
		"input": testing.file("delete", {"space": "outside", "op": "delete"}),
		"choices": ["once", "session", "always_here", "deny"],
	},
	"a path that is run": {
		"input": testing.file("execute", {"space": "outside", "op": "execute"}),
		"choices": ["once", "deny"],
	},
	"a path at an unknown place": {"input": testing.file("read", {"space": "unknown"}), "choices": ["once", "deny"]},
	"a project's tool": {
		"input": testing.shell([testing.command({"verb": "cargo build"})]),
		"choices": ["once", "session", "project", "always_here", "always_anywhere", "deny"],
	},
	"a project's tool and something else": {
		"input": testing.shell([testing.command({"verb": "cargo build"}), testing.command({"verb": "x"})]),
		"choices": _choices_all,
	},
	"nothing to ask": {"input": testing.shell([testing.command({})]), "choices": []},
	"nobody to ask": {
		"input": testing.call({
			"items": [testing.command({"verb": "x"})],
			"session": testing.session({"interactive": false}),
		}),
		"choices": [],
	},
}

test_choices_has_cases if count(_choices_cases) > 0

# A1
test_choices[name] if {
	some name, case in _choices_cases
	decision := main.decision with input as case.input
	decision.choices == case.choices
}

# V7: what is offered lets the same call through next time.
test_choices_that_are_remembered_cover_the_retry if {
	facts := testing.shell([testing.command({"verb": "git push", "caveats": {"network": true}})])
	first := main.decision with input as facts
	first.choices == _choices_all
	here := testing.approval({"verb": "git push"})
	anywhere := testing.approval({"verb": "git push", "directory": "", "anywhere": true})
	every approval in [here, anywhere] {
		again := main.decision with input as object.union(facts, {"approvals": [approval]})
		again.effect == "allow"
	}
}
