package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_safe_verbs_operators_tables := {
	"common": {"sort": [{"form": {"-r": "none", "-k": "value", "<file>": "read"}}]},
	"linux": {"git branch": [
		{"form": {"-a": "none"}, "needs": {}},
		{"form": {"--list": "none", "<pattern>": "pattern"}, "needs": {"--list": "none"}},
	]},
	"darwin": {"sw_vers": [{"form": {}, "needs": {}}]},
	"windows": {"dir": [{"form": {}, "needs": {}}]},
}

_safe_verbs_operators_cases := {
	"a safe form": {
		"item": {"verb": "sort", "form": {"-r": "none", "<file>": "read"}, "touches": {"read.project": true}},
		"covered": true,
	},
	"nothing given": {"item": {"verb": "sort"}, "covered": true},
	"an option that no form holds": {"item": {"verb": "sort", "form": {"-o": "write"}}, "covered": false},
	"a kind that no form holds": {"item": {"verb": "sort", "form": {"-k": "execute"}}, "covered": false},
	"a verb that is on no list": {"item": {"verb": "shred"}, "covered": false},
	"an empty verb": {"item": {"verb": ""}, "covered": false},
	"what the form needs is there": {
		"item": {"verb": "git branch", "form": {"--list": "none", "<pattern>": "pattern"}},
		"covered": true,
	},
	"what the form needs is missing": {"item": {"verb": "git branch", "form": {"<pattern>": "pattern"}}, "covered": false},
	"two forms don't add up": {
		"item": {"verb": "git branch", "form": {"-a": "none", "--list": "none"}},
		"covered": false,
	},
	"another platform": {"item": {"verb": "sw_vers"}, "covered": false},
	"reads outside": {"item": {"verb": "sort", "touches": {"read.outside": true}}, "covered": false},
	"reads an unknown place": {"item": {"verb": "sort", "touches": {"read.unknown": true}}, "covered": false},
	"lists under a grant": {"item": {"verb": "sort", "touches": {"list.grant_read": true}}, "covered": true},
	"writes": {"item": {"verb": "sort", "touches": {"write.project": true}}, "covered": false},
	"writes to no file": {"item": {"verb": "sort", "touches": {"write.none": true}}, "covered": true},
	"in a shallow directory": {"item": {"verb": "sort", "caveats": {"shallow": true}}, "covered": true},
	"reaches a secret": {"item": {"verb": "sort", "caveats": {"reaches_secret": true}}, "covered": false},
	"named by a path": {"item": {"verb": "sort", "caveats": {"named_by_path": true}}, "covered": false},
	"git that is not trusted": {"item": {"verb": "sort", "caveats": {"git_untrusted": true}}, "covered": false},
	"over the network": {"item": {"verb": "sort", "caveats": {"network": true}}, "covered": false},
	"a caveat of tomorrow": {"item": {"verb": "sort", "caveats": {"new": true}}, "covered": false},
	"no command": {"item": {"kind": "tool", "verb": "sort"}, "covered": false},
}

test_safe_verbs_operators_has_cases if count(_safe_verbs_operators_cases) > 0

# V5
test_safe_verbs_operators[name] if {
	some name, case in _safe_verbs_operators_cases
	facts := testing.shell([testing.command(case.item)])
	_safe_verbs_operators_covers(facts) == case.covered
}

test_safe_verbs_operators_by_audience_and_platform if {
	item := testing.command({"verb": "sort"})
	public := testing.session({"audience": "public"})
	not _safe_verbs_operators_covers(testing.call({"items": [item], "session": public}))
	in_session := testing.command({"verb": "sort", "touches": {"list.session": true}})
	_safe_verbs_operators_covers(testing.call({"items": [in_session], "session": public}))
	mac := testing.session({"platform": "darwin"})
	_safe_verbs_operators_covers(testing.call({"items": [testing.command({"verb": "sw_vers"})], "session": mac}))
	windows := testing.session({"platform": "windows"})
	not _safe_verbs_operators_covers(testing.call({"items": [item], "session": windows}))
	_safe_verbs_operators_covers(testing.call({"items": [testing.command({"verb": "dir"})], "session": windows}))
}

test_safe_verbs_operators_leaves_messy_lines if {
	facts := testing.shell([testing.command({"verb": "sort"})])
	_safe_verbs_operators_covers(facts)
	not _safe_verbs_operators_covers(object.union(facts, {"messy": true}))
}

default _safe_verbs_operators_covers(_) := false

_safe_verbs_operators_covers(facts) if {
	[0, "safe_verbs/operators"] in rules.cover with input as facts
		with data.policyd.settings.safe_verbs as _safe_verbs_operators_tables
}
