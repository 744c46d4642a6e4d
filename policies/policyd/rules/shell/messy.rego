package policyd.rules

# METADATA
# title: Messy command lines
# description: >-
#   A line that could not be fully explained prompts, and no answer to it is remembered. The entrypoint accepts no
#   cover of a messy call except for a one-shot approval.
# custom:
#   id: shell/messy
#   codes: [messy]
#   remedy: >-
#     write it as plain commands, one after another, with every word written out; or a person's yes, for this once
prompt contains {
	"rule": "shell/messy",
	"code": "messy",
	"message": "complex command: only one-shot approval available",
	"item": -1,
} if {
	input.messy == true
}
