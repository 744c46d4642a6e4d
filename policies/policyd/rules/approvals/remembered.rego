package policyd.rules

# METADATA
# title: Remembered, in a directory
# description: >-
#   The same verb through the same kind of tool, no risk that the approval was not given for, and everything that the
#   command touches is in the approval's directory. Deletions never take the project root.
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
	object.subset(approval.risks, item.risks)
	data.policyd.approvals.within(i, approval.directory)
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
	object.subset(approval.risks, item.risks)
	data.policyd.approvals.anywhere(i)
}

# METADATA
# title: Remembered, with its arguments
# description: >-
#   A tool that no catalog explains, approved by its name, covers the paths in the scope that its arguments name. Paths
#   outside ask, and so does what else a rule asks about.
# custom:
#   id: approvals/remembered
cover contains [i, "approvals/remembered"] if {
	input.messy == false
	input.approvals[0] != null
	input.items[0].kind == "tool"
	some approval in input.approvals
	approval.once == false
	approval.anywhere == true
	approval.tool == input.tool.act
	input.items[0].verb == approval.verb
	some i, item in input.items
	item.kind == "path"
	data.policyd.approvals.argument(i)
}
