package policyd.rules

# METADATA
# title: Reading in a safe space
# description: A path that is read or listed, and is in a space that this audience may read without a question.
# custom:
#   id: scope/read
cover contains [i, "scope/read"] if {
	"path" in input.about
	readable := data.policyd.config.spaces.readable[input.session.audience]
	some i, item in input.items
	item.kind == "path"
	item.caveats == {}
	item.touches != {}
	object.subset(readable, item.touches)
	object.subset(data.policyd.config.caveats.paths_read, input.paths[item.path].caveats)
}
