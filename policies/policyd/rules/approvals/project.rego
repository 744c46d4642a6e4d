package policyd.rules

# METADATA
# title: A project's own tools
# description: >-
#   A person trusts agents to build, test, lint, format, edit and stage files in a project. The trust covers no command
#   that installs, publishes, deletes, reaches outside, runs text of the line, or changes a protected file.
# custom:
#   id: approvals/project
cover contains [i, "approvals/project"] if {
	input.messy == false
	input.tool.act == "shell"
	input.approvals[0] != null
	some approval in input.approvals
	approval.tool == "project"
	approval.verb == "project tools"
	approval.once == false
	approval.anywhere == false
	some i in data.policyd.approvals.project
	_approvals_project_holds(i, approval.directory)
}

_approvals_project_holds(i, directory) if input.items[i].within[directory] == true

_approvals_project_holds(_, directory) if directory == input.session.project_dir
