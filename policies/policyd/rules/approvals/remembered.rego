package policyd.rules

# METADATA
# title: Remembered, in a directory
# description: >-
#   The same verb through the same kind of tool, and everything that the command touches lies in the approval's
#   directory. Deletions lie below it, and never take the project root.
# custom:
#   id: approvals/remembered
cover contains [i, "approvals/remembered"] if {
	input.messy == false
	input.approvals[0] != null
	some approval in input.approvals
	approval.once == false
	approval.anywhere == false
	approval.tool == input.tool.act
	some i, item in input.items
	item.verb == approval.verb
	item.verb != ""
	item.kind == "command"
	item.within[approval.directory] == true
	object.subset(data.policyd.config.caveats.approvals, item.caveats)
	object.subset(data.policyd.config.approvals.touches, item.touches)
	not _approvals_remembered_deletes(i, approval.directory)
	not _approvals_remembered_root(i)
}

# METADATA
# title: Remembered, anywhere
# description: >-
#   The same verb through the same kind of tool, wherever in the scope it runs. A working directory outside every space
#   is for an approval that names it, since what a program does there is not known from its paths.
# custom:
#   id: approvals/remembered
cover contains [i, "approvals/remembered"] if {
	input.messy == false
	input.approvals[0] != null
	some approval in input.approvals
	approval.once == false
	approval.anywhere == true
	approval.tool == input.tool.act
	some i, item in input.items
	item.verb == approval.verb
	item.verb != ""
	item.kind in {"command", "tool", "fetch", "method"}
	object.subset(data.policyd.config.caveats.approvals_anywhere, item.caveats)
	object.subset(data.policyd.config.approvals.touches_anywhere, item.touches)
	not _approvals_remembered_root(i)
}

_approvals_remembered_deletes(i, directory) if {
	some path in input.paths
	path.item == i
	path.op == "delete"
	path.real == directory
}

# The project itself, another root of the session, or a directory that holds one.
_approvals_remembered_root(i) if _approvals_remembered_deletes(i, input.session.project_dir)

_approvals_remembered_root(i) if {
	some path in input.paths
	path.item == i
	path.op == "delete"
	path.caveats.root
}
