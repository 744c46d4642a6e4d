package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_namespaces_mode_cases := {
	"fs": {
		"tool": {"namespace": "fs"},
		"settings": {},
		"covered": false,
		"codes": {"namespace_blocked"},
		"routes": {["block", "block", "namespace_blocked"]},
	},
	"terminal": {
		"tool": {"namespace": "terminal"},
		"settings": {},
		"covered": false,
		"codes": {"namespace_blocked"},
		"routes": {["block", "block", "namespace_blocked"]},
	},
	"terminal without the protocol": {
		"tool": {"namespace": "terminal", "protocol": ""},
		"settings": {},
		"covered": false,
		"codes": {"namespace_blocked"},
		"routes": {["block", "block", "namespace_blocked"]},
	},
	"session": {
		"tool": {"namespace": "session"},
		"settings": {},
		"covered": true,
		"codes": set(),
		"routes": {["collaborative", "", ""]},
	},
	"fs, made collaborative": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "collaborative"},
		"covered": true,
		"codes": set(),
		"routes": {["collaborative", "", ""]},
	},
	"session, blocked": {
		"tool": {"namespace": "session"},
		"settings": {"session": "block"},
		"covered": false,
		"codes": {"namespace_blocked"},
		"routes": {["block", "block", "namespace_blocked"]},
	},
	"a mode that is not served": {
		"tool": {"namespace": "terminal"},
		"settings": {"terminal": "self_handle"},
		"covered": false,
		"codes": {"mode_not_served"},
		"routes": {["block", "self_handle", "mode_not_served"]},
	},
	"one peer": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "single_pass_through"},
		"covered": false,
		"codes": {"mode_not_served"},
		"routes": {["block", "single_pass_through", "mode_not_served"]},
	},
	"broadcast": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "unsafe_debug"},
		"covered": false,
		"codes": {"mode_not_served"},
		"routes": {["block", "unsafe_debug", "mode_not_served"]},
	},
	"a mode that nobody knows": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": 1},
		"covered": false,
		"codes": {"mode_not_served"},
		"routes": {["block", "1", "mode_not_served"]},
	},
	"a namespace that nobody knows": {
		"tool": {"namespace": "devices"},
		"settings": {},
		"covered": false,
		"codes": {"namespace_blocked"},
		"routes": {["block", "block", "namespace_blocked"]},
	},
	"a method that the catalog does not name, of a blocked namespace": {
		"tool": {"namespace": "fs", "known": false},
		"settings": {},
		"covered": false,
		"codes": {"namespace_blocked"},
		"routes": {["block", "block", "namespace_blocked"]},
	},
	"a namespace of another kind of tool": {
		"tool": {"namespace": "session", "kind": "other"},
		"settings": {},
		"covered": false,
		"codes": set(),
		"routes": set(),
	},
	"no namespace, whatever the settings say": {
		"tool": {"namespace": "", "known": true},
		"settings": {"": "self_handle"},
		"covered": false,
		"codes": set(),
		"routes": set(),
	},
	"an unknown method": {
		"tool": {"namespace": "", "known": false},
		"settings": {},
		"covered": true,
		"codes": set(),
		"routes": {["pass", "", ""]},
	},
	"a tool that the catalog names": {
		"tool": {"namespace": "", "known": true},
		"settings": {},
		"covered": false,
		"codes": set(),
		"routes": set(),
	},
	"an unknown tool": {
		"tool": {"namespace": "", "known": false, "protocol": ""},
		"settings": {},
		"covered": false,
		"codes": set(),
		"routes": set(),
	},
	"an unknown tool of another kind": {
		"tool": {"namespace": "", "known": false, "kind": "other"},
		"settings": {},
		"covered": false,
		"codes": set(),
		"routes": set(),
	},
}

test_namespaces_mode_has_cases if count(_namespaces_mode_cases) > 0

# N1, N2, N3, N7
test_namespaces_mode[name] if {
	some name, case in _namespaces_mode_cases
	facts := _namespaces_mode_method(case.tool, {})
	found := {
		"covered": {0 | [0, "namespaces/mode"] in rules.cover},
		"codes": {finding.code | some finding in rules.deny},
		"routes": {[route.mode, mode, reason] |
			some route in rules.route
			mode := object.get(route, ["error", "data", "mode"], "")
			reason := object.get(route, ["error", "data", "reason"], "")
		},
	} with input as facts with data.policyd.settings.namespaces as case.settings
	found.covered == {0} == case.covered
	found.codes == case.codes
	found.routes == case.routes
}

test_namespaces_mode_tells_the_sender_why if {
	rules.route == {{"mode": "block", "peer": "", "select": "", "error": {
		"code": -32001,
		"message": "namespace fs: mode block",
		"data": {"namespace": "fs", "mode": "block", "method": "m", "reason": "namespace_blocked"},
	}}} with input as _namespaces_mode_method({"namespace": "fs"}, {})
}

test_namespaces_mode_blocks_without_settings if {
	facts := _namespaces_mode_method({"namespace": "session"}, {})
	codes := {finding.code | some finding in rules.deny} with input as facts
		with data.policyd.settings as {}
	codes == {"namespace_blocked"}
}

test_namespaces_mode_covers_plain_methods_alone if {
	every tool in [{"namespace": "session"}, {"namespace": "", "known": false}] {
		every item in [{"kind": "path"}, {"caveats": {"new": true}}, {"touches": {"write.project": true}}] {
			not [0, "namespaces/mode"] in rules.cover with input as _namespaces_mode_method(tool, item)
		}
	}
}

_namespaces_mode_method(tool, item) := testing.call({
	"tool": testing.tool(object.union({"name": "m", "kind": "acp", "protocol": "acp"}, tool)),
	"items": [testing.other(object.union({"kind": "method", "verb": "m"}, item))],
})
