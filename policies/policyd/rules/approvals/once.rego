package policyd.rules

# METADATA
# title: A one-shot approval
# description: >-
#   A person answered exactly this call, whole. The entrypoint counts the answer for prompt findings and doubts too.
#   Nothing answers a deny.
# custom:
#   id: approvals/once
cover contains [i, "approvals/once"] if {
	input.approvals[0] != null
	some approval in input.approvals
	approval.once == true
	some i, _ in input.items
}
