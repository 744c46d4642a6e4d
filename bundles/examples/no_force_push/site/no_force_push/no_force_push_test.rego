package site.no_force_push

import data.policyd.testing

_pushes := {
	"plain": {"form": {}, "caveats": {}, "effect": "prompt", "codes": {"approval_required"}},
	"approved": {"form": {}, "caveats": {}, "approved": true, "effect": "allow", "codes": set()},
	"forced": {"form": {"--force": "none"}, "caveats": {}, "effect": "deny", "codes": {"forced_push"}},
	"forced, and approved": {
		"form": {"--force": "none"},
		"caveats": {},
		"approved": true,
		"effect": "deny",
		"codes": {"forced_push"},
	},
	"with a lease": {"form": {"--force-with-lease": "value?"}, "caveats": {}, "effect": "deny", "codes": {"forced_push"}},
	"mirrored": {"form": {"--mirror": "none"}, "caveats": {}, "effect": "deny", "codes": {"forced_push"}},
	"unknown option": {"form": {}, "caveats": {"unknown_option": true}, "effect": "deny", "codes": {"forced_push"}},
	"refspec, approved": {
		"form": {"<remote>": "url", "<refspec>": "value"},
		"caveats": {},
		"approved": true,
		"effect": "prompt",
		"codes": {"push_names_refspec"},
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
	line := testing.shell([testing.command({"verb": "rm", "form": {"--force": "none"}})])
	denied := deny with input as line
	denied == set()
	asked := prompt with input as line
	asked == set()
}
