package policyd.rules

# METADATA
# title: Writing in the workspace
# description: >-
#   A file tool that writes where this audience may write. It doesn't cover a path of a command line: the path doesn't
#   show what else that command does.
# custom:
#   id: scope/workspace
cover contains [i, "scope/workspace"] if {
	"write" in input.about
	input.tool.act in {"write", "edit", "move"}
	writable := data.policyd.config.spaces.writable[input.session.audience]
	some i, item in input.items
	item.kind == "path"
	item.caveats == {}
	item.touches != {}
	object.subset(writable, item.touches)
	object.subset(data.policyd.config.caveats.paths_written, input.paths[item.path].caveats)
}
