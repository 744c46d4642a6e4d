package policyd.rules

# METADATA
# title: Remembered, in a directory
# description: >-
#   The same verb through the same kind of tool, without a risk that the approval lacks, with each value that it was
#   given for, and with all accesses in the approval's directory. Deletions never include the project root.
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
	data.policyd.approvals.accepts(approval.risks, item.risks)
	data.policyd.approvals.within(i, approval.directory)
}

# METADATA
# title: Remembered, anywhere
# description: >-
#   The same verb through the same kind of tool, wherever in the scope it runs. A working directory outside every space
#   needs an approval for that directory, since the paths of a program don't show what it does there.
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
	data.policyd.approvals.accepts(approval.risks, item.risks)
	data.policyd.approvals.anywhere(i)
}

# METADATA
# title: Remembered, with its arguments
# description: >-
#   A tool without a catalog entry, approved by its name, covers the paths in the scope among its arguments. Paths
#   outside prompt, and so do paths for which another rule prompts.
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
