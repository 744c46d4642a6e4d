package policyd.main

# The answers that a prompt offers (A1), in the order in which they are shown. An answer that would not let the same
# call through next time is not offered.
_choices := [choice |
	some choice in ["once", "session", "always_here", "always_anywhere", "deny"]
	_offered(choice)
]

_offered("once")

_offered("deny")

_offered("session") if not _one_shot

_offered("always_here") if {
	not _one_shot
	not _unplaced
}

_offered("always_anywhere") if {
	not _one_shot
	not _bound
}

# Nothing that is remembered answers a finding, nor a call that is not wholly known.
_one_shot if _prompts != set()

_one_shot if _incomplete != []

_one_shot if not input.messy == false

_one_shot if {
	some i in _uncovered
	not _rememberable(input.items[i])
}

# What approvals/remembered could match. A path is no approval's to cover.
_rememberable(item) if {
	item.kind in {"command", "tool", "fetch", "method"}
	item.verb != ""
	object.subset(data.policyd.config.caveats.approvals_anywhere, item.caveats)
}

# No uncovered item has a directory that an approval could name.
_unplaced if {
	every i in _uncovered {
		not _placed(input.items[i])
	}
}

_placed(item) if {
	item.kind == "command"
	item.directory != ""
	object.subset(object.remove(data.policyd.config.caveats.approvals, {"shallow"}), item.caveats)
}

# What runs anything is approved in a place alone.
_bound if {
	some i in _uncovered
	input.items[i].caveats.runs_anything
}

# Anywhere ends at the scope, so it would not let this call through.
_bound if {
	some i in _uncovered
	input.items[i].kind == "command"
	not object.subset(data.policyd.config.approvals.touches_anywhere, input.items[i].touches)
}
