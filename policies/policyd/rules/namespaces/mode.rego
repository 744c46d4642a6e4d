package policyd.rules

# METADATA
# title: Blocked namespaces
# description: The request is sent to nobody, and its sender gets the reason.
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
# description: A configured mode that this build doesn't serve forwards nothing, and neither does an unknown mode.
# custom:
#   id: namespaces/mode
#   codes: [mode_not_served]
#   remedy: a mode that this build serves
deny contains {
	"rule": "namespaces/mode",
	"code": "mode_not_served",
	"message": sprintf("%s is blocked: this build does not serve mode %v for it", [input.tool.name, _namespaces_mode]),
	"item": -1,
} if {
	input.tool.kind == "acp"
	input.tool.namespace != ""
	_namespaces_mode != "block"
	not _namespaces_mode_served
}

# METADATA
# title: What the sender of a refused method gets
# custom:
#   id: namespaces/mode
route contains {
	"mode": "block",
	"peer": "",
	"select": "",
	"denied": "",
	"error": {
		"code": -32001,
		"message": sprintf("namespace %s, mode %v: %s", [input.tool.namespace, _namespaces_mode, refusal.message]),
		"data": {
			"namespace": input.tool.namespace,
			"mode": sprintf("%v", [_namespaces_mode]),
			"method": input.tool.name,
			"reason": refusal.code,
		},
	},
} if {
	input.tool.kind == "acp"
	input.tool.namespace != ""
	refusal := sort(_namespaces_mode_refusals)[0]
}

# METADATA
# title: Where a served method goes
# custom:
#   id: namespaces/mode
route contains {
	"mode": _namespaces_mode,
	"peer": _namespaces_peer,
	"select": _namespaces_permission_allowed,
	"denied": _namespaces_permission_denied,
	"error": null,
} if {
	input.tool.kind == "acp"
	_namespaces_mode_served
	_namespaces_mode != "block"
	_namespaces_mode_refusals == set()
}

# The rules that route a method. Other denials have no effect on its route.
_namespaces_mode_refusing := {"namespaces/mode", "namespaces/peer", "namespaces/self_handle", "namespaces/terminal"}

_namespaces_mode_refusals contains finding if {
	some finding in deny
	finding.rule in _namespaces_mode_refusing
}

default _namespaces_mode := "block"

# A method before its namespace, and the settings before what is built in.
_namespaces_mode := [mode |
	some modes in [data.policyd.settings.namespaces, data.policyd.config.namespaces.modes]
	some name in [input.tool.name, input.tool.namespace]
	mode := modes[name]
][0]

_namespaces_mode_served if {
	data.policyd.config.namespaces.served[input.tool.namespace][_namespaces_mode]
	_namespaces_mode != "unsafe_debug"
}

# The flag at the start is what serves it, whatever a bundle says.
_namespaces_mode_served if {
	data.policyd.config.namespaces.served[input.tool.namespace].unsafe_debug
	_namespaces_mode == "unsafe_debug"
	data.policyd.settings.unsafe_debug_broadcast == true
}
