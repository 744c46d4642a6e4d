# The coverage rule in small, for tests of the engine.
package policyd.main

denied contains reason if {
	some i, item in input.items
	item.caveats.privileged
	reason := {"rule": "privileged", "code": "privileged", "effect": "deny", "message": item.verb, "item": i}
}

denied contains reason if {
	some name
	some finding in data.site[name].deny
	reason := object.union(finding, {"rule": concat("/", ["site", name]), "effect": "deny"})
}

covered contains [i, "safe"] if {
	spaces := {"read.project": true, "list.project": true}
	some i, item in input.items
	count(item.caveats) == 0
	object.subset(data.policyd.config.safe[item.verb], item.form)
	object.subset(spaces, item.touches)
}

covered contains [i, "approved"] if {
	some i, item in input.items
	some approval in input.approvals
	approval.verb == item.verb
	item.within[approval.directory]
}

all_items := {i | some i, _ in input.items}

uncovered := all_items - {i | some [i, _] in covered}

default effect := "prompt"

effect := "deny" if count(denied) > 0

effect := "allow" if {
	count(denied) == 0
	input.complete
	count(all_items) > 0
	count(uncovered) == 0
}

reasons := denied if effect == "deny"

reasons := {r |
	some [i, rule] in covered
	r := {"rule": rule, "code": "covered", "effect": "allow", "message": "", "item": i}
} if {
	effect == "allow"
}

reasons := {{
	"rule": "main", "code": "approval_required", "effect": "prompt",
	"message": data.policyd.settings.greeting, "item": -1,
}} if {
	effect == "prompt"
}

choices := ["once", "deny"] if effect == "prompt"

choices := [] if effect != "prompt"

decision := {
	"effect": effect,
	"reasons": reasons,
	"covered": covered,
	"uncovered": uncovered,
	"choices": choices,
	"hint": "",
	"route": {"mode": "", "peer": "", "select": ""},
	"refusal_hint": "",
	"jsonrpc_error": null,
}
