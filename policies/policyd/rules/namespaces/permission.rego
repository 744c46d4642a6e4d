package policyd.rules

# METADATA
# title: Nobody to ask
# description: A request for a person's permission is useless in an unattended session.
# custom:
#   id: namespaces/permission
#   codes: [person_needed]
#   remedy: a person in the session, or raw input that the catalog knows
prompt contains {
	"rule": "namespaces/permission",
	"code": "person_needed",
	"message": "it is not known what the agent will do, so a person has to decide",
	"item": -1,
} if {
	input.tool.kind == "acp"
	input.method.permission.asks == true
	input.method.permission.raw_input == false
	input.session.interactive == false
}

default _namespaces_permission_allowed := ""

# Only what was judged can be selected. If any part of it prompts, there is no allow for it.
_namespaces_permission_allowed := "allow_once" if {
	input.method.permission.asks == true
	input.method.permission.raw_input == true
}

default _namespaces_permission_denied := ""

_namespaces_permission_denied := "reject_once" if input.method.permission.asks == true
