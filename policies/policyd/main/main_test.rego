package policyd.main_test

import data.policyd.main
import data.policyd.testing

# One line per way through the entrypoint: what it decides, and with which codes.
_main_cases := {
	"everything covered": {
		"input": testing.shell([testing.command({}), testing.command({"verb": "true"})]),
		"effect": "allow",
		"codes": [],
		"uncovered": [],
	},
	"everything covered, unattended": {
		"input": testing.call({
			"session": testing.session({"interactive": false}),
			"items": [testing.command({})],
		}),
		"effect": "allow",
		"codes": [],
		"uncovered": [],
	},
	"one item uncovered": {
		"input": testing.shell([testing.command({}), testing.command({"verb": "git push", "caveats": {"network": true}})]),
		"effect": "prompt",
		"codes": ["approval_required"],
		"uncovered": [1],
	},
	"unattended": {
		"input": testing.call({
			"session": testing.session({"interactive": false}),
			"items": [testing.command({"verb": "git push"})],
		}),
		"effect": "deny",
		"codes": ["approval_required_unattended", "approval_required"],
		"uncovered": [0],
	},
	"a deny beats a cover": {
		"input": testing.file("read", {"class": {"secret": ".env"}}),
		"effect": "deny",
		"codes": ["secret_file"],
		"uncovered": [],
	},
	"a deny beats a prompt": {
		"input": testing.call({
			"messy": true,
			"items": [testing.command({"verb": "env", "caveats": {"reads_environment": true}})],
		}),
		"effect": "deny",
		"codes": ["secret_environment"],
		"uncovered": [0],
	},
	"a prompt finding beats a cover": {
		"input": testing.file("write", {"op": "write", "class": {"protected": "AGENTS.md"}}),
		"effect": "prompt",
		"codes": ["protected_file"],
		"uncovered": [],
	},
	"messy": {
		"input": testing.call({"messy": true, "items": [testing.command({})]}),
		"effect": "prompt",
		"codes": ["messy", "approval_required"],
		"uncovered": [0],
	},
	"incomplete": {
		"input": testing.call({"complete": false, "items": [testing.command({})]}),
		"effect": "prompt",
		"codes": ["facts_incomplete"],
		"uncovered": [],
	},
	"incomplete and unattended": {
		"input": testing.call({
			"complete": false,
			"items": [testing.command({})],
			"session": testing.session({"interactive": false}),
		}),
		"effect": "deny",
		"codes": ["approval_required_unattended", "facts_incomplete"],
		"uncovered": [],
	},
	"no items": {
		"input": testing.call({"about": ["shell"]}),
		"effect": "prompt",
		"codes": ["facts_incomplete"],
		"uncovered": [],
	},
	"a comment alone": {
		"input": testing.call({"about": ["shell", "nothing"]}),
		"effect": "allow",
		"codes": [],
		"uncovered": [],
	},
	"nothing, but messy": {
		"input": testing.call({"about": ["shell", "nothing"], "messy": true}),
		"effect": "prompt",
		"codes": ["facts_incomplete", "messy"],
		"uncovered": [],
	},
	"nothing, but incomplete": {
		"input": testing.call({"about": ["shell", "nothing"], "complete": false}),
		"effect": "prompt",
		"codes": ["facts_incomplete"],
		"uncovered": [],
	},
	"nothing of another tool": {
		"input": testing.call({"about": ["mcp", "nothing"], "tool": testing.tool({"kind": "mcp"})}),
		"effect": "prompt",
		"codes": ["facts_incomplete"],
		"uncovered": [],
	},
	"a one-shot approval answers findings, items and doubts": {
		"input": testing.call({
			"messy": true,
			"complete": false,
			"items": [testing.command({"verb": "rm"})],
			"paths": [testing.path({"op": "write", "class": {"protected_always": ".git"}})],
			"approvals": [testing.approval({"once": true})],
		}),
		"effect": "allow",
		"codes": [],
		"uncovered": [],
	},
	"a one-shot approval answers what has no items": {
		"input": testing.call({"complete": false, "approvals": [testing.approval({"once": true})]}),
		"effect": "allow",
		"codes": [],
		"uncovered": [],
	},
	"a one-shot approval answers no deny": {
		"input": testing.call({
			"items": [testing.command({"verb": "cat"})],
			"paths": [testing.path({"class": {"secret": ".env"}})],
			"approvals": [testing.approval({"once": true})],
		}),
		"effect": "deny",
		"codes": ["secret_file"],
		"uncovered": [],
	},
	"a remembered approval answers no finding": {
		"input": testing.call({
			"items": [testing.command({"verb": "tee"})],
			"paths": [testing.path({"op": "write", "class": {"protected_always": ".git"}})],
			"approvals": [testing.approval({"verb": "tee", "anywhere": true})],
		}),
		"effect": "prompt",
		"codes": ["protected_always"],
		"uncovered": [],
	},
	"outside": {
		"input": testing.file("read", {"real": "/x", "space": "outside"}),
		"effect": "prompt",
		"codes": ["outside_scope"],
		"uncovered": [0],
	},
	"unknown": {
		"input": testing.file("read", {"space": "unknown"}),
		"effect": "prompt",
		"codes": ["path_unknown"],
		"uncovered": [0],
	},
}

# The lists of the bundle grow; these tests are about how covers count.
_main_safe_verbs := {"linux": {"git status": [{"form": {}, "needs": {}}]}}

test_main_has_cases if count(_main_cases) > 0

test_main[name] if {
	some name, case in _main_cases
	decision := main.decision with input as case.input with data.policyd.config.safe_verbs as _main_safe_verbs
	decision.effect == case.effect
	[reason.code | some reason in decision.reasons] == case.codes
	decision.uncovered == case.uncovered
	every reason in decision.reasons {
		object.keys(reason) == {"rule", "code", "effect", "message", "item"}
		reason.effect == case.effect
	}
	object.keys(decision) == {
		"effect",
		"reasons",
		"covered",
		"uncovered",
		"choices",
		"hint",
		"route",
		"jsonrpc_error",
		"obligations",
		"refusal_hint",
	}
	(decision.choices == []) == case.effect != "prompt"
}

_main_allowed := testing.shell([testing.command({}), testing.command({"verb": "true"})])

# D2: whatever is left out of facts that would be allowed, nothing is.
test_main_never_allows_partial_facts if {
	decision := main.decision with input as _main_allowed
	decision.effect == "allow"
	every key in ["tool", "session", "about", "messy", "complete", "items", "paths"] {
		partial := main.decision with input as object.remove(_main_allowed, [key])
		_main_undecided(key, partial)
	}
	nothing := main.decision with input as {}
	nothing.effect == "deny"
	null_input := main.decision with input as null
	null_input.effect == "deny"
}

# The kind of the tool is no condition of a built-in command cover.
_main_undecided("tool", _)

_main_undecided(key, decision) if {
	key != "tool"
	decision.effect in {"prompt", "deny"}
	count(decision.reasons) > 0
}

test_main_never_allows_partial_items if {
	every key in ["kind", "verb", "form", "touches", "caveats"] {
		item := object.remove(testing.command({}), [key])
		partial := main.decision with input as object.union(_main_allowed, {"items": [item]})
		partial.effect == "prompt"
		partial.uncovered == [0]
	}
}

test_main_covered_lists_pairs if {
	decision := main.decision with input as testing.call({
		"items": [testing.command({}), testing.command({"verb": "true"})],
		"approvals": [testing.approval({}), testing.approval({"once": true})],
	})
		with data.policyd.config.safe_verbs as _main_safe_verbs
	decision.covered == {
		[0, "approvals/once"],
		[0, "approvals/remembered"],
		[0, "safe_verbs/read"],
		[1, "approvals/once"],
		[1, "side_effects/none"],
	}
}

_main_site(findings) := decision if {
	decision := main.decision with input as _main_allowed with data.site as {"team": findings}
}

_main_finding := {"rule": "site/team", "code": "frozen", "message": "the tree is frozen", "item": 0}

test_main_gathers_operators_packages if {
	denied := _main_site({"deny": {_main_finding}})
	denied.effect == "deny"
	denied.reasons == [object.union(_main_finding, {"effect": "deny"})]
	asked := _main_site({"prompt": {_main_finding}})
	asked.effect == "prompt"
	asked.choices == ["once", "deny"]
	covered := main.decision with input as testing.shell([testing.command({"verb": "deploy"})])
		with data.site as {"team": {"cover": {[0, "site/team"]}}}
	covered.effect == "allow"
	covered.covered == {[0, "site/team"]}
}

# The engine's list of operators' sets saves the search for them, and changes nothing.
test_main_decides_the_same_where_sets_are_known[name] if {
	some name, case in _main_cases
	searched := main.decision with input as case.input
	known := main.decision with input as case.input
		with data.policyd.config.operators as {"present": false, "deny": [], "prompt": [], "cover": []}
	known == searched
}

test_main_asks_the_sets_that_are_known if {
	denied := _main_known({_main_finding}, set())
	denied.effect == "deny"
	asked := _main_known(set(), {_main_finding})
	asked.effect == "prompt"
	silent := _main_known(set(), set())
	silent.effect == "allow"
}

_main_known(deny, prompt) := decision if {
	operators := {"present": true, "deny": ["team"], "prompt": ["team"], "cover": []}
	decision := main.decision with input as _main_allowed with data.site as {"team": {"deny": deny, "prompt": prompt}}
		with data.policyd.config.operators as operators
}

test_main_counts_malformed_findings if {
	every finding in [
		"no",
		{},
		object.remove(_main_finding, ["rule"]),
		object.union(_main_finding, {"rule": 1}),
		object.union(_main_finding, {"code": 1}),
		object.union(_main_finding, {"message": null}),
		object.union(_main_finding, {"item": 7}),
		object.union(_main_finding, {"item": "0"}),
	] {
		denied := _main_site({"deny": {finding}})
		denied.effect == "deny"
		denied.reasons[0].code == "malformed_finding"
		asked := _main_site({"prompt": {finding}})
		asked.effect == "prompt"
	}
	named := _main_site({"deny": {{"rule": "site/team", "item": 7}}})
	named.reasons[0].message == `a finding lacks code, message, item: {"item":7,"rule":"site/team"}`
	every findings in [{"deny": true}, {"deny": {}}, {"deny": [_main_finding]}] {
		denied := _main_site(findings)
		denied.effect == "deny"
		denied.reasons[0].code == "malformed_package"
	}
	asked := _main_site({"prompt": {"a": _main_finding}})
	asked.effect == "prompt"
	asked.reasons[0].code == "malformed_package"
}

test_main_ignores_covers_that_are_none if {
	every pair in [[5, "site/team"], [0], ["0", "site/team"], "0", [0, 1], [-1, "approvals/once"]] {
		decision := main.decision with input as testing.file("write", {"op": "write", "class": {"protected": "AGENTS.md"}})
			with data.site as {"team": {"cover": {pair}}}
		decision.effect == "prompt"
		bare := main.decision with input as testing.shell([testing.command({"verb": "deploy"})])
			with data.site as {"team": {"cover": {pair}}}
		bare.uncovered == [0]
	}
}

test_main_counts_no_cover_of_a_messy_call if {
	decision := main.decision with input as testing.call({"messy": true, "items": [testing.command({})]})
		with data.site as {"team": {"cover": {[0, "site/team"], [0, "approvals/once"]}}}
	decision.effect == "prompt"
	decision.covered == set()
}

test_main_is_deterministic_in_the_order_of_items if {
	decision := main.decision with input as testing.call({
		"items": [testing.command({}), testing.command({})],
		"paths": [
			testing.path({"real": "/b", "item": 1, "class": {"secret": ".env"}}),
			testing.path({"real": "/z", "item": 0, "class": {"secret": ".env"}}),
			testing.path({"real": "/a", "item": 1, "class": {"secret": ".env"}}),
		],
	})
	[[reason.item, reason.message] | some reason in decision.reasons] == [
		[0, "/z is a secret file (.env)"],
		[1, "/a is a secret file (.env)"],
		[1, "/b is a secret file (.env)"],
	]
}
