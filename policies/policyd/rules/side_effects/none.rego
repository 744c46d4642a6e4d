package policyd.rules

# METADATA
# title: Without a side effect
# description: >-
#   Commands that change nothing except this shell or its output. Data lists where they may look, for example as the
#   target of a cd. Never remembered. A line that is safe as a whole needs no other cover.
# custom:
#   id: side_effects/none
cover contains [i, "side_effects/none"] if {
	_safe_verbs_read_line == false
	"command" in input.about
	input.messy == false
	config := data.policyd.config.side_effects
	caveats := data.policyd.config.caveats.side_effects
	some i
	forms := config.verbs[input.items[i].verb]
	input.items[i].kind == "command"
	object.subset(caveats, input.items[i].caveats)
	object.subset(config.touches, input.items[i].touches)
	object.subset(forms[_].form, input.items[i].form)
}
