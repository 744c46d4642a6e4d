package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_safe_verbs_read_tables := {
	"linux": {
		"sort": [{"form": {"-r": "none", "-k": "value", "<file>": "read"}, "needs": {}}],
		"git branch": [
			{"form": {"-a": "none"}, "needs": {}},
			{"form": {"--list": "none", "<pattern>": "pattern"}, "needs": {"--list": "none"}},
		],
	},
	"darwin": {"sw_vers": [{"form": {}, "needs": {}}]},
	"windows": {"dir": [{"form": {}, "needs": {}}]},
}

_safe_verbs_read_cases := {
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

test_safe_verbs_read_has_cases if count(_safe_verbs_read_cases) > 0

# V5
test_safe_verbs_read[name] if {
	some name, case in _safe_verbs_read_cases
	facts := testing.shell([testing.command(case.item)])
	_safe_verbs_read_covers(facts) == case.covered
}

test_safe_verbs_read_by_audience_and_platform if {
	item := testing.command({"verb": "sort"})
	public := testing.session({"audience": "public"})
	not _safe_verbs_read_covers(testing.call({"items": [item], "session": public}))
	in_session := testing.command({"verb": "sort", "touches": {"list.session": true}})
	_safe_verbs_read_covers(testing.call({"items": [in_session], "session": public}))
	mac := testing.session({"platform": "darwin"})
	_safe_verbs_read_covers(testing.call({"items": [testing.command({"verb": "sw_vers"})], "session": mac}))
	windows := testing.session({"platform": "windows"})
	not _safe_verbs_read_covers(testing.call({"items": [item], "session": windows}))
	_safe_verbs_read_covers(testing.call({"items": [testing.command({"verb": "dir"})], "session": windows}))
}

test_safe_verbs_read_leaves_messy_lines if {
	facts := testing.shell([testing.command({"verb": "sort"})])
	_safe_verbs_read_covers(facts)
	not _safe_verbs_read_covers(object.union(facts, {"messy": true}))
}

default _safe_verbs_read_covers(_) := false

_safe_verbs_read_covers(facts) if {
	[0, "safe_verbs/read"] in rules.cover with input as facts
		with data.policyd.config.safe_verbs as _safe_verbs_read_tables
}

_safe_verbs_read_plain := {"linux": {"sort": {"-r": "none", "-k": "value", "<file>": "read"}, "true": {}}}

_safe_verbs_read_lines := {
	"plain forms": {"line": {"forms": {"sort": {"-r": "none"}, "true": {}}}, "covered": true},
	"nothing touched": {"line": {"touches": {}, "forms": {"sort": {}}}, "covered": true},
	"a tolerated caveat": {"line": {"caveats": {"shallow": true}, "forms": {"sort": {}}}, "covered": true},
	"an option that no form holds": {"line": {"forms": {"sort": {"-o": "write"}, "true": {}}}, "covered": false},
	"a kind that no form holds": {"line": {"forms": {"sort": {"-k": "none"}}}, "covered": false},
	"a verb that is on no list": {"line": {"forms": {"sort": {}, "shred": {}}}, "covered": false},
	"a place that is not readable": {"line": {"touches": {"read.outside": true}, "forms": {"sort": {}}}, "covered": false},
	"a caveat": {"line": {"caveats": {"network": true}, "forms": {"sort": {}}}, "covered": false},
	"a line that is not told": {"line": {"told": false, "forms": {"sort": {}}}, "covered": false},
}

test_safe_verbs_read_has_lines if count(_safe_verbs_read_lines) > 0

# The commands themselves are on no list here, so that only the line can cover them.
test_safe_verbs_read_line[name] if {
	items := [testing.command({"verb": "a"}), testing.other({}), testing.command({"verb": "b"})]
	some name, case in _safe_verbs_read_lines
	covered := rules.cover with input as testing.line(items, case.line)
		with data.policyd.config.plain_verbs as _safe_verbs_read_plain
	covered == {[i, "safe_verbs/read"] | some i in [0, 2]; case.covered}
}

test_safe_verbs_read_leaves_messy_told_lines if {
	items := [testing.command({"verb": "a"}), testing.command({"verb": "b"})]
	facts := testing.line(items, {"forms": {"sort": {}}})
	covered := rules.cover with input as object.union(facts, {"messy": true})
		with data.policyd.config.plain_verbs as _safe_verbs_read_plain
	covered == set()
}

# If the line as a whole is not covered, each command may be.
test_safe_verbs_read_each_of_a_told_line if {
	items := [testing.command({"verb": "sort"}), testing.command({"verb": "shred"})]
	covered := rules.cover with input as testing.line(items, {"forms": {"sort": {}, "shred": {}}})
		with data.policyd.config.plain_verbs as _safe_verbs_read_plain
		with data.policyd.config.safe_verbs as _safe_verbs_read_tables
	covered == {[0, "safe_verbs/read"]}
}

test_safe_verbs_read_uses_the_lists_of_the_bundle if {
	[0, "safe_verbs/read"] in rules.cover with input as testing.shell([testing.command({"form": {"--short": "none"}})])
	not [0, "safe_verbs/read"] in rules.cover with input as testing.shell([testing.command({"verb": "git push"})])
}

# Every form of every list has the shape that the rule reads.
test_safe_verbs_read_lists_are_well_formed if {
	object.keys(data.policyd.config.safe_verbs) == {"linux", "darwin", "windows"}
	count(data.policyd.config.safe_verbs.linux) > 0
	every verbs in data.policyd.config.safe_verbs {
		every verb, forms in verbs {
			count(forms) > 0
			every form in forms {
				object.keys(form) == {"form", "needs"}
				object.subset(form.form, form.needs)
				every name, kind in form.form {
					not kind in {"write", "write?", "delete", "execute", "execute?", "code", "command", "unknown", "mixed"}
					name != ""
				}
			}
			verb != ""
		}
	}
}
