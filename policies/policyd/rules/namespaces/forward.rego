package policyd.rules

# METADATA
# title: Forwarded methods
# description: >-
#   A forwarded method is judged by the peer that serves it. Its effects are covered here, and every rule that denies
#   or prompts still counts. For a request for permission only the method is covered, if it is known what the agent
#   will do.
# custom:
#   id: namespaces/forward
cover contains [i, "namespaces/forward"] if {
	input.tool.kind == "acp"
	_namespaces_mode in {"collaborative", "single_pass_through"}
	_namespaces_mode_served
	some i in _namespaces_forward_items
}

_namespaces_forward_items contains i if {
	input.method.permission.asks == false
	some i, _ in input.items
}

# Nothing is known of what the agent will do, so the person who is asked decides.
_namespaces_forward_items contains i if {
	input.method.permission.asks == true
	input.method.permission.raw_input == false
	input.session.interactive == true
	some i, _ in input.items
}

_namespaces_forward_items contains i if {
	input.method.permission.raw_input == true
	some i, item in input.items
	item.kind == "method"
}
