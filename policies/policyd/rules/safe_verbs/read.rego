package policyd.rules

# METADATA
# title: Safe verbs
# description: >-
#   A curated list per platform: a verb in one of its safe forms, reading where this audience may read without a
#   question. An option that no form holds is not safe.
# custom:
#   id: safe_verbs/read
cover contains [i, "safe_verbs/read"] if {
	"command" in input.about
	input.messy == false
	readable := data.policyd.config.spaces.readable[input.session.audience]
	verbs := data.policyd.config.safe_verbs[input.session.platform]
	caveats := data.policyd.config.caveats.safe_verbs
	some i, item in input.items
	item.kind == "command"
	forms := verbs[item.verb]
	object.subset(caveats, item.caveats)
	object.subset(readable, item.touches)
	_safe_verbs_read_form(forms, item.form)
}

# Functions, since one form is enough: a set would try the others, too. Most need nothing.
_safe_verbs_read_form(forms, form) if {
	some safe in forms
	safe.needs == {}
	object.subset(safe.form, form)
}

_safe_verbs_read_form(forms, form) if {
	some safe in forms
	safe.needs != {}
	object.subset(safe.form, form)
	object.subset(form, safe.needs)
}
