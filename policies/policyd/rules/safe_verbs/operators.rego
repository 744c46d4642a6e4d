package policyd.rules

# METADATA
# title: Safe verbs of operators
# description: >-
#   Additions in the setting safe_verbs, which declare their forms like the built-in list.
# custom:
#   id: safe_verbs/operators
cover contains [i, "safe_verbs/operators"] if {
	data.policyd.settings.safe_verbs != {}
	"command" in input.about
	input.messy == false
	readable := data.policyd.config.spaces.readable[input.session.audience]
	tables := data.policyd.config.platforms[input.session.platform]
	lists := [verbs | some table in tables; verbs := data.policyd.settings.safe_verbs[table]]
	caveats := data.policyd.config.caveats.safe_verbs
	some i, item in input.items
	item.kind == "command"
	some verbs in lists
	forms := verbs[item.verb]
	object.subset(caveats, item.caveats)
	object.subset(readable, item.touches)
	some safe in forms
	object.subset(safe.form, item.form)
	object.subset(item.form, object.get(safe, "needs", {}))
}
