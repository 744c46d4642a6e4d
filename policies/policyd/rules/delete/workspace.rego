package policyd.rules

# METADATA
# title: Deleting by a file tool
# description: Deletions in the workspace prompt, also by a patch, except for the paths in scope.delete_allow.
# custom:
#   id: delete/workspace
cover contains [i, "delete/workspace"] if {
	"delete" in input.about
	input.tool.act in {"delete", "move", "edit"}
	deletable := data.policyd.config.spaces.deletable[input.session.audience]
	some i, item in input.items
	item.kind == "path"
	item.caveats == {}
	item.touches != {}
	object.subset(deletable, item.touches)
	path := input.paths[item.path]
	path.class.delete_allow
	object.subset(data.policyd.config.caveats.paths_deleted, path.caveats)
}

# METADATA
# title: Deleting by a command
# description: >-
#   A command that only deletes, if scope.delete_allow has every path. An unknown option is a caveat, and the cover
#   tolerates none, so the form needs no list.
# custom:
#   id: delete/workspace
cover contains [i, "delete/workspace"] if {
	"delete" in input.about
	input.messy == false
	deletable := data.policyd.config.spaces.deletable[input.session.audience]
	readable := data.policyd.config.spaces.readable[input.session.audience]
	some i, item in input.items
	item.kind == "command"
	data.policyd.config.deletion.verbs[item.verb]
	item.caveats == {}
	object.subset(object.union(deletable, readable), item.touches)
	_delete_workspace_all_allowed(input.paths, i)
}

_delete_workspace_all_allowed(paths, i) if {
	deleted := [path | some path in paths; path.item == i; path.op == "delete"]
	count(deleted) > 0
	every path in deleted {
		path.class.delete_allow
		object.subset(data.policyd.config.caveats.paths_deleted, path.caveats)
	}
}
