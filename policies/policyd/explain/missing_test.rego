package policyd.explain_test

import data.policyd.explain
import data.policyd.testing

_missing_cases := {
	"a safe verb": {"items": [testing.command({})], "texts": set()},
	"a verb that is on no list": {
		"items": [testing.command({"verb": "git push", "caveats": {"network": true}})],
		"texts": {"git push is not on the list of safe verbs", "it reaches the network"},
	},
	"an option": {
		"items": [testing.command({"form": {"--frobnicate": "unknown"}})],
		"texts": {"--frobnicate is in no safe form of git status"},
	},
	"a place": {
		"items": [testing.command({"touches": {"write.project": true, "read.outside": true}})],
		"texts": {"it writes in the project", "it reads outside this session's directories"},
	},
	"a caveat that has no words yet": {
		"items": [testing.command({"caveats": {"brand_new": true}})],
		"texts": {"brand_new"},
	},
	"a command in a protected directory": {
		"items": [testing.command({"verb": "ls", "caveats": {"protected_directory": true, "shallow": true}})],
		"texts": {"it works in a directory whose files could switch the gate off or run later"},
	},
	"a tool": {
		"items": [testing.other({"kind": "tool", "verb": "Frobnicate"})],
		"texts": {"Frobnicate needs an answer of a person"},
	},
}

test_missing_has_cases if count(_missing_cases) > 0

test_missing[name] if {
	some name, case in _missing_cases
	found := {entry.text | some entry in explain.missing} with input as testing.call({"items": case.items})
	found == case.texts
}

# A form that needs an option, and one that is safe only apart.
test_missing_together if {
	forms := {"linux": {"git status": [{"form": {"-x": "none"}, "needs": {"--y": "none"}}]}}
	found := {entry.text | some entry in explain.missing} with input as testing.call({
		"items": [testing.command({"form": {"-x": "none"}})],
	})
		with data.policyd.config.safe_verbs as forms
	found == {"no safe form of git status is exactly this: it needs --y"}
}

# The same place is asked of one audience and not of another.
test_missing_for_an_audience if {
	found := {entry.text | some entry in explain.missing} with input as testing.call({
		"session": testing.session({"audience": "public"}),
		"items": [testing.command({"touches": {"list.project": true, "read.outside": true}})],
	})
	found == {
		"it lists in the project, which audience public may not without a question",
		"it reads outside this session's directories",
	}
}
