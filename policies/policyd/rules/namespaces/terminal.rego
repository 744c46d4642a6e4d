package policyd.rules

# METADATA
# title: Terminals of others
# description: >-
#   Only the session that made a terminal uses it, through the peer that made it. Other terminals are unknown: a host
#   that was restarted has to make a new one.
# custom:
#   id: namespaces/terminal
#   codes: [terminal_unknown]
#   remedy: a terminal that this session made
deny contains {
	"rule": "namespaces/terminal",
	"code": "terminal_unknown",
	"message": sprintf("terminal %q is none that this session made here", [input.method.terminal.id]),
	"item": -1,
} if {
	input.tool.kind == "acp"
	input.method.terminal.step in {"use", "release"}
	_namespaces_mode in {"collaborative", "single_pass_through", "self_handle"}
	not _namespaces_terminal_own
}

_namespaces_terminal_own if {
	input.method.terminal.known == true
	_namespaces_mode in {"collaborative", "single_pass_through"}
}

# A terminal that a peer made is not the host's to handle.
_namespaces_terminal_own if {
	input.method.terminal.known == true
	_namespaces_mode == "self_handle"
	input.method.terminal.peer == ""
}
