package policyd.rules

# METADATA
# title: Writing in the workspace by a command
# description: >-
#   A command whose only effect beyond reading is to write known, unprotected files in the workspace: a verb of the list
#   in a listed form, or a reader with redirected output. Off unless the setting shell.workspace_writes is on. Beside it
#   the line may hold only programs that take neither settings nor names from files, since the line may just have
#   written these.
# custom:
#   id: shell/workspace_writes
cover contains [i, "shell/workspace_writes"] if {
	"command" in input.about
	"write" in input.about
	data.policyd.settings.shell.workspace_writes == true
	input.messy == false
	config := data.policyd.config.workspace_writes
	config.audiences[input.session.audience] == true
	_shell_workspace_writes_line(input.items, config.beside)
	caveats := data.policyd.config.caveats
	forms := [config.verbs, data.policyd.config.safe_verbs[input.session.platform], data.policyd.config.side_effects.verbs]
	some i, item in input.items
	item.kind == "command"
	object.subset(caveats.workspace_writes, item.caveats)
	names := object.get(config.spaces, item.verb, config.spaces.others)
	allowed := object.union_n([data.policyd.config.spaces[name][input.session.audience] | some name in names])
	object.subset(allowed, item.touches)
	some table in forms
	_safe_verbs_read_form(table[item.verb], item.form)
	changed := [path | some path in input.paths; path.item == i; path.op in {"write", "delete"}; path.space != "none"]
	count(changed) > 0
	every path in changed {
		_shell_workspace_writes_path(path, config.classes, caveats.paths_written)
	}
}

# A command that is the whole line can't read what the line wrote.
_shell_workspace_writes_line(items, _) if count(items) == 1

_shell_workspace_writes_line(items, beside) if {
	every item in items {
		beside[item.verb] == true
	}
}

# A file that is written. A link on the way may be changed before the command runs, so none is followed.
_shell_workspace_writes_path(path, classes, caveats) if {
	path.op == "write"
	count(path.links) == 0
	object.subset(caveats, path.caveats)
	every list, _ in path.class {
		classes[list] == true
	}
}

# The source of a move: one regular file. What a directory holds, or where a link leads, would get new names.
_shell_workspace_writes_path(path, _, _) if {
	path.op == "delete"
	count(path.links) == 0
	path.class == {}
	path.caveats == {}
}
