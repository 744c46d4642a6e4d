package policyd.main

_denial_reasons := [_reason(finding, "deny") | some finding in _sorted(_denials)] if _denials != set()

_denial_reasons := array.concat([_nobody_to_ask], _questions) if _denials == set()

# What is between this call and an allow, in the order of the items.
_questions := array.flatten([
	_incomplete,
	[_reason(finding, _question_effect) | some finding in _sorted(_prompts)],
	[_uncovered_reason(input.items[i], i, _question_effect) | some i in _uncovered],
])

default _question_effect := "deny"

_question_effect := "prompt" if _attended

_nobody_to_ask := {
	"rule": "approvals/required",
	"code": "approval_required_unattended",
	"effect": "deny",
	"message": "this session is unattended, so nobody can be asked",
	"item": -1,
}

_incomplete := [reason |
	not _released
	not _complete
	reason := {
		"rule": "facts/incomplete",
		"code": "facts_incomplete",
		"effect": _question_effect,
		"message": "not everything that this call does is known",
		"item": -1,
	}
]

_complete if {
	input.complete == true
	is_array(input.paths)
	input.items[0] != null
}

# A command line that holds only a comment.
_complete if {
	"nothing" in input.about
	input.tool.kind == "shell"
	input.complete == true
	input.messy == false
	input.items == []
}

_sorted(findings) := [finding | some [_, finding] in sort([[_item(finding), finding] | some finding in findings])]

default _item(_) := -1

_item(finding) := finding.item if is_number(finding.item)

# A finding of an operator's package may have any shape. It counts all the same.
_reason(finding, effect) := {
	"rule": finding.rule,
	"code": finding.code,
	"effect": effect,
	"message": finding.message,
	"item": finding.item,
} if {
	is_string(finding.rule)
	is_string(finding.code)
	is_string(finding.message)
	finding.item in (_indices | {-1})
} else := {
	"rule": "site/unknown",
	"code": "malformed_finding",
	"effect": effect,
	"message": sprintf("a finding lacks %s: %s", [_lacking(finding), substring(json.marshal(finding), 0, 200)]),
	"item": -1,
}

# What a finding doesn't have, or has of another type.
_lacking(finding) := concat(", ", [key |
	some key in ["rule", "code", "message", "item"]
	not _has(finding, key)
])

_has(finding, key) if {
	key != "item"
	is_string(finding[key])
}

_has(finding, "item") if finding.item in (_indices | {-1})

_uncovered_reason(item, i, effect) := {
	"rule": "scope/outside",
	"code": "outside_scope",
	"effect": effect,
	"message": sprintf("%s is outside this session's directories", [_subject(item)]),
	"item": i,
} if {
	item.kind == "path"
	input.paths[item.path].space == "outside"
} else := {
	"rule": "scope/unknown",
	"code": "path_unknown",
	"effect": effect,
	"message": sprintf("%s leads to a place that is not known", [_subject(item)]),
	"item": i,
} if {
	item.kind == "path"
	input.paths[item.path].space == "unknown"
} else := {
	"rule": "approvals/required",
	"code": "approval_required",
	"effect": effect,
	"message": concat("", [_subject(item), " is not approved", _place(item), _peculiarity(item)]),
	"item": i,
}

_subject(item) := concat(" of ", [item.verb, input.paths[item.path].real]) if {
	item.kind == "path"
} else := item.verb if {
	item.verb != ""
} else := "a command"

_place(item) := " in an unknown directory" if {
	item.kind == "command"
	item.caveats.cwd_unknown
} else := concat(" ", [" in", item.directory]) if {
	item.kind == "command"
	item.directory != ""
} else := ""

# What keeps a path from being covered where other paths are, and a command whatever its name.
_peculiarity(item) := ": the file has another name somewhere (hard link)" if {
	item.kind == "path"
	input.paths[item.path].caveats.hard_link
} else := ": it is no ordinary file" if {
	item.kind == "path"
	input.paths[item.path].caveats.special
} else := concat("", [": ", concat("; ", told)]) if {
	item.kind == "command"
	told := array.concat(_doings(item), _caveats(item))
	told != []
} else := ""

# Accesses of a command that prompt. An access outside, or to an unknown path, is an item of its own.
_doings(item) := [text | some touch, _ in item.touches; text := _telling_touches[touch]]

default _telling_touches := {}

_telling_touches := object.remove(
	data.policyd.config.words.touches,
	data.policyd.config.spaces.readable[input.session.audience],
)

_caveats(item) := [text | some caveat, _ in item.caveats; text := _telling[caveat]]

# Left out are caveats that exclude no cover, the unknown working directory, which the reason for the place
# has, and reaches, for which there are findings. A protected directory excludes all covers but those of readers.
_telling := object.remove(data.policyd.config.words.caveats, object.union(_excluding_none, {
	"cwd_unknown": true,
	"reaches_outside": true,
	"reaches_secret": true,
	"reaches_unknown": true,
	"secret_excludable": true,
}))

_excluding_none := object.remove(data.policyd.config.caveats.safe_verbs, ["protected_directory"])
