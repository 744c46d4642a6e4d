package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_tools_internal_cases := {
	"internal": {"tool": {"kind": "internal"}, "item": {}, "covered": true},
	"internal, but not in the catalog": {"tool": {"kind": "internal", "known": false}, "item": {}, "covered": false},
	"another kind": {"tool": {"kind": "other"}, "item": {}, "covered": false},
	"MCP": {"tool": {"kind": "mcp"}, "item": {}, "covered": false},
	"with a caveat": {"tool": {"kind": "internal"}, "item": {"caveats": {"new": true}}, "covered": false},
	"that touches": {"tool": {"kind": "internal"}, "item": {"touches": {"write.project": true}}, "covered": false},
	"with a path": {"tool": {"kind": "internal"}, "item": {"kind": "path"}, "covered": false},
}

test_tools_internal_has_cases if count(_tools_internal_cases) > 0

# V12
test_tools_internal[name] if {
	some name, case in _tools_internal_cases
	facts := testing.call({"tool": testing.tool(case.tool), "items": [testing.other(case.item)]})
	covered := {0 | [0, "tools/internal"] in rules.cover} with input as facts
	covered == {0} == case.covered
}
