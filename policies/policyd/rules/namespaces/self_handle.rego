package policyd.rules

# METADATA
# title: Methods that the host handles
# description: The method itself is served. The rules for files and commands judge its effects, as for any other call.
# custom:
#   id: namespaces/self_handle
cover contains [i, "namespaces/self_handle"] if {
	input.tool.kind == "acp"
	_namespaces_mode == "self_handle"
	_namespaces_mode_served
	some i, item in input.items
	item.kind == "method"
	item.caveats == {}
	item.touches == {}
}

# METADATA
# title: Methods that nobody knows how to handle
# description: The effects of a method outside the table aren't known.
# custom:
#   id: namespaces/self_handle
#   codes: [method_not_served]
#   remedy: a method that the table names
deny contains {
	"rule": "namespaces/self_handle",
	"code": "method_not_served",
	"message": sprintf("%s is not a method that is handled here", [input.tool.name]),
	"item": i,
} if {
	input.tool.kind == "acp"
	_namespaces_mode == "self_handle"
	some i, item in input.items
	item.kind == "method"
	item.caveats.unknown_method
}
