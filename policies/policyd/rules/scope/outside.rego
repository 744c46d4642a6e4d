package policyd.rules

# METADATA
# title: Outside every space
# description: >-
#   With scope.outside = request a path outside is denied, and the agent gets a hint how to request it. With prompt,
#   the default, nothing covers such a path and the entrypoint prompts.
# custom:
#   id: scope/outside
#   codes: [outside_scope]
#   remedy: >-
#     ask for read access, or let an operator add a grant: policyd grants add DIR --session ID
deny contains {
	"rule": "scope/outside",
	"code": "outside_scope",
	"message": sprintf("%s of %s is outside this session's directories", [path.op, path.real]),
	"item": i,
	"hint": _scope_outside_hint(input.session.tools, path.op),
} if {
	"outside" in input.about
	data.policyd.settings.scope.outside == "request"
	some i, item in input.items
	item.kind == "path"
	path := input.paths[item.path]
	path.space == "outside"
}

default _scope_outside_hint(_, _) := ""

# A grant that an agent asks for is a grant to read.
_scope_outside_hint(tools, op) := "use request_read_access(path, reason) to ask for permission" if {
	tools.request_read_access == true
	op in {"read", "list"}
}
