package policyd.rules_test

import data.policyd.main
import data.policyd.testing

_namespaces_permission_facts(case) := testing.call({
	"tool": testing.tool({
		"name": "session/request_permission",
		"kind": "acp",
		"protocol": "acp",
		"namespace": "session",
		"act": "shell",
	}),
	"method": testing.method({"permission": {"asks": true, "raw_input": case.raw_input}}),
	"session": testing.session({"interactive": object.get(case, "interactive", true)}),
	"messy": object.get(case, "messy", false),
	"complete": object.get(case, "complete", true),
	"items": array.concat([testing.other({"kind": "method", "verb": "session/request_permission"})], case.items),
})

_namespaces_permission_cases := {
	"what is covered": {"raw_input": true, "items": [testing.command({})], "effect": "allow", "select": "allow_once"},
	"what is not covered": {
		"raw_input": true,
		"items": [testing.command({"verb": "make"})],
		"effect": "prompt",
		"select": "",
	},
	"one of two": {
		"raw_input": true,
		"items": [testing.command({}), testing.command({"caveats": {"only_titled": true}})],
		"effect": "prompt",
		"select": "",
	},
	"messy": {"raw_input": true, "messy": true, "items": [testing.command({})], "effect": "prompt", "select": ""},
	"incomplete": {
		"raw_input": true,
		"complete": false,
		"items": [testing.command({})],
		"effect": "prompt",
		"select": "",
	},
	"what is denied": {
		"raw_input": true,
		"items": [testing.command({"verb": "env", "caveats": {"reads_environment": true}})],
		"effect": "deny",
		"select": "reject_once",
	},
	"a title alone": {
		"raw_input": false,
		"items": [testing.command({"caveats": {"only_titled": true}})],
		"effect": "allow",
		"select": "",
	},
	"a title that is denied": {
		"raw_input": false,
		"items": [testing.command({"verb": "env", "caveats": {"only_titled": true, "reads_environment": true}})],
		"effect": "deny",
		"select": "reject_once",
	},
	"nothing at all": {"raw_input": false, "items": [], "effect": "allow", "select": ""},
	"nobody is there": {
		"raw_input": false,
		"interactive": false,
		"items": [],
		"effect": "deny",
		"select": "reject_once",
	},
	"nobody is there, and nothing has to be asked": {
		"raw_input": true,
		"interactive": false,
		"items": [testing.command({})],
		"effect": "allow",
		"select": "allow_once",
	},
	"nobody is there to ask": {
		"raw_input": true,
		"interactive": false,
		"items": [testing.command({"verb": "make"})],
		"effect": "deny",
		"select": "reject_once",
	},
}

test_namespaces_permission_has_cases if count(_namespaces_permission_cases) > 0

# N8
test_namespaces_permission[name] if {
	some name, case in _namespaces_permission_cases
	decision := main.decision with input as _namespaces_permission_facts(case)
	decision.effect == case.effect
	decision.route.select == case.select
	decision.route.mode == {"deny": "block", "prompt": "collaborative", "allow": "collaborative"}[case.effect]
}

# N3: what is blocked gets an error, and no answer.
test_namespaces_permission_of_a_blocked_method_selects_nothing if {
	case := _namespaces_permission_cases["what is covered"]
	decision := main.decision with input as _namespaces_permission_facts(case)
		with data.policyd.settings.namespaces as {"session/request_permission": "block"}
	decision.effect == "deny"
	decision.route == {"mode": "block", "peer": "", "select": ""}
	decision.jsonrpc_error.data.reason == "namespace_blocked"
}
