package policyd.rules

# METADATA
# title: Recursion that reaches a secret
# description: Asks, and the hint names what to leave out; with the exclusion the same command needs no question.
# custom:
#   id: secrets/reach
#   codes: [reaches_secret]
#   remedy: leave the secret files out, as the hint says
prompt contains {
	"rule": "secrets/reach",
	"code": "reaches_secret",
	"message": sprintf("%s reaches a secret file", [item.verb]),
	"item": i,
	"hint": sprintf("leave secret files out, for instance with %s", [_secrets_reach_exclusion(item.verb)]),
} if {
	"reach" in input.about
	some i, item in input.items
	item.caveats.reaches_secret
}

# METADATA
# title: Recursion that leads out
# description: A match that lies outside every space, through a symbolic link for instance.
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
# description: The walk ended at its bound, so what lies behind is not known.
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

_secrets_reach_exclusion(verb) := object.get(data.policyd.config.exclusions, verb, "a directory that holds none")
