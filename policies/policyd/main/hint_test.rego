package policyd.main_test

import data.policyd.main
import data.policyd.testing

_hint_unattended(items) := testing.call({"items": items, "session": testing.session({"interactive": false})})

_hint_cases := {
	"attended": {"input": testing.shell([testing.command({"verb": "x"})]), "hint": ""},
	"allowed": {"input": testing.shell([testing.command({})]), "hint": ""},
	"unattended": {
		"input": _hint_unattended([testing.command({}), testing.command({"verb": "git push"})]),
		"hint": "policyd approvals trust-verb 'git push' --audience personal --agent 'claude-code' --tool shell",
	},
	"unattended, one of two that nothing remembers": {
		"input": _hint_unattended([
			testing.command({"verb": "sudo", "caveats": {"privileged": true}}),
			testing.command({"verb": "make"}),
		]),
		"hint": "",
	},
	"unattended, two": {
		"input": _hint_unattended([testing.command({"verb": "bb"}), testing.command({"verb": "aa"})]),
		"hint": concat(" && ", [
			"policyd approvals trust-verb 'aa' --audience personal --agent 'claude-code' --tool shell",
			"policyd approvals trust-verb 'bb' --audience personal --agent 'claude-code' --tool shell",
		]),
	},
	"unattended, with risks": {
		"input": _hint_unattended([testing.command({"verb": "git push", "risks": {"force": true, "delete": true}})]),
		"hint": concat(" ", [
			"policyd approvals trust-verb 'git push (delete, force)'",
			"--audience personal --agent 'claude-code' --tool shell",
		]),
	},
	"unattended, outside the scope": {
		"input": _hint_unattended([testing.command({"verb": "cc", "touches": {"list.outside": true}})]),
		"hint": "",
	},
	"unattended, runs anything": {
		"input": _hint_unattended([testing.command({"verb": "npx", "caveats": {"runs_anything": true}})]),
		"hint": "policyd approvals trust-verb 'npx' --audience personal --agent 'claude-code' --tool shell --force",
	},
	"unattended, a verb that would break out of its quotes": {
		"input": _hint_unattended([testing.command({"verb": "x';rm -rf ~;'"})]),
		"hint": `policyd approvals trust-verb 'x'\'';rm -rf ~;'\''' --audience personal --agent 'claude-code' --tool shell`,
	},
	"unattended, nothing that can be remembered": {
		"input": _hint_unattended([testing.command({"verb": "x", "caveats": {"inline_code": true}})]),
		"hint": "",
	},
	"unattended and messy": {
		"input": object.union(_hint_unattended([testing.command({"verb": "x"})]), {"messy": true}),
		"hint": "",
	},
	"unattended and incomplete": {
		"input": object.union(_hint_unattended([testing.command({"verb": "x"})]), {"complete": false}),
		"hint": "",
	},
	"of a prompt finding": {
		"input": testing.shell([testing.command({"verb": "rg", "caveats": {"reaches_outside": true}})]),
		"hint": "name the files or a smaller directory",
	},
	"of a deny, not of the prompt finding beside it": {
		"input": testing.shell([testing.command({
			"verb": "rg",
			"caveats": {"reaches_outside": true, "secret_variable": true},
		})]),
		"hint": "",
	},
	"of a deny, though nobody can be asked": {
		"input": _hint_unattended([
			testing.command({"verb": "make"}),
			testing.command({"verb": "env", "caveats": {"reads_environment": true}}),
		]),
		"hint": "",
	},
	"of a deny without one": {"input": testing.file("read", {"class": {"secret": ".env"}}), "hint": ""},
}

test_hint_has_cases if count(_hint_cases) > 0

# A7
test_hint[name] if {
	some name, case in _hint_cases
	decision := main.decision with input as case.input
	decision.hint == case.hint
}

# P3, D5
test_hint_of_a_deny if {
	facts := object.union(
		testing.file("read", {"space": "outside"}),
		{"session": testing.session({"tools": {"request_read_access": true}})},
	)
	decision := main.decision with input as facts with data.policyd.settings.scope.outside as "request"
	decision.effect == "deny"
	decision.hint == "use request_read_access(path, reason) to ask for permission"
}

_refusal_hint_cases := {
	"outside": {"item": {}, "tools": {"set_working_directory": true}, "hint": "set_working_directory /srv/other"},
	"the session lists no such tool": {"item": {}, "tools": {}, "hint": ""},
	"inside": {
		"item": {"directory": "/srv/proj", "touches": {"list.project": true}},
		"tools": {"set_working_directory": true},
		"hint": "",
	},
	"an operand lies outside": {
		"item": {"directory": "/srv/proj", "touches": {"list.project": true, "list.outside": true}},
		"tools": {"set_working_directory": true},
		"hint": "",
	},
	"a shallow directory": {"item": {"caveats": {"shallow": true}}, "tools": {"set_working_directory": true}, "hint": ""},
	"a sensitive directory": {
		"item": {"caveats": {"sensitive_directory": true}},
		"tools": {"set_working_directory": true},
		"hint": "",
	},
	"a directory that the session has": {
		"item": {"directory": "/srv/grant", "touches": {"list.grant_read": true}},
		"tools": {"set_working_directory": true},
		"hint": "",
	},
	"no directory": {"item": {"directory": ""}, "tools": {"set_working_directory": true}, "hint": ""},
}

test_refusal_hint_has_cases if count(_refusal_hint_cases) > 0

# A8
test_refusal_hint[name] if {
	outside := {"verb": "make", "directory": "/srv/other", "touches": {"list.outside": true}}
	some name, case in _refusal_hint_cases
	facts := testing.call({
		"session": testing.session({"tools": case.tools}),
		"items": [testing.command(object.union(outside, case.item))],
	})
	decision := main.decision with input as facts
	decision.effect == "prompt"
	decision.refusal_hint == case.hint
}
