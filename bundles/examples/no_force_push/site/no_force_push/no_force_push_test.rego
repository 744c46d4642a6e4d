package site.no_force_push

import data.policyd.testing

_pushes := {
	"plain": {"form": {"<to main>": "updates"}, "caveats": {}, "effect": "prompt", "codes": {"approval_required"}},
	"approved": {"form": {"<to main>": "updates"}, "caveats": {}, "approved": true, "effect": "allow", "codes": set()},
	"the branch that is checked out, approved": {
		"form": {"<to ?>": "updates"},
		"caveats": {},
		"approved": true,
		"effect": "allow",
		"codes": set(),
	},
	"forced": {"form": {"<to main>": "forces"}, "caveats": {}, "effect": "deny", "codes": {"forced_push"}},
	"forced, and approved": {
		"form": {"--force": "none", "<to main>": "forces"},
		"caveats": {},
		"approved": true,
		"effect": "deny",
		"codes": {"forced_push"},
	},
	"forced anywhere": {"form": {"<to ?>": "forces"}, "caveats": {}, "effect": "deny", "codes": {"forced_push"}},
	"forced and not": {
		"form": {"<to feature>": "updates", "<to main>": "mixed"},
		"caveats": {},
		"effect": "deny",
		"codes": {"forced_push"},
	},
	"deleted": {"form": {"<to master>": "deletes"}, "caveats": {}, "effect": "deny", "codes": {"forced_push"}},
	"unknown option": {
		"form": {"<to feature>": "updates"},
		"caveats": {"unknown_option": true},
		"effect": "deny",
		"codes": {"push_not_understood"},
	},
	"forced elsewhere, approved": {
		"form": {"<to feature>": "forces"},
		"caveats": {},
		"approved": true,
		"effect": "prompt",
		"codes": {"forced_push_elsewhere"},
	},
	"a tag deleted, approved": {
		"form": {"<to refs/tags/v1>": "deletes"},
		"caveats": {},
		"approved": true,
		"effect": "prompt",
		"codes": {"forced_push_elsewhere"},
	},
}

test_there_are_pushes if count(_pushes) > 0

test_pushes[name] if {
	some name, case in _pushes
	item := testing.command({"verb": "git push", "form": case.form, "caveats": case.caveats})
	remembered := [testing.approval({"verb": "git push"}) | case.approved]
	decision := data.policyd.main.decision with input as testing.call({"items": [item], "approvals": remembered})
	decision.effect == case.effect
	object.subset({reason.code | some reason in decision.reasons}, case.codes)
}

test_other_commands_are_not_concerned if {
	line := testing.shell([testing.command({"verb": "rm", "form": {"--force": "none", "<to main>": "forces"}})])
	denied := deny with input as line
	denied == set()
	asked := prompt with input as line
	asked == set()
}
