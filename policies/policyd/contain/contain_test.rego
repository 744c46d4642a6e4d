package policyd.contain_test

import data.policyd.main
import data.policyd.testing

_everything := {"read_only": true, "project": true, "masks": true}

_session(overrides) := testing.session({key: object.get(overrides, key, value) | some key, value in {
	"enforces": {"contain": true},
	"profiles": _everything,
	"audience": "personal",
}})

_unknown := {"verb": "mytool", "caveats": {"unknown_program": true}, "touches": {"read.project": true}}

_status := {"touches": {"list.project": true, "read.project": true}}

_build := {
	"verb": "go build",
	"form": {"<package>": "value"},
	"touches": {"list.project": true},
	"within": {"/srv/proj": true},
}

_cases := {
	"a reader": {"items": [_status], "effect": "allow", "profile": "read_only", "reads": "known"},
	"a reader, by nobody who enforces": {
		"items": [_status],
		"session": {"enforces": {}, "profiles": {}},
		"effect": "allow",
		"profile": "",
	},
	"an unknown program": {"items": [_unknown], "effect": "allow", "profile": "read_only", "reads": "listed"},
	"an unknown program beside a reader": {
		"items": [_status, _unknown],
		"effect": "allow",
		"profile": "read_only",
		"reads": "listed",
	},
	"text of the line": {
		"items": [object.union(_unknown, {"verb": "python3", "caveats": {"inline_code": true}})],
		"effect": "allow",
		"profile": "read_only",
		"reads": "listed",
	},
	"a line that is not explained": {
		"items": [_unknown],
		"messy": true,
		"effect": "allow",
		"profile": "read_only",
		"reads": "listed",
	},
	"an unknown program, by nobody who enforces": {
		"items": [_unknown],
		"session": {"enforces": {}, "profiles": {}},
		"effect": "prompt",
		"profile": "",
	},
	"an unknown program, where secrets can't be hidden": {
		"items": [_unknown],
		"session": {"profiles": {"read_only": true}},
		"effect": "prompt",
		"profile": "",
	},
	"an unknown program, for everybody to see": {
		"items": [object.union(_unknown, {"touches": {"read.session": true}})],
		"session": {"audience": "public"},
		"effect": "prompt",
		"profile": "",
	},
	"writes": {
		"items": [object.union(_unknown, {"touches": {"write.project": true}})],
		"effect": "prompt",
		"profile": "",
	},
	"reads outside": {
		"items": [object.union(_unknown, {"touches": {"read.outside": true}})],
		"effect": "prompt",
		"profile": "",
	},
	"needs the network": {
		"items": [object.union(_unknown, {"caveats": {"network": true}})],
		"effect": "prompt",
		"profile": "",
	},
	"as root": {
		"items": [object.union(_unknown, {"caveats": {"privileged": true}})],
		"effect": "prompt",
		"profile": "",
	},
	"elsewhere": {
		"items": [object.union(_unknown, {"caveats": {"inner": true}})],
		"effect": "prompt",
		"profile": "",
	},
	"a caveat of tomorrow": {
		"items": [object.union(_unknown, {"caveats": {"new": true}})],
		"effect": "prompt",
		"profile": "",
	},
	"a build": {"items": [_build], "effect": "allow", "profile": "project", "reads": "listed"},
	"a build beside a reader": {"items": [_status, _build], "effect": "allow", "profile": "project", "reads": "listed"},
	"a build beside text of the line": {
		"items": [_build, object.union(_unknown, {"verb": "python3", "caveats": {"inline_code": true}})],
		"effect": "allow",
		"profile": "project",
		"reads": "listed",
	},
	"a build, where no project can be contained": {
		"items": [_build],
		"session": {"profiles": {"read_only": true}},
		"effect": "prompt",
		"profile": "",
	},
	"a build in a line that is not explained": {
		"items": [object.union(_build, {"touches": {"write.project": true}})],
		"messy": true,
		"effect": "prompt",
		"profile": "",
	},
	"text of the line beside what writes": {
		"items": [
			object.union(_unknown, {"verb": "python3", "caveats": {"inline_code": true}}),
			object.union(_unknown, {"touches": {"write.project": true}}),
		],
		"effect": "prompt",
		"profile": "",
	},
	"text of the line beside a write to a known file": {
		"items": [
			object.union(_unknown, {"verb": "python3", "caveats": {"inline_code": true}}),
			{"verb": "touch", "form": {"<path>": "write"}, "touches": {"write.project": true}},
		],
		"paths": [{"op": "write", "item": 1}],
		"effect": "allow",
		"profile": "project",
		"reads": "listed",
	},
	"a form of no list, of a verb that only reads": {
		"items": [{"verb": "diff", "form": {"--from-file": "read"}}],
		"effect": "allow",
		"profile": "read_only",
		"reads": "listed",
	},
	"a form of no list, of a verb that can change something": {
		"items": [{"verb": "git branch", "form": {"<name>": "name"}}],
		"effect": "prompt",
		"profile": "",
	},
	"an option of no list, of a verb that can change something": {
		"items": [{"verb": "git branch", "form": {"--new": "unknown"}, "caveats": {"unknown_option": true}}],
		"effect": "allow",
		"profile": "read_only",
		"reads": "listed",
	},
	"files below a grant are written": {
		"items": [{"verb": "ln", "touches": {"write.grant_read_write": true}}],
		"paths": [{"op": "write", "space": "grant_read_write"}],
		"effect": "prompt",
		"profile": "",
	},
	"files are staged": {
		"items": [{"verb": "git add", "form": {"<path>": "pathspec"}}],
		"paths": [{"item": 0}],
		"effect": "prompt",
		"profile": "",
	},
	"a secret is named": {
		"items": [_unknown],
		"paths": [{"op": "read", "class": {"secret": ".env"}}],
		"effect": "deny",
		"profile": "",
	},
	"a secret is reached": {
		"items": [object.union(_unknown, {"caveats": {"reaches_secret": true}})],
		"effect": "allow",
		"profile": "read_only",
		"reads": "listed",
	},
}

test_has_cases if count(_cases) > 0

test_contain[name] if {
	some name, case in _cases
	decision := main.decision with input as testing.call({
		"items": [testing.command(item) | some item in case.items],
		"paths": [testing.path(path) | some path in object.get(case, "paths", [])],
		"messy": object.get(case, "messy", false),
		"session": _session(object.get(case, "session", {})),
	})
		with data.site as {} # operators' bundles are tested beside these
	decision.effect == case.effect
	concat("", {obligation.profile | some obligation in decision.obligations}) == case.profile
	concat("", {obligation.reads | some obligation in decision.obligations}) == _reads(case)
}

default _reads(_) := ""

_reads(case) := case.reads

_approval(verb) := {
	"id": "a",
	"tool": "shell",
	"verb": verb,
	"directory": "",
	"anywhere": true,
	"once": false,
	"risks": {},
}

# What a person approved may do more than read.
test_what_was_approved_is_not_contained if {
	facts := testing.call({
		"items": [testing.command(_unknown)],
		"approvals": [_approval("mytool")],
		"session": _session({}),
	})
	decision := main.decision with input as facts
	decision.effect == "allow"
	decision.obligations == []
}

# What one program is approved for is no reason to contain the line of another.
test_what_was_approved_ends_with_the_line if {
	curl := testing.command({"verb": "curl", "caveats": {"network": true}})
	facts := testing.call({
		"items": [curl, testing.command(_unknown)],
		"approvals": [_approval("curl")],
		"session": _session({}),
	})
	decision := main.decision with input as facts
	decision.effect == "prompt"
	decision.obligations == []
}

# An operator's question is asked, and no secret that is denied is read contained.
test_findings_of_operators_stand if {
	facts := testing.call({"items": [testing.command(_unknown)], "session": _session({})})
	finding := {"rule": "site/x", "code": "x", "message": "x", "item": 0, "hint": ""}
	asked := main.decision with input as facts
		with data.policyd.config.operators as object.union(
			data.policyd.config.operators,
			{"present": true, "prompt": ["x"]},
		)
		with data.site.x.prompt as {finding}
	asked.effect == "prompt"
	denied := main.decision with input as facts
		with data.policyd.config.operators as object.union(
			data.policyd.config.operators,
			{"present": true, "deny": ["x"]},
		)
		with data.site.x.deny as {finding}
	denied.effect == "deny"
}

_terminal(command, step) := object.union(
	testing.acp({"name": "terminal/create", "namespace": "terminal", "act": "shell"}, {"terminal": {"step": step}}),
	{
		"items": [testing.other({"kind": "method", "verb": "terminal/create"}), testing.command(command)],
		"session": _session({"profiles": _everything}),
	},
)

_terminal_cases := {
	"a reader": {"item": _status, "step": "create", "profile": "read_only", "reads": "listed"},
	"an unknown program": {"item": _unknown, "step": "create", "profile": "read_only", "reads": "listed"},
	"a build": {"item": _build, "step": "create", "profile": "project", "reads": "listed"},
	"what a run can't do": {
		"item": object.union(_unknown, {"caveats": {"network": true}}),
		"step": "create",
		"profile": "",
		"reads": "",
	},
	"another method": {"item": _status, "step": "", "profile": "", "reads": ""},
}

# A peer runs what it is asked for. What can be contained of it is, and the rest is the peer's to judge, as ever.
test_terminals_of_peers[name] if {
	some name, case in _terminal_cases
	decision := main.decision with input as _terminal(case.item, case.step)
		with data.policyd.settings.namespaces as {"terminal": "collaborative"}
		with data.site as {}
	decision.effect == "allow"
	concat("", {obligation.profile | some obligation in decision.obligations}) == case.profile
	concat("", {obligation.reads | some obligation in decision.obligations}) == case.reads
	blocked := main.decision with input as _terminal(case.item, case.step)
		with data.policyd.settings.namespaces as {"terminal": "block"}
		with data.site as {}
	blocked.effect == "deny"
}
