package policyd.main

# What rules say of the way of a method; for every other call nothing. Two ways leave none, and so no decision:
# sending one request both ways could only widen.
_route := object.remove(route, ["error", "denied"]) if {
	input.tool.kind == "acp"
	count(data.policyd.rules.route) == 1
	some route in data.policyd.rules.route
}

_route := {"mode": "", "peer": "", "select": ""} if {
	input.tool.kind == "acp"
	data.policyd.rules.route == set()
}

_route := {"mode": "", "peer": "", "select": ""} if not input.tool.kind == "acp"

# A question selects nothing: the person who is asked does.
_route_asked := object.union(_route, {"select": ""})

# What is denied is forwarded to nobody, whatever its namespace would allow. A request for a person's permission is
# answered with a no.
_route_denied := {"mode": "block", "peer": "", "select": _route_no} if data.policyd.rules.route != set()

_route_denied := {"mode": "", "peer": "", "select": ""} if data.policyd.rules.route == set()

default _route_no := ""

_route_no := "reject_once" if {
	some route in data.policyd.rules.route
	route.denied == "reject_once"
}

default _jsonrpc_error := null

_jsonrpc_error := errors[0] if {
	errors := [route.error | some route in data.policyd.rules.route; route.error != null]
	count(errors) > 0
}

# A method that another rule denied: its sender still waits for an answer.
_jsonrpc_error := {
	"code": -32001,
	"message": sprintf("%s is denied by policy", [input.tool.name]),
	"data": {
		"namespace": input.tool.namespace,
		"mode": route.mode,
		"method": input.tool.name,
		"reason": _denial_reasons[0].code,
	},
} if {
	count(data.policyd.rules.route) == 1
	some route in data.policyd.rules.route
	route.error == null
}
