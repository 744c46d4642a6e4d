package policyd.rules

# METADATA
# title: Collaborative namespaces
# description: A method of a collaborative namespace goes to every subscriber, and one of them answers.
# custom:
#   id: namespaces/mode
cover contains [i, "namespaces/mode"] if {
	input.tool.kind == "acp"
	_namespaces_mode_served
	some i, item in input.items
	item.kind == "method"
	item.caveats == {}
	item.touches == {}
}

# METADATA
# title: Unknown methods pass
# description: >-
#   A JSON-RPC method of no known namespace is left as it is. Nothing else passes for being unknown: not a tool that
#   the catalog names, nor a method without the protocol.
# custom:
#   id: namespaces/mode
cover contains [i, "namespaces/mode"] if {
	input.tool.kind == "acp"
	_namespaces_mode_unknown_method
	some i, item in input.items
	item.kind == "method"
	item.caveats == {}
	item.touches == {}
}

# METADATA
# title: Where a collaborative method goes
# custom:
#   id: namespaces/mode
route contains {"mode": "collaborative", "peer": "", "select": "", "error": null} if {
	input.tool.kind == "acp"
	_namespaces_mode_served
}

# METADATA
# title: Where an unknown method goes
# custom:
#   id: namespaces/mode
route contains {"mode": "pass", "peer": "", "select": "", "error": null} if {
	input.tool.kind == "acp"
	_namespaces_mode_unknown_method
}

# METADATA
# title: What the sender of a blocked method gets
# custom:
#   id: namespaces/mode
route contains {
	"mode": "block",
	"peer": "",
	"select": "",
	"error": {
		"code": -32001,
		"message": sprintf("namespace %s: %s", [input.tool.namespace, _namespaces_mode_reason.text]),
		"data": {
			"namespace": input.tool.namespace,
			"mode": sprintf("%v", [_namespaces_mode]),
			"method": input.tool.name,
			"reason": _namespaces_mode_reason.code,
		},
	},
} if {
	input.tool.kind == "acp"
	input.tool.namespace != ""
	not _namespaces_mode_served
}

# METADATA
# title: Blocked namespaces
# description: The request is sent to nobody, and its sender learns why.
# custom:
#   id: namespaces/mode
#   codes: [namespace_blocked]
#   remedy: another mode for the namespace in the settings
deny contains {
	"rule": "namespaces/mode",
	"code": "namespace_blocked",
	"message": sprintf("%s is blocked: namespace %s is in mode block", [input.tool.name, input.tool.namespace]),
	"item": -1,
} if {
	input.tool.kind == "acp"
	input.tool.namespace != ""
	_namespaces_mode == "block"
}

# METADATA
# title: Modes that nobody serves
# description: A mode that is set but not served by this build forwards nothing, and an unknown mode neither.
# custom:
#   id: namespaces/mode
#   codes: [mode_not_served]
#   remedy: a mode that this build serves
deny contains {
	"rule": "namespaces/mode",
	"code": "mode_not_served",
	"message": sprintf("%s is blocked: this build does not serve mode %v", [input.tool.name, _namespaces_mode]),
	"item": -1,
} if {
	input.tool.kind == "acp"
	input.tool.namespace != ""
	not _namespaces_mode in {"block", "collaborative"}
}

default _namespaces_mode := "block"

_namespaces_mode := object.get(
	data.policyd.settings.namespaces,
	input.tool.namespace,
	object.get(data.policyd.config.namespaces.modes, input.tool.namespace, "block"),
)

_namespaces_mode_served if {
	input.tool.namespace != ""
	_namespaces_mode == "collaborative"
}

_namespaces_mode_unknown_method if {
	input.tool.protocol == "acp"
	input.tool.namespace == ""
	input.tool.known == false
}

default _namespaces_mode_reason := {"code": "mode_not_served", "text": "this build does not serve its mode"}

_namespaces_mode_reason := {"code": "namespace_blocked", "text": "mode block"} if _namespaces_mode == "block"
