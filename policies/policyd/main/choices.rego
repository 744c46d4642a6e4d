package policyd.main

# The answers that a prompt offers (A1), in the order in which they are shown. An answer that would not let the same
# call through next time is not offered.
_choices := [choice |
	some choice in _choice_keys
	_offered(choice)
]

_choice_keys := [
	"once", "session", "project", "read_chat", "read_here", "always_here", "always_anywhere",
	"deny",
]

_offered("once")

_offered("deny")

_offered("session") if {
	not _one_shot
	_unplaced == set()
	_placed | _nowhere != set()
}

_offered("always_here") if {
	not _one_shot
	_unplaced == set()
	_nowhere == set()
	_placed != set()
}

_offered("always_anywhere") if {
	not _one_shot
	not _bound
}

_offered("project") if {
	not _one_shot
	input.tool.act == "shell"
	_uncovered != set()
	_uncovered - data.policyd.approvals.project == set()
}

# Proposals: whether the call is allowed once the directories may be read is known when it is looked at again.
_offered("read_chat") if _reads_outside

_offered("read_here") if {
	_reads_outside
	input.session.project_dir != ""
}

# More proposals: such an answer opens the places outside, and approves what is then left.
_offered("session") if _changes_outside

_offered("always_here") if {
	_changes_outside
	input.session.project_dir != ""
}

# Nothing that is remembered answers a finding, nor a call that is not wholly known.
_one_shot if _prompts != set()

_one_shot if _incomplete != []

_one_shot if not input.messy == false

_one_shot if {
	some i in _uncovered
	input.items[i].verb == ""
}

# An item that an approval of its directory would cover.
_placed contains i if {
	some i in _uncovered
	item := input.items[i]
	item.directory != ""
	not item.caveats.shallow
	data.policyd.approvals.within(i, item.directory)
}

# Hosts, tools and methods are in no directory: an approval of one holds everywhere.
_nowhere contains i if {
	some i in _uncovered
	not input.items[i].kind in {"command", "path"}
	data.policyd.approvals.anywhere(i)
}

# An item that no approval of a directory would cover, and that is not left out with a word for its shallow directory or
# covered with the tool whose argument it is.
_unplaced contains i if {
	some i in (((_uncovered - _placed) - _nowhere) - _arguments)
	not _shallow(i)
}

_shallow(i) if {
	item := input.items[i]
	item.kind == "command"
	item.caveats.shallow
	object.subset(data.policyd.config.caveats.approvals, item.caveats)
}

_arguments contains i if {
	0 in _uncovered
	some i in _uncovered
	data.policyd.approvals.argument(i)
}

# What runs anything is approved in a place alone.
_bound if {
	some i in _uncovered
	input.items[i].caveats.runs_anything
}

# Anywhere ends at the scope, so it would not let this call through.
_bound if not _trusted

# Approvals of its verbs anywhere would let the call through.
_trusted if {
	every i in _uncovered - _arguments {
		input.items[i].verb != ""
		data.policyd.approvals.anywhere(i)
	}
}

# Paths outside that are read or listed are all that is outside.
_reads_outside if {
	_prompts == set()
	_incomplete == []
	_outside != set()
	every i in _outside {
		input.paths[input.items[i].path].op in {"read", "list"}
	}
	every i in _uncovered - _outside {
		input.items[i].kind == "command"
	}
}

# Paths outside that are changed, or read beside, are all that is outside.
_changes_outside if {
	_prompts == set()
	_incomplete == []
	input.messy == false
	operations := {input.paths[input.items[i].path].op | some i in _outside}
	operations & {"write", "delete"} != set()
	operations - {"read", "list", "write", "delete"} == set()
	every i in _uncovered - _outside {
		input.items[i].kind == "command"
	}
}

_outside contains i if {
	some i in _uncovered
	item := input.items[i]
	item.kind == "path"
	input.paths[item.path].space == "outside"
}
