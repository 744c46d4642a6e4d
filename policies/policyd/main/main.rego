# METADATA
# title: The entrypoint
# description: >-
#   Collects the findings and covers of the rules and decides. A deny finding denies. A prompt finding without an
#   answer prompts. An uncovered item prompts. Everything else is allowed. An undefined value can't allow: each outcome
#   has conditions over sets that are always defined, and without any outcome the effect is deny.
package policyd.main

# METADATA
# title: Decision
# description: >-
#   The judgement on one input, always with the same keys. The covers are the reasons of an allow; the caller makes
#   sentences of them.
# entrypoint: true
decision := allowed if {
	# What nearly every call that is allowed comes to. The conditions are those of _allowed, asked without a
	# detour: each name that represents some of them costs a decision as much as a rule. Sets of operators are
	# asked by their own names, since a name left open could be that of their tests, which ask for this
	# decision.
	input.complete == true
	input.messy == false
	input.session.profiles == {}
	is_array(input.paths)
	input.tool.kind != "acp"
	operators := data.policyd.config.operators
	operators.cover == []
	data.policyd.rules.deny == set()
	data.policyd.rules.prompt == set()
	{name | some name in operators.deny; data.site[name].deny != set()} == set()
	{name | some name in operators.prompt; data.site[name].prompt != set()} == set()
	covers := data.policyd.rules.cover
	covers != set()

	# regal ignore:use-object-keys
	{i | some i, _ in input.items} == {pair[0] | some pair in covers}
	allowed := _allow(covers, {"mode": "", "peer": "", "select": ""}, [])
} else := allowed if {
	_allowed == true
	allowed := _allow(_covers, _route, data.policyd.contain.of_allowed)
} else := allowed if {
	_allowed == false
	data.policyd.rules.deny == set()
	_site_denials == set()
	_site_prompts == set()
	contained := data.policyd.contain.run
	allowed := _allow(contained.covers, _route, contained.obligations)
} else := _refusal if {
	_allowed == false
}

# The union with nothing is the object itself, ready-made: the value of a rule is made anew for each that reads it.
_allow(covers, route, obligations) := object.union(
	{
		"effect": "allow",
		"reasons": [],
		"covered": covers,
		"uncovered": [],
		"choices": [],
		"hint": "",
		"refusal_hint": "",
		"route": route,
		"jsonrpc_error": null,
		"obligations": obligations,
	},
	{},
)

_refusal := {
	"effect": "prompt",
	"reasons": _questions,
	"covered": _covers,
	"uncovered": sort(_uncovered),
	"choices": _choices,
	"hint": _hint,
	"refusal_hint": _refusal_hint,
	"route": _route_asked,
	"jsonrpc_error": null,
	"obligations": [],
} if {
	_asks == true
}

_refusal := {
	"effect": "deny",
	"reasons": _denial_reasons,
	"covered": _covers,
	"uncovered": sort(_uncovered),
	"choices": [],
	"hint": _hint,
	"refusal_hint": "",
	"route": _route_denied,
	"jsonrpc_error": _jsonrpc_error,
	"obligations": [],
} if {
	_asks == false
}

default _allowed := false

_allowed if {
	data.policyd.rules.deny == set()
	_site_denials == set()
	_uncovered == set()
	_no_question == true
}

_no_question if {
	data.policyd.rules.prompt == set()
	_site_prompts == set()
	_complete == true
}

# A one-shot approval covers its call whole: what would ask, and what is not known of it.
_no_question if _released == true

default _asks := false

_asks if {
	input.session.interactive == true
	_denials == set()
}

_attended if input.session.interactive == true

_denials := data.policyd.rules.deny | _site_denials

# A one-shot approval answers what would ask, and no deny.
_released if {
	input.approvals[0] != null
	some approval in input.approvals
	approval.once == true
}

_prompts := set() if _released

_prompts := data.policyd.rules.prompt | _site_prompts if not _released

# The engine lists in config.operators which of these sets exist. It sets present to false if no package of an
# operator is loaded: searching for findings in none costs as much as a rule without a finding.
_site_denials contains finding if {
	data.policyd.config.operators.present == true
	some finding in _members(data.site[_].deny)
}

_site_prompts contains finding if {
	data.policyd.config.operators.present == true
	some finding in _members(data.site[_].prompt)
}

# What is no set would be gathered as nothing, and a deny would be lost.
_members(findings) := findings if {
	is_set(findings)
} else := {{
	"rule": "site/unknown",
	"code": "malformed_package",
	"message": "deny or prompt of an operator's package is not a set",
	"item": -1,
}}

_indices contains i if some i, _ in input.items

# Without one of these no cover counts.
default _covers := set()

_covers := data.policyd.rules.cover if {
	input.messy == false
	data.policyd.config.operators.present == false
}

_covers := data.policyd.rules.cover | _site_covers if {
	input.messy == false
	data.policyd.config.operators.present == true
}

# Of a messy call no item is known for what it is, so only an answer to the whole of it counts.
_covers := {pair | some pair in data.policyd.rules.cover; pair[1] == "approvals/once"} if input.messy == true

_site_covers contains pair if {
	some pair in data.site[_].cover
	pair[0] in _indices
	is_string(pair[1])
}

_uncovered := _indices - {pair[0] | some pair in _covers}
