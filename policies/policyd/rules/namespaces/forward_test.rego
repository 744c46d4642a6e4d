package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_namespaces_forward_items := [
	testing.other({"kind": "method", "verb": "fs/write_text_file"}),
	testing.path_item(testing.path({"op": "write", "space": "outside"}), 0),
]

_namespaces_forward_covered(facts) := covered if {
	covered := {i | some [i, "namespaces/forward"] in rules.cover} with input as facts
		with data.policyd.settings.namespaces as {"fs": "collaborative"}
}

# What others serve is theirs to judge.
test_namespaces_forward_covers_what_a_method_does if {
	facts := object.union(testing.acp({"namespace": "fs", "act": "write"}, {}), {
		"items": _namespaces_forward_items,
		"paths": [testing.path({"op": "write", "space": "outside", "item": 1})],
	})
	_namespaces_forward_covered(facts) == {0, 1}
}

# N8
_namespaces_forward_permission_cases := {
	"nothing is known": {"raw_input": false, "interactive": true, "covered": {0, 1}},
	"nothing is known, and nobody is there": {"raw_input": false, "interactive": false, "covered": set()},
	"the raw input is known": {"raw_input": true, "interactive": true, "covered": {0}},
	"the raw input is known, and nobody is there": {"raw_input": true, "interactive": false, "covered": {0}},
}

test_namespaces_forward_has_permission_cases if count(_namespaces_forward_permission_cases) > 0

test_namespaces_forward_permission[name] if {
	some name, case in _namespaces_forward_permission_cases
	method := {"permission": {"asks": true, "raw_input": case.raw_input}}
	facts := object.union(testing.acp({"namespace": "session"}, method), {
		"session": testing.session({"interactive": case.interactive}),
		"items": [testing.other({"kind": "method", "verb": "m"}), testing.command({"verb": "rm"})],
	})
	_namespaces_forward_covered(facts) == case.covered
}
