package policyd.rules

# METADATA
# title: A one-shot approval
# description: >-
#   A person approved exactly this call, whole. The answer also counts for prompt findings and doubts. No answer
#   overrides a deny.
# custom:
#   id: approvals/once
cover contains [i, "approvals/once"] if {
	input.approvals[0] != null
	some approval in input.approvals
	approval.once == true
	some i, _ in input.items
}
