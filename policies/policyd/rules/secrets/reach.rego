package policyd.rules

# METADATA
# title: Recursion that reaches a secret
# description: Prompts. The hint suggests an exclusion with which the command reaches no secret, if there is one.
# custom:
#   id: secrets/reach
#   codes: [reaches_secret]
#   remedy: name the files, or leave the secret files out if the hint names an option for it
prompt contains {
	"rule": "secrets/reach",
	"code": "reaches_secret",
	"message": sprintf("%s reaches a secret file", [item.verb]),
	"item": i,
	"hint": _secrets_reach_hint(item),
} if {
	"reach" in input.about
	some i, item in input.items
	item.caveats.reaches_secret
}

# METADATA
# title: Recursion that leads out
# description: A match that is outside every space, through a symbolic link for instance.
# custom:
#   id: secrets/reach
#   codes: [reaches_outside]
#   remedy: name the files, or a smaller directory
prompt contains {
	"rule": "secrets/reach",
	"code": "reaches_outside",
	"message": sprintf("%s reaches files outside this session's directories", [item.verb]),
	"item": i,
	"hint": "name the files or a smaller directory",
} if {
	"reach" in input.about
	some i, item in input.items
	item.caveats.reaches_outside
}

# METADATA
# title: Recursion without a known end
# description: The walk ended at its bound, so the rest is not known.
# custom:
#   id: secrets/reach
#   codes: [reaches_unknown]
#   remedy: name the files, or a smaller directory
prompt contains {
	"rule": "secrets/reach",
	"code": "reaches_unknown",
	"message": sprintf("%s reaches more files than could be looked at", [item.verb]),
	"item": i,
	"hint": "name the files or a smaller directory",
} if {
	"reach" in input.about
	some i, item in input.items
	item.caveats.reaches_unknown
}

# An exclusion is advised only if extraction found that it works for each command that reaches a secret, and if all of
# them are one program whose option is known.
default _secrets_reach_hint(_) := "name the files, or a directory without secret files"

_secrets_reach_hint(item) := sprintf("leave secret files out with %s", [concat(" ", options)]) if {
	every reaching in [other | some other in input.items; other.caveats.reaches_secret] {
		reaching.verb == item.verb
		reaching.caveats.secret_excludable
	}
	option := data.policyd.config.exclusions.options[item.verb]
	options := [sprintf(option, [name]) | some name in data.policyd.config.exclusions.names]
}
