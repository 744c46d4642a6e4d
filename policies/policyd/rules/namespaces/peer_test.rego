package policyd.rules_test

import data.policyd.main
import data.policyd.testing

_namespaces_peer_of(id, capabilities) := {"id": id, "capabilities": capabilities}

_namespaces_peer_both := {"fs": true, "terminal": true}

_namespaces_peer_cases := {
	"one": {"peers": [_namespaces_peer_of("p1", {"fs": true})], "peer": "p1"},
	"one of two": {
		"peers": [_namespaces_peer_of("p1", {"terminal": true}), _namespaces_peer_of("p2", {"fs": true})],
		"peer": "p2",
	},
	"the first of two": {
		"peers": [_namespaces_peer_of("p2", {"fs": true}), _namespaces_peer_of("p1", {"fs": true})],
		"peer": "p2",
	},
	"by the method": {"peers": [_namespaces_peer_of("p1", {"m": true})], "peer": "p1"},
	"none": {"peers": [], "peer": ""},
	"none that can": {"peers": [_namespaces_peer_of("p1", {"terminal": true})], "peer": ""},
	"without a name": {"peers": [_namespaces_peer_of("", {"fs": true})], "peer": ""},
	"by another method": {"peers": [_namespaces_peer_of("p1", {"fs/read": true})], "peer": ""},
}

test_namespaces_peer_has_cases if count(_namespaces_peer_cases) > 0

# N5
test_namespaces_peer[name] if {
	some name, case in _namespaces_peer_cases
	decision := main.decision with input as testing.acp({"namespace": "fs"}, {"peers": case.peers})
		with data.policyd.settings.namespaces as {"fs": "single_pass_through"}
	_namespaces_peer_expected(decision, case.peer)
}

_namespaces_peer_expected(decision, peer) if {
	peer != ""
	decision.effect == "allow"
	decision.route == {"mode": "single_pass_through", "peer": peer, "select": ""}
	decision.jsonrpc_error == null
}

_namespaces_peer_expected(decision, "") if {
	decision.effect == "deny"
	decision.route == {"mode": "block", "peer": "", "select": ""}
	decision.jsonrpc_error.data.reason == "no_capable_peer"
	decision.jsonrpc_error.data.mode == "single_pass_through"
}

_namespaces_peer_follow_up(mode, peer, peers) := decision if {
	facts := testing.acp({"namespace": "terminal"}, {"peers": peers, "terminal": testing.terminal({"peer": peer})})
	decision := main.decision with input as facts with data.policyd.settings.namespaces as {"terminal": mode}
}

# N5: methods of a terminal go to the peer that made it.
test_namespaces_peer_of_a_terminal if {
	peers := [_namespaces_peer_of("p1", _namespaces_peer_both), _namespaces_peer_of("p2", _namespaces_peer_both)]
	every mode in ["single_pass_through", "collaborative"] {
		decision := _namespaces_peer_follow_up(mode, "p2", peers)
		decision.effect == "allow"
		decision.route.peer == "p2"
		gone := _namespaces_peer_follow_up(mode, "p3", peers)
		gone.effect == "deny"
		gone.jsonrpc_error.data.reason == "no_capable_peer"
	}
}

test_namespaces_peer_of_a_terminal_that_nobody_is_named_for if {
	peers := [_namespaces_peer_of("p1", _namespaces_peer_both)]
	everybody := _namespaces_peer_follow_up("collaborative", "", peers)
	everybody.effect == "allow"
	everybody.route.peer == ""
	nobody := _namespaces_peer_follow_up("single_pass_through", "", peers)
	nobody.effect == "deny"
	nobody.jsonrpc_error.data.reason == "no_capable_peer"
}

# Every client can ask for permission.
test_namespaces_peer_of_what_needs_no_capability if {
	facts := testing.acp({"namespace": "session"}, {"peers": [_namespaces_peer_of("p1", {})]})
	decision := main.decision with input as facts
		with data.policyd.settings.namespaces as {"session": "single_pass_through"}
	decision.route.peer == "p1"
}
