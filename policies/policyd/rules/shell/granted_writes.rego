package policyd.rules

# METADATA
# title: Writing by a command where a person lets files be changed
# description: >-
#   A command whose only effect beyond reading is to write known, unprotected files below grants to read and write,
#   where file tools may write without a question: a verb of the list in a listed form, or a reader with redirected
#   output. The line may only run readers that take neither settings nor names from files, since it may just have
#   written these, or ones that read nothing there if all that it writes are temporary files apart from the session's
#   directories.
# custom:
#   id: shell/granted_writes
cover contains [i, "shell/granted_writes"] if {
	"command" in input.about
	"write" in input.about
	input.messy == false
	every item in input.items {
		_shell_granted_writes_apart(item)
	}
	some i in data.policyd.approvals.workspace_writes
	elsewhere := [path |
		some path in input.paths
		path.item == i
		path.op in {"write", "delete"}
		not path.space in {"grant_read_write", "none"}
	]
	elsewhere == []
}

_shell_granted_writes_apart(item) if not data.policyd.approvals.settings_readers[item.verb]

_shell_granted_writes_apart(item) if {
	beside := [path |
		some path in input.paths
		path.op in {"write", "delete"}
		path.space != "none"
		not path.caveats.apart
	]
	beside == []
	read := {touch | some touch in ["read", "list", "execute"]; item.touches[concat(".", [touch, "grant_read_write"])]}
	read == set()
}
