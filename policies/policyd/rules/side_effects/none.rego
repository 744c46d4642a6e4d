package policyd.rules

# METADATA
# title: Without a side effect
# description: >-
#   Commands that change nothing but this shell or its output. Where they may look is data, for a cd leads there.
#   Never remembered.
# custom:
#   id: side_effects/none
cover contains [i, "side_effects/none"] if {
	"command" in input.about
	input.messy == false
	config := data.policyd.config
	some i, item in input.items
	item.kind == "command"
	forms := config.side_effects.verbs[item.verb]
	object.subset(config.caveats.side_effects, item.caveats)
	object.subset(config.side_effects.touches, item.touches)
	some pure in forms
	object.subset(pure.form, item.form)
}
