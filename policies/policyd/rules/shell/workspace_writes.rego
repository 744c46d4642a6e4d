package policyd.rules

# METADATA
# title: Writing in the workspace by a command
# description: >-
#   A command whose only effect beyond reading is to write known, unprotected files in the workspace: a verb of the
#   list in a listed form, or a reader with redirected output. Off unless the setting shell.workspace_writes is on. The
#   rest of the line may only run programs that read neither settings nor names from files, since the line may just
#   have written these.
# custom:
#   id: shell/workspace_writes
cover contains [i, "shell/workspace_writes"] if {
	"command" in input.about
	"write" in input.about
	data.policyd.settings.shell.workspace_writes == true
	input.messy == false
	_shell_workspace_writes_line(input.items, data.policyd.config.workspace_writes.beside)
	some i in data.policyd.approvals.workspace_writes
}

# A command that is the whole line can't read what the line wrote.
_shell_workspace_writes_line(items, _) if count(items) == 1

_shell_workspace_writes_line(items, beside) if {
	every item in items {
		beside[item.verb] == true
	}
}
