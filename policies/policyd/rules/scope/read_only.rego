package policyd.rules

# METADATA
# title: Read-only grants
# description: Below a read-only grant nothing may change.
# custom:
#   id: scope/read_only
#   codes: [path_read_only]
#   remedy: >-
#     a grant to read and write: policyd grants add DIR --mode read_write --session ID
deny contains {
	"rule": "scope/read_only",
	"code": "path_read_only",
	"message": sprintf("%s is read-only for this agent", [path.real]),
	"item": path.item,
} if {
	"read_only" in input.about
	some p
	input.paths[p].space == "grant_read"
	path := input.paths[p]
	path.op in {"write", "delete"}
}
