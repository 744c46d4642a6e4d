# METADATA
# title: What kept an item from being covered
# description: >-
#   For people who read an explanation, and never for a decision: the entrypoint doesn't use it. Each text is one
#   condition that a cover would have needed.
package policyd.explain

# METADATA
# title: Caveats
# description: >-
#   A caveat excludes every cover that does not list it. Those that safe verbs tolerate are left out, except for the
#   directory in which only readers are covered.
missing contains {"item": i, "text": text} if {
	some i, item in input.items
	some caveat, _ in item.caveats
	not _tolerated[caveat]
	text := object.get(data.policyd.config.words.caveats, caveat, caveat)
}

# METADATA
# title: Spaces
# description: Accesses that this audience may not read without a question.
missing contains {"item": i, "text": text} if {
	some i, item in input.items
	some touch, _ in item.touches
	not data.policyd.config.spaces.readable[input.session.audience][touch]
	not _writable(item, touch)
	[operation, space] := split(touch, ".")
	text := sprintf("it %s %s%s", [
		object.get(data.policyd.config.words.operations, operation, operation),
		object.get(data.policyd.config.words.spaces, space, space),
		_narrowed(touch),
	])
}

# METADATA
# title: Verbs
# description: A command that is on no list of safe verbs.
missing contains {"item": i, "text": text} if {
	some i, item in input.items
	item.kind == "command"
	item.verb != ""
	not _forms[item.verb]
	text := sprintf("%s is not on the list of safe verbs", [item.verb])
}

# METADATA
# title: Options
# description: An option or operand that is in no safe form of the verb.
missing contains {"item": i, "text": text} if {
	some i, item in input.items
	item.kind == "command"
	forms := _forms[item.verb]
	some option, kind in item.form
	not _known(forms, option, kind)
	text := sprintf("%s is in no safe form of %s", [option, item.verb])
}

# METADATA
# title: Options together
# description: Each option is in a safe form, but no form has them all, or one needs an option that is missing.
missing contains {"item": i, "text": text} if {
	some i, item in input.items
	item.kind == "command"
	forms := _forms[item.verb]
	every option, kind in item.form {
		_known(forms, option, kind)
	}
	not _safe(forms, item.form)
	text := sprintf("no safe form of %s is exactly this: %s", [item.verb, _needed(forms)])
}

# METADATA
# title: Tools
# description: A tool, host or method without an approval.
missing contains {"item": i, "text": text} if {
	some i, item in input.items
	item.kind in {"tool", "fetch", "method"}
	text := sprintf("%s needs an answer of a person", [item.verb])
}

_tolerated := object.remove(data.policyd.config.caveats.safe_verbs, ["protected_directory"])

_forms := object.get(data.policyd.config.safe_verbs, input.session.platform, {})

_known(forms, option, kind) if {
	some safe in forms
	safe.form[option] == kind
}

_safe(forms, form) if {
	some safe in forms
	object.subset(safe.form, form)
	object.subset(form, safe.needs)
}

_needed(forms) := sprintf("it needs %s", [concat(" or ", needs)]) if {
	needs := {need | some safe in forms; some need, _ in safe.needs}
	needs != set()
} else := "its options are safe one by one only"

# What is not asked of another audience is asked of this one for who it is.
_narrowed(touch) := sprintf(", which audience %s may not without a question", [input.session.audience]) if {
	some readable in data.policyd.config.spaces.readable
	readable[touch]
} else := ""

# A file tool may write where the workspace is.
_writable(item, touch) if {
	item.kind == "path"
	data.policyd.config.spaces.writable[input.session.audience][touch]
}
