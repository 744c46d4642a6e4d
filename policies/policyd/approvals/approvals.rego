# METADATA
# title: What an approval could cover
# description: >-
#   The conditions under which an approval of an item's verb covers the item, without the approval itself. The rule
#   that covers uses them, and the choices of a prompt, so that no choice is offered after which the call would prompt
#   again.
package policyd.approvals

# METADATA
# description: Whether an approval of its verb in this directory could cover a command.
within(i, directory) if {
	item := input.items[i]
	item.kind == "command"
	item.within[directory] == true
	object.subset(data.policyd.config.caveats.approvals, item.caveats)
	object.subset(data.policyd.config.approvals.touches, item.touches)
	not _deletes_root(i)
	not _disturbs[i]
}

# METADATA
# description: Whether an approval of its verb anywhere could cover an item.
anywhere(i) if {
	item := input.items[i]
	item.kind in {"command", "tool", "fetch", "method"}
	object.subset(data.policyd.config.caveats.approvals_anywhere, item.caveats)
	object.subset(_touched_anywhere(item.kind), item.touches)
	not _deletes_root(i)
	not _disturbs[i]
}

# A command that writes what the agent says, beside a reader that may take settings or names from it: of such a file the
# facts of the reader say nothing.
_disturbs contains i if {
	some i, item in input.items
	data.policyd.config.approvals.writers[item.verb] == true
	_writes(item)
	some j, other in input.items
	j != i
	other.kind == "command"
	not _writes(other)
	settings_readers[other.verb]
}

# METADATA
# description: The verbs of the call whose programs could only read, and may take settings or names from files.
settings_readers contains verb if {
	some item in input.items
	verb := item.verb
	data.policyd.config.safe_verbs[input.session.platform][verb]
	not data.policyd.config.workspace_writes.beside[verb]
}

_writes(item) if {
	some touch, _ in item.touches
	startswith(touch, "write.")
	touch != "write.none"
}

# METADATA
# description: >-
#   Whether an approval that was given for some risks accepts those of a command: none that it lacks, and each value
#   that it was given for. Without one the program takes another: the current context, the default remote, all packages.
accepts(given, risks) if {
	object.subset(given, risks)
	every risk, _ in given {
		_stays(risk, risks)
	}
}

_stays(risk, risks) if risks[risk] == true

_stays(risk, _) if not contains(risk, " ")

_stays(risk, _) if data.policyd.config.approvals.flags[risk] == true

# A class of the operator's that a tree can hold.
_stays(risk, _) if endswith(risk, " below")

_stays(risk, _) if data.policyd.config.approvals.harmless_without[split(risk, " ")[0]] == true

# METADATA
# description: Whether an approval of the tool could cover a path among its arguments.
argument(i) if {
	input.tool.act in {"mcp", "other"}
	item := input.items[i]
	item.kind == "path"
	item.caveats == {}
	object.subset(data.policyd.config.caveats.paths_written, input.paths[item.path].caveats)
	object.subset(_touched_anywhere(item.kind), item.touches)
	not _deletes_root(i)
}

# A directory that a command lists is one that it works in. Other tools list what they are given.
_touched_anywhere("command") := data.policyd.config.approvals.touches_anywhere

_touched_anywhere(kind) := object.union(approvals.touches_anywhere, approvals.listed_anywhere) if {
	kind != "command"
	approvals := data.policyd.config.approvals
}

# The project itself, another root of the session, or a directory that holds one.
_deletes_root(i) if {
	some path in input.paths
	path.item == i
	path.op == "delete"
	path.real == input.session.project_dir
}

_deletes_root(i) if {
	some path in input.paths
	path.item == i
	path.op == "delete"
	path.caveats.root
}
