package policyd.rules

# METADATA
# title: No peer that can
# description: A method for one peer goes to nobody if there is none, and is never broadcast.
# custom:
#   id: namespaces/peer
#   codes: [no_capable_peer]
#   remedy: a peer of the session that has the capability
deny contains {
	"rule": "namespaces/peer",
	"code": "no_capable_peer",
	"message": sprintf("no peer of this session serves %s", [input.tool.name]),
	"item": -1,
} if {
	input.tool.kind == "acp"
	_namespaces_mode_served
	_namespaces_peer == ""
	_namespaces_peer_needed
}

_namespaces_peer_needed if {
	_namespaces_mode == "single_pass_through"
	not _namespaces_peer_lost
}

# The peer that made the terminal is gone.
_namespaces_peer_needed if {
	_namespaces_mode == "collaborative"
	input.method.terminal.peer != ""
}

default _namespaces_peer := ""

# Of several that can, the first in the order in which the host names them.
_namespaces_peer := _namespaces_peer_capable[0] if {
	_namespaces_mode == "single_pass_through"
	not input.method.terminal.step in {"use", "release"}
}

# Methods of a terminal go to the peer that made it, and to nobody else.
_namespaces_peer := input.method.terminal.peer if {
	_namespaces_mode in {"single_pass_through", "collaborative"}
	input.method.terminal.step in {"use", "release"}
	input.method.terminal.peer in _namespaces_peer_capable
}

_namespaces_peer_capable := [peer.id |
	some peer in input.method.peers
	peer.id != ""
	_namespaces_peer_serves(peer.capabilities)
]

_namespaces_peer_serves(capabilities) if capabilities[input.tool.namespace]

_namespaces_peer_serves(capabilities) if capabilities[input.tool.name]

# What every client serves needs no capability.
_namespaces_peer_serves(_) if data.policyd.config.namespaces.baseline[input.tool.namespace]

# A terminal that isn't known is refused for that.
_namespaces_peer_lost if {
	input.method.terminal.step in {"use", "release"}
	input.method.terminal.known == false
}
