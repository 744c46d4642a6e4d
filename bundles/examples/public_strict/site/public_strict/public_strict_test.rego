package site.public_strict

import data.policyd.testing

_public := testing.session({"audience": "public"})

_calls := {
	"command line": {"kind": "shell", "touches": {}, "codes": {"public_tool"}},
	"fetch": {"kind": "fetch", "touches": {}, "codes": {"public_tool"}},
	"tool of a server": {"kind": "mcp", "touches": {}, "codes": {"public_tool"}},
	"unknown tool": {"kind": "other", "touches": {}, "codes": {"public_tool"}},
	"read in the session": {"kind": "read", "touches": {"read.session": true}, "codes": set()},
	"write in the session": {"kind": "write", "touches": {"write.session": true}, "codes": set()},
	"read in the project": {"kind": "read", "touches": {"read.project": true}, "codes": {"public_place"}},
	"delete in the session": {
		"kind": "delete",
		"touches": {"delete.session": true},
		"codes": {"public_tool", "public_place"},
	},
}

test_there_are_calls if count(_calls) > 0

test_calls[name] if {
	some name, case in _calls
	call := testing.call({
		"session": _public,
		"tool": testing.tool({"name": name, "kind": case.kind}),
		"items": [testing.other({"touches": case.touches})],
	})
	findings := deny with input as call
	case.codes == {finding.code | some finding in findings}
}

test_others_are_not_concerned if {
	findings := deny with input as testing.shell([testing.command({})])
	findings == set()
}

test_no_answer_opens_it if {
	once := testing.approval({"once": true})
	call := testing.call({"session": _public, "items": [testing.command({})], "approvals": [once]})
	decision := data.policyd.main.decision with input as call
	decision.effect == "deny"
}
