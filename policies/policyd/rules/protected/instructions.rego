package policyd.rules

# METADATA
# title: Instructions
# description: >-
#   Changing an agent's instructions prompts each time. Creating such a file prompts only for the usual reasons.
# custom:
#   id: protected/instructions
#   codes: [protected_file]
#   remedy: a person's yes, each time
prompt contains {
	"rule": "protected/instructions",
	"code": "protected_file",
	"message": sprintf("%s holds an agent's instructions (%s)", [path.real, entry]),
	"item": path.item,
} if {
	"protected" in input.about
	some p
	entry := input.paths[p].class.protected
	path := input.paths[p]
	path.op in {"write", "delete"}
	not path.caveats.missing
}
