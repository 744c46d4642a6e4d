package policyd.rules

# METADATA
# title: Unknown methods pass
# description: >-
#   A JSON-RPC method outside the known namespaces passes. Nothing else passes because it is unknown: neither a tool of
#   the catalog, nor a method without the protocol.
# custom:
#   id: namespaces/pass
cover contains [i, "namespaces/pass"] if {
	input.tool.kind == "acp"
	_namespaces_pass_unknown
	some i, item in input.items
	item.kind == "method"
	item.caveats == {}
	item.touches == {}
}

# METADATA
# title: Where an unknown method goes
# custom:
#   id: namespaces/pass
route contains {"mode": "pass", "peer": "", "select": "", "denied": "", "error": null} if {
	input.tool.kind == "acp"
	_namespaces_pass_unknown
}

_namespaces_pass_unknown if {
	input.tool.protocol == "acp"
	input.tool.namespace == ""
	input.tool.known == false
}
