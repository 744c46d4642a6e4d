package policyd.rules

# METADATA
# title: Messy command lines
# description: >-
#   What could not be fully explained asks, and offers no answer that would be remembered. The entrypoint counts no
#   cover of a messy call but a one-shot approval.
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
