# METADATA
# title: Approvals of the site
# description: >-
#   Approvals that operators reviewed, as data. An approval covers an item under the same conditions as a person's: the
#   same audience, agent, kind of tool, verb and risks, in its directory or anywhere in the scope. It never covers a
#   deletion: no bundle may, since deletions prompt.
# scope: package
# schemas:
#   - input: schema.facts
package site.approvals

# METADATA
# title: Approved, in a directory
# description: All accesses of the command are in the directory of an approval of its verb.
cover contains [i, "site/approvals"] if {
	"command" in input.about
	input.messy == false
	some i, item in input.items
	some approval in _of(item)
	approval.anywhere == false
	data.policyd.approvals.within(i, _directory(approval))
}

# METADATA
# title: Approved, anywhere
# description: An approval of the verb anywhere applies wherever in the scope the command runs.
cover contains [i, "site/approvals"] if {
	input.messy == false
	some i, item in input.items
	some approval in _of(item)
	approval.anywhere == true
	data.policyd.approvals.anywhere(i)
}

# METADATA
# title: Approved, with its arguments
# description: A tool that is approved by its name covers the paths in the scope among its arguments.
cover contains [i, "site/approvals"] if {
	input.messy == false
	input.items[0].kind == "tool"
	some approval in _of(input.items[0])
	approval.anywhere == true
	some i, item in input.items
	item.kind == "path"
	data.policyd.approvals.argument(i)
}

# METADATA
# title: Approved, a project's own tools
# description: Building, testing, linting, formatting and editing in a project.
cover contains [i, "site/approvals"] if {
	input.messy == false
	input.tool.act == "shell"
	some approval in data.site_data.approvals.verbs["project tools"]
	approval.tool == "project"
	_for_session(approval)
	directory := _directory(approval)
	some i in data.policyd.approvals.project
	_in_project(i, directory)
}

_in_project(i, directory) if input.items[i].within[directory] == true

_in_project(_, directory) if directory == input.session.project_dir

# The approvals that are for an item.
_of(item) := {approval |
	item.verb != ""
	{touch | some touch, _ in item.touches; startswith(touch, "delete.")} == set()
	some approval in data.site_data.approvals.verbs[item.verb]
	approval.tool == input.tool.act
	_for_session(approval)
	data.policyd.approvals.accepts(approval.risks, item.risks)
}

_for_session(approval) if {
	approval.audience == input.session.audience
	approval.agent in {"*", input.session.agent}
}

# One that is relative holds in the project of each session.
_directory(approval) := approval.directory if approval.relative == false

_directory(approval) := input.session.project_dir if {
	approval.relative == true
	approval.directory == ""
}

_directory(approval) := concat("/", [input.session.project_dir, approval.directory]) if {
	approval.relative == true
	approval.directory != ""
	input.session.project_dir != ""
}
