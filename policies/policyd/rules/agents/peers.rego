package policyd.rules

# METADATA
# title: Whom an agent may ask
# description: >-
#   A question to another agent needs no person if the settings list that agent among the caller's peers. The other
#   agent's calls are judged as its own.
# custom:
#   id: agents/peers
cover contains [i, "agents/peers"] if {
	"ruled" in input.about
	some i, item in input.items
	item.kind == "tool"
	item.caveats == {}
	item.form.callee in data.policyd.settings.agents[input.session.agent].peers
}

# METADATA
# title: Whom an agent may not ask
# description: An agent with peers may ask no other agent.
# custom:
#   id: agents/peers
#   codes: [peer_denied]
#   remedy: name the other agent in agents.<agent>.peers of the settings
deny contains {
	"rule": "agents/peers",
	"code": "peer_denied",
	"message": sprintf("%s may not ask %s", [input.session.agent, item.form.callee]),
	"item": i,
} if {
	"ruled" in input.about
	peers := data.policyd.settings.agents[input.session.agent].peers
	some i, item in input.items
	item.kind == "tool"
	item.form.callee
	not item.form.callee in peers
}
