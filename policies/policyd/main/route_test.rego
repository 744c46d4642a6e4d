package policyd.main_test

import data.policyd.main
import data.policyd.testing

_route_method(tool) := testing.call({
	"tool": testing.tool(object.union({"name": "m", "kind": "acp", "protocol": "acp"}, tool)),
	"items": [testing.other({"kind": "method", "verb": "m"})],
})

_route_none := {"mode": "", "peer": "", "select": ""}

test_route_of_a_blocked_method if {
	decision := main.decision with input as _route_method({"namespace": "fs"})
	decision.effect == "deny"
	decision.route == {"mode": "block", "peer": "", "select": ""}
	decision.jsonrpc_error == {
		"code": -32001,
		"message": "namespace fs, mode block: m is blocked: namespace fs is in mode block",
		"data": {"namespace": "fs", "mode": "block", "method": "m", "reason": "namespace_blocked"},
	}
}

test_route_of_a_method_that_goes_on if {
	collaborative := main.decision with input as _route_method({"namespace": "session"})
	collaborative.effect == "allow"
	collaborative.route.mode == "collaborative"
	collaborative.jsonrpc_error == null
	unknown := main.decision with input as _route_method({"namespace": "", "known": false})
	unknown.effect == "allow"
	unknown.route.mode == "pass"
}

test_route_of_other_tools_is_empty if {
	every facts in [testing.shell([testing.command({})]), testing.file("read", {"class": {"secret": ".env"}})] {
		decision := main.decision with input as facts
		decision.route == _route_none
		decision.jsonrpc_error == null
	}
}

test_route_of_what_another_rule_denies_is_block if {
	decision := main.decision with input as _route_method({"namespace": "session"})
		with data.site as {"team": {"deny": {{"rule": "site/team", "code": "frozen", "message": "no", "item": -1}}}}
	decision.effect == "deny"
	decision.route == {"mode": "block", "peer": "", "select": ""}
	decision.jsonrpc_error == {
		"code": -32001,
		"message": "m is denied by policy",
		"data": {"namespace": "session", "mode": "collaborative", "method": "m", "reason": "frozen"},
	}
}

test_two_routes_are_no_decision if {
	routes := {
		{"mode": "pass", "peer": "", "select": "", "error": null},
		{"mode": "collaborative", "peer": "", "select": "", "error": null},
	}
	not main.decision with input as _route_method({"namespace": "session"}) with data.policyd.rules.route as routes
}

test_a_route_carries_its_peer_and_selection if {
	route := {"mode": "single_pass_through", "peer": "p1", "select": "allow_once", "error": null}
	decision := main.decision with input as _route_method({"namespace": "session"})
		with data.policyd.rules.route as {route}
	decision.route == {"mode": "single_pass_through", "peer": "p1", "select": "allow_once"}
	decision.jsonrpc_error == null
}
