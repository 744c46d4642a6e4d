package policyd.rules

# METADATA
# title: Internal tools
# description: Plans, to-do lists and starts of sub-agents touch nothing; what a sub-agent does is judged itself.
# custom:
#   id: tools/internal
cover contains [i, "tools/internal"] if {
	input.tool.kind == "internal"
	input.tool.known == true
	some i, item in input.items
	item.kind == "tool"
	item.caveats == {}
	item.touches == {}
}
