package policyd.main_test

import data.policyd.main
import data.policyd.testing

_reasons_cases := {
	"a command in a directory": {
		"input": testing.shell([testing.command({"verb": "git push", "directory": "/srv/proj/src"})]),
		"message": "git push is not approved in /srv/proj/src",
	},
	"a command without a directory": {
		"input": testing.shell([testing.command({"verb": "git push", "directory": ""})]),
		"message": "git push is not approved",
	},
	"a command in an unknown directory": {
		"input": testing.shell([testing.command({"verb": "git push", "caveats": {"cwd_unknown": true}})]),
		"message": "git push is not approved in an unknown directory",
	},
	"a command without a verb": {
		"input": testing.shell([testing.command({"verb": ""})]),
		"message": "a command is not approved in /srv/proj",
	},
	"a command that does more than its name says": {
		"input": testing.shell([testing.command({"verb": "git log", "caveats": {
			"executes": true,
			"unknown_option": true,
			"unseen": true,
			"odd": true,
		}})]),
		"message": concat("", [
			"git log is not approved in /srv/proj: it runs another program; ",
			"an option or another word is not in the program table",
		]),
	},
	"a command in a protected directory": {
		"input": testing.shell([testing.command({"verb": "ar", "directory": "/srv/proj/.git/hooks", "caveats": {
			"protected_directory": true,
			"sensitive_directory": true,
		}})]),
		"message": concat("", [
			"ar is not approved in /srv/proj/.git/hooks: it works in a directory whose files could switch the gate off ",
			"or run later",
		]),
	},
	"a command in a place that is told already": {
		"input": testing.shell([testing.command({"verb": "git push", "caveats": {
			"cwd_unknown": true,
			"network": true,
		}})]),
		"message": "git push is not approved in an unknown directory: it reaches the network",
	},
	"a command that touches what it may not": {
		"input": testing.shell([testing.command({"verb": "tee", "touches": {
			"write.project": true,
			"read.project": true,
			"execute.project": true,
			"write.outside": true,
			"delete.odd": true,
		}})]),
		"message": "tee is not approved in /srv/proj: it writes in the project",
	},
	"a command that touches what it may not, and more": {
		"input": testing.shell([testing.command({
			"verb": "tee",
			"touches": {"write.session": true, "delete.session": true},
			"caveats": {"executes": true},
		})]),
		"message": concat("", [
			"tee is not approved in /srv/proj: it deletes in the session's directory; ",
			"it writes in the session's directory; it runs another program",
		]),
	},
	"a command whose caveats are tolerated": {
		"input": testing.shell([testing.command({"verb": "git push", "caveats": {"unseen": true}})]),
		"message": "git push is not approved in /srv/proj",
	},
	"a tool": {
		"input": testing.call({"items": [testing.other({"verb": "mcp:docs/search", "directory": "/x"})]}),
		"message": "mcp:docs/search is not approved",
	},
	"a path outside": {
		"input": testing.file("read", {"real": "/x", "space": "outside"}),
		"message": "read of /x is outside this session's directories",
	},
	"a path that is not known": {
		"input": testing.file("read", {"real": "/x", "space": "unknown"}),
		"message": "read of /x leads to a place that is not known",
	},
	"a path inside": {
		"input": testing.file("delete", {"real": "/srv/proj/a", "op": "delete"}),
		"message": "delete of /srv/proj/a is not approved",
	},
	"a path item without its path": {
		"input": testing.call({"items": [testing.other({"kind": "path", "verb": "read"})]}),
		"message": "read is not approved",
	},
}

test_reasons_has_cases if count(_reasons_cases) > 0

test_reasons[name] if {
	some name, case in _reasons_cases
	decision := main.decision with input as case.input
	[reason.message | some reason in decision.reasons] == [case.message]
	decision.effect == "prompt"
}

# The caller makes them of the covers.
test_reasons_of_an_allow_are_none if {
	decision := main.decision with input as testing.shell([testing.command({})])
	decision.effect == "allow"
	decision.reasons == []
	decision.covered == {[0, "safe_verbs/read"]}
}

_peculiarity_cases := {
	"hard link": {
		"caveats": {"hard_link": true},
		"message": "write of /srv/proj/a is not approved: the file has another name somewhere (hard link)",
	},
	"special": {"caveats": {"special": true}, "message": "write of /srv/proj/a is not approved: it is no ordinary file"},
	"neither": {"caveats": {"other": true}, "message": "write of /srv/proj/a is not approved"},
}

test_peculiarity_has_cases if count(_peculiarity_cases) > 0

test_peculiarity[name] if {
	some name, case in _peculiarity_cases
	facts := testing.file("write", {"real": "/srv/proj/a", "op": "write", "caveats": case.caveats})
	decision := main.decision with input as facts
	decision.effect == "prompt"
	decision.reasons[0].message == case.message
}
