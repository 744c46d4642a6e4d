package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_namespaces_mode_p1 := {"id": "p1", "capabilities": {"fs": true, "terminal": true}}

_namespaces_mode_cases := {
	"fs": {
		"tool": {"namespace": "fs"},
		"settings": {},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"terminal": {
		"tool": {"namespace": "terminal"},
		"settings": {},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"terminal without the protocol": {
		"tool": {"namespace": "terminal", "protocol": ""},
		"settings": {},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"session": {
		"tool": {"namespace": "session"},
		"settings": {},
		"covers": {"namespaces/forward"},
		"codes": set(),
		"routes": {["collaborative", "", "", ""]},
	},
	"fs, made collaborative": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "collaborative"},
		"covers": {"namespaces/forward"},
		"codes": set(),
		"routes": {["collaborative", "", "", ""]},
	},
	"a method before its namespace": {
		"tool": {"namespace": "fs", "name": "fs/read_text_file"},
		"settings": {"fs": "block", "fs/read_text_file": "collaborative"},
		"covers": {"namespaces/forward"},
		"codes": set(),
		"routes": {["collaborative", "", "", ""]},
	},
	"the namespace of another method": {
		"tool": {"namespace": "fs", "name": "fs/write_text_file"},
		"settings": {"fs": "block", "fs/read_text_file": "collaborative"},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"session, blocked": {
		"tool": {"namespace": "session"},
		"settings": {"session": "block"},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"the settings of a namespace before what is built in for a method": {
		"tool": {"namespace": "session", "name": "session/request_permission"},
		"settings": {"session": "block"},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"handled by the host": {
		"tool": {"namespace": "terminal"},
		"settings": {"terminal": "self_handle"},
		"covers": {"namespaces/self_handle"},
		"codes": set(),
		"routes": {["self_handle", "", "", ""]},
	},
	"a mode that is not served there": {
		"tool": {"namespace": "session"},
		"settings": {"session": "self_handle"},
		"covers": set(),
		"codes": {"mode_not_served"},
		"routes": {["block", "", "self_handle", "mode_not_served"]},
	},
	"one peer": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "single_pass_through"},
		"covers": {"namespaces/forward"},
		"codes": set(),
		"routes": {["single_pass_through", "p1", "", ""]},
	},
	"broadcast without the flag": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "unsafe_debug"},
		"covers": set(),
		"codes": {"mode_not_served"},
		"routes": {["block", "", "unsafe_debug", "mode_not_served"]},
	},
	"broadcast": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "unsafe_debug"},
		"flag": true,
		"covers": {"namespaces/unsafe_debug"},
		"codes": set(),
		"routes": {["unsafe_debug", "", "", ""]},
	},
	"the flag alone": {
		"tool": {"namespace": "fs"},
		"settings": {},
		"flag": true,
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"a flag that is no truth": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": "unsafe_debug"},
		"flag": "true",
		"covers": set(),
		"codes": {"mode_not_served"},
		"routes": {["block", "", "unsafe_debug", "mode_not_served"]},
	},
	"a mode that nobody knows": {
		"tool": {"namespace": "fs"},
		"settings": {"fs": 1},
		"covers": set(),
		"codes": {"mode_not_served"},
		"routes": {["block", "", "1", "mode_not_served"]},
	},
	"a namespace that nobody knows": {
		"tool": {"namespace": "devices"},
		"settings": {},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"a served mode of a namespace that nobody knows": {
		"tool": {"namespace": "devices"},
		"settings": {"devices": "collaborative"},
		"covers": set(),
		"codes": {"mode_not_served"},
		"routes": {["block", "", "collaborative", "mode_not_served"]},
	},
	"a method that the catalog does not name, of a blocked namespace": {
		"tool": {"namespace": "fs", "known": false},
		"settings": {},
		"covers": set(),
		"codes": {"namespace_blocked"},
		"routes": {["block", "", "block", "namespace_blocked"]},
	},
	"a namespace of another kind of tool": {
		"tool": {"namespace": "session", "kind": "other"},
		"settings": {},
		"covers": set(),
		"codes": set(),
		"routes": set(),
	},
	"no namespace, whatever the settings say": {
		"tool": {"namespace": "", "known": true},
		"settings": {"": "collaborative", "m": "collaborative"},
		"covers": set(),
		"codes": set(),
		"routes": set(),
	},
	"a tool that the catalog names": {
		"tool": {"namespace": "", "known": true},
		"settings": {},
		"covers": set(),
		"codes": set(),
		"routes": set(),
	},
}

test_namespaces_mode_has_cases if count(_namespaces_mode_cases) > 0

# N1, N2, N3, N4, N7
test_namespaces_mode[name] if {
	some name, case in _namespaces_mode_cases
	found := {
		"covers": {rule | some [_, rule] in rules.cover},
		"codes": {finding.code | some finding in rules.deny},
		"routes": {[route.mode, route.peer, mode, reason] |
			some route in rules.route
			mode := object.get(route, ["error", "data", "mode"], "")
			reason := object.get(route, ["error", "data", "reason"], "")
		},
	} with input as testing.acp(case.tool, {"peers": [_namespaces_mode_p1]})
		with data.policyd.settings.namespaces as case.settings
		with data.policyd.settings.unsafe_debug_broadcast as object.get(case, "flag", false)
	found.covers == case.covers
	found.codes == case.codes
	found.routes == case.routes
}

test_namespaces_mode_tells_the_sender_why if {
	rules.route == {{"mode": "block", "peer": "", "select": "", "denied": "", "error": {
		"code": -32001,
		"message": "namespace fs, mode block: m is blocked: namespace fs is in mode block",
		"data": {"namespace": "fs", "mode": "block", "method": "m", "reason": "namespace_blocked"},
	}}} with input as testing.acp({"namespace": "fs"}, {})
}

test_namespaces_mode_blocks_without_settings if {
	codes := {finding.code | some finding in rules.deny} with input as testing.acp({"namespace": "session"}, {})
		with data.policyd.settings as {}
	codes == {"namespace_blocked"}
}

# Whatever the settings say, there is one way or none.
test_namespaces_mode_gives_one_way if {
	modes := {"block", "collaborative", "single_pass_through", "self_handle", "unsafe_debug", "", "pass", "allow"}
	every namespace in ["fs", "terminal", "session", "devices"] {
		every mode in modes {
			count(rules.route) == 1 with input as testing.acp({"namespace": namespace}, {})
				with data.policyd.settings.namespaces as {namespace: mode}
		}
	}
}
