package policyd.rules_test

import data.policyd.main
import data.policyd.testing

_contain_required_cases := {
	"enforced": {"session": {"enforces": {"contain": true}, "profiles": {"read_only": true}}, "effect": "allow"},
	"by nobody": {"session": {}, "effect": "prompt"},
	"not on this machine": {"session": {"enforces": {"contain": true}}, "effect": "prompt"},
}

test_contain_required_has_cases if count(_contain_required_cases) > 0

test_contain_required[name] if {
	some name, case in _contain_required_cases
	facts := testing.call({"items": [testing.command({})], "session": testing.session(case.session)})
	required := main.decision with input as facts with data.policyd.settings.contain as "required"
	required.effect == case.effect
	wished := main.decision with input as facts
	wished.effect == "allow"
}
