package policyd.rules_test

import data.policyd.main
import data.policyd.testing

_namespaces_terminal_cases := {
	"known": {"terminal": {}, "modes": {"collaborative", "self_handle", "unsafe_debug"}},
	"known, of a peer": {"terminal": {"peer": "p1"}, "modes": {"collaborative", "single_pass_through", "unsafe_debug"}},
	"unknown": {"terminal": {"known": false}, "modes": {"unsafe_debug"}},
	"unknown, released": {"terminal": {"known": false, "step": "release"}, "modes": {"unsafe_debug"}},
	"without a name": {"terminal": {"known": false, "id": ""}, "modes": {"unsafe_debug"}},
}

test_namespaces_terminal_has_cases if count(_namespaces_terminal_cases) > 0

# N5, N6
test_namespaces_terminal[name] if {
	some name, case in _namespaces_terminal_cases
	facts := testing.acp({"namespace": "terminal"}, {
		"peers": [{"id": "p1", "capabilities": {"terminal": true}}],
		"terminal": testing.terminal(case.terminal),
	})
	allowed := {mode |
		some mode in ["block", "collaborative", "single_pass_through", "self_handle", "unsafe_debug"]
		decision := main.decision with input as facts
			with data.policyd.settings.namespaces as {"terminal": mode}
			with data.policyd.settings.unsafe_debug_broadcast as true
		decision.effect == "allow"
	}
	allowed == case.modes
}

test_namespaces_terminal_says_which if {
	facts := testing.acp({"namespace": "terminal"}, {"terminal": testing.terminal({"known": false, "id": "t9"})})
	decision := main.decision with input as facts
		with data.policyd.settings.namespaces as {"terminal": "single_pass_through"}
	[[reason.code, reason.message] | some reason in decision.reasons] == [[
		"terminal_unknown",
		`terminal "t9" is none that this session made here`,
	]]
	decision.jsonrpc_error.data.reason == "terminal_unknown"
}
