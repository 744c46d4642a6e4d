package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_namespaces_pass_cases := {
	"an unknown method": {"tool": {"known": false}, "item": {}, "passes": true},
	"a tool that the catalog names": {"tool": {"known": true}, "item": {}, "passes": false},
	"an unknown tool": {"tool": {"known": false, "protocol": ""}, "item": {}, "passes": false},
	"an unknown tool of another kind": {"tool": {"known": false, "kind": "other"}, "item": {}, "passes": false},
	"of a namespace": {"tool": {"known": false, "namespace": "devices"}, "item": {}, "passes": false},
	"no method": {"tool": {"known": false}, "item": {"kind": "path"}, "passes": false},
	"with a caveat": {"tool": {"known": false}, "item": {"caveats": {"new": true}}, "passes": false},
	"that touches something": {"tool": {"known": false}, "item": {"touches": {"write.project": true}}, "passes": false},
}

test_namespaces_pass_has_cases if count(_namespaces_pass_cases) > 0

# N2
test_namespaces_pass[name] if {
	some name, case in _namespaces_pass_cases
	facts := object.union(testing.acp(case.tool, {}), {"items": [testing.other(object.union(
		{"kind": "method", "verb": "m"},
		case.item,
	))]})
	covered := {i | some [i, "namespaces/pass"] in rules.cover} with input as facts
	covered == {0} == case.passes
}

test_namespaces_pass_is_a_way_of_its_own if {
	rules.route == {{
		"mode": "pass",
		"peer": "",
		"select": "",
		"denied": "",
		"error": null,
	}} with input as testing.acp({"known": false}, {})
}
