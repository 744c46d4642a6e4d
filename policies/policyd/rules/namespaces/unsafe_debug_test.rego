package policyd.rules_test

import data.policyd.main
import data.policyd.testing

# N4: every decision by the mode has that route.
test_namespaces_unsafe_debug_says_so if {
	decision := main.decision with input as testing.acp({"namespace": "fs"}, {})
		with data.policyd.settings.namespaces as {"fs": "unsafe_debug"}
		with data.policyd.settings.unsafe_debug_broadcast as true
	decision.effect == "allow"
	decision.covered == {[0, "namespaces/unsafe_debug"]}
	decision.route == {"mode": "unsafe_debug", "peer": "", "select": ""}
}

test_namespaces_unsafe_debug_needs_the_flag if {
	decision := main.decision with input as testing.acp({"namespace": "fs"}, {})
		with data.policyd.settings.namespaces as {"fs": "unsafe_debug"}
	decision.effect == "deny"
	decision.jsonrpc_error.data.reason == "mode_not_served"
	decision.jsonrpc_error.data.mode == "unsafe_debug"
}
