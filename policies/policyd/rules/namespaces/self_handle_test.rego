package policyd.rules_test

import data.policyd.main
import data.policyd.testing

_namespaces_self_handle_decision(tool, items, paths) := decision if {
	facts := testing.call({
		"tool": testing.tool(object.union({"name": "m", "kind": "acp", "protocol": "acp", "namespace": "fs"}, tool)),
		"items": array.concat([testing.other({"kind": "method", "verb": "m"})], items),
		"paths": paths,
	})
	decision := main.decision with input as facts with data.policyd.settings.namespaces as {"fs": "self_handle"}
}

_namespaces_self_handle_path(overrides) := object.union({"item": 1}, overrides)

# N6: what a method does is judged as of any other call.
_namespaces_self_handle_cases := {
	"reading in the project": {"act": "read", "path": {}, "effect": "allow"},
	"reading outside": {"act": "read", "path": {"space": "outside"}, "effect": "prompt"},
	"reading a secret": {"act": "read", "path": {"class": {"secret": ".env"}}, "effect": "deny"},
	"writing in the project": {"act": "write", "path": {"op": "write"}, "effect": "allow"},
	"writing what could switch the gate off": {
		"act": "write",
		"path": {"op": "write", "class": {"protected_always": ".git"}},
		"effect": "prompt",
	},
	"writing under a grant to read": {
		"act": "write",
		"path": {"op": "write", "space": "grant_read"},
		"effect": "deny",
	},
	"writing through a method that reads": {"act": "read", "path": {"op": "write"}, "effect": "prompt"},
}

test_namespaces_self_handle_has_cases if count(_namespaces_self_handle_cases) > 0

test_namespaces_self_handle[name] if {
	some name, case in _namespaces_self_handle_cases
	path := testing.path(_namespaces_self_handle_path(case.path))
	decision := _namespaces_self_handle_decision({"act": case.act}, [testing.path_item(path, 0)], [path])
	decision.effect == case.effect
}

test_namespaces_self_handle_names_the_mode if {
	path := testing.path({"item": 1})
	decision := _namespaces_self_handle_decision({"act": "read"}, [testing.path_item(path, 0)], [path])
	decision.route == {"mode": "self_handle", "peer": "", "select": ""}
	asked := testing.path({"item": 1, "space": "outside"})
	question := _namespaces_self_handle_decision({"act": "read"}, [testing.path_item(asked, 0)], [asked])
	question.route.mode == "self_handle"
}

test_namespaces_self_handle_refuses_what_it_does_not_know if {
	facts := object.union(testing.acp({"namespace": "fs"}, {}), {"items": [testing.other({
		"kind": "method",
		"verb": "fs/chmod",
		"caveats": {"unknown_method": true},
	})]})
	decision := main.decision with input as facts with data.policyd.settings.namespaces as {"fs": "self_handle"}
	decision.effect == "deny"
	decision.jsonrpc_error.data.reason == "method_not_served"
	forwarded := main.decision with input as facts with data.policyd.settings.namespaces as {"fs": "collaborative"}
	forwarded.effect == "allow"
}

# A remembered answer for commands holds for a terminal, too.
test_namespaces_self_handle_counts_approvals if {
	facts := object.union(testing.acp({"namespace": "fs", "act": "shell"}, {}), {
		"items": [testing.other({"kind": "method", "verb": "m"}), testing.command({"verb": "make"})],
		"approvals": [testing.approval({"verb": "make"})],
	})
	decision := main.decision with input as facts with data.policyd.settings.namespaces as {"fs": "self_handle"}
	decision.effect == "allow"
	without := main.decision with input as object.union(facts, {"approvals": []})
		with data.policyd.settings.namespaces as {"fs": "self_handle"}
	without.effect == "prompt"
}

test_namespaces_self_handle_covers_the_method_alone if {
	plain := testing.command({"verb": "make", "touches": {}})
	decision := _namespaces_self_handle_decision({"act": "shell"}, [plain], [])
	decision.effect == "prompt"
	decision.uncovered == [1]
}
