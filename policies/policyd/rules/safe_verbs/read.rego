package policyd.rules

# METADATA
# title: Safe verbs
# description: >-
#   A curated list per platform: a verb in one of its safe forms that reads where this audience may read without a
#   question. An option that is in no form is not safe.
# custom:
#   id: safe_verbs/read
cover contains [i, "safe_verbs/read"] if {
	_safe_verbs_read_line == false
	"command" in input.about
	input.messy == false
	readable := data.policyd.config.spaces.readable[input.session.audience]
	verbs := data.policyd.config.safe_verbs[input.session.platform]
	caveats := data.policyd.config.caveats.safe_verbs
	some i
	forms := verbs[input.items[i].verb]
	item := input.items[i]
	item.kind == "command"
	object.subset(caveats, item.caveats)
	object.subset(readable, item.touches)
	_safe_verbs_read_form(forms, item.form)
}

# METADATA
# title: Safe verbs, a whole line
# description: >-
#   The same, tested once for all commands together: their accesses, their caveats, and for each verb the union of its
#   forms. It only uses forms without needs.
# custom:
#   id: safe_verbs/read
cover contains [i, "safe_verbs/read"] if {
	input.line.told == true
	input.messy == false
	_safe_verbs_read_line == true
	some i
	input.items[i].kind == "command"
}

default _safe_verbs_read_line := false

_safe_verbs_read_line if {
	input.line.told == true
	object.subset(
		{
			"told": true,
			"touches": data.policyd.config.spaces.readable[input.session.audience],
			"caveats": data.policyd.config.caveats.safe_verbs,
			"forms": data.policyd.config.plain_verbs[input.session.platform],
		},
		input.line,
	)
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
