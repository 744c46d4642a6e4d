package policyd.rules

# METADATA
# title: Broadcast for debugging
# description: >-
#   A method goes to every subscriber. The mode needs a flag at the start. It has a rule of its own, so that every
#   decision by this mode has the rule's id.
# custom:
#   id: namespaces/unsafe_debug
cover contains [i, "namespaces/unsafe_debug"] if {
	input.tool.kind == "acp"
	_namespaces_mode == "unsafe_debug"
	_namespaces_mode_served
	some i in _namespaces_forward_items
}
