package policyd.rules

# METADATA
# title: policyd's own programs
# description: A judged agent must not reach the operator's commands.
# custom:
#   id: scope/policyd_own
#   codes: [own_state]
#   remedy: nothing for an agent; the operator runs it
deny contains {
	"rule": "scope/policyd_own",
	"code": "own_state",
	"message": "policyd's commands are the operator's",
	"item": i,
} if {
	"own" in input.about
	some i
	input.items[i].caveats.own_program
}

# METADATA
# title: policyd's own address
# description: Nor the address or the socket on which prompts are answered.
# custom:
#   id: scope/policyd_own
#   codes: [own_state]
#   remedy: nothing for an agent
deny contains {
	"rule": "scope/policyd_own",
	"code": "own_state",
	"message": "policyd's own address is not for agents",
	"item": i,
} if {
	"own" in input.about
	some i
	input.items[i].caveats.own_address
}

# METADATA
# title: policyd's own state
# description: Nor the directory with tokens and approvals.
# custom:
#   id: scope/policyd_own
#   codes: [own_state]
#   remedy: nothing for an agent
deny contains {
	"rule": "scope/policyd_own",
	"code": "own_state",
	"message": sprintf("%s belongs to policyd", [path.real]),
	"item": path.item,
} if {
	"own" in input.about
	some p
	input.paths[p].class.own
	path := input.paths[p]
}
