package policyd.rules

# METADATA
# title: What could switch the gate off or run later
# description: Creating, changing and deleting prompt each time, and no remembered approval covers them.
# custom:
#   id: protected/always
#   codes: [protected_always]
#   remedy: a person's yes, each time; no answer is remembered
prompt contains {
	"rule": "protected/always",
	"code": "protected_always",
	"message": _protected_always_message(path, entry),
	"item": path.item,
} if {
	"protected" in input.about
	some p
	entry := input.paths[p].class.protected_always
	path := input.paths[p]
	path.op in {"write", "delete"}
}

_protected_always_message(path, entry) := sprintf(
	"files below %s may change that could switch the gate off or run later (%s)",
	[path.real, entry],
) if {
	path.caveats.holds
} else := sprintf("%s could switch the gate off or run later (%s)", [path.real, entry])
