package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

# V8
test_shell_messy_asks_for_the_whole_call if {
	finding := {
		"rule": "shell/messy",
		"code": "messy",
		"message": "complex command: only one-shot approval available",
		"item": -1,
	}
	finding in rules.prompt with input as testing.call({"messy": true})
	not finding in rules.prompt with input as testing.shell([testing.command({})])
}
