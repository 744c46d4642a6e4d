package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_secrets_environment_cases := {
	"the whole environment": {
		"items": [testing.command({"verb": "env", "caveats": {"reads_environment": true}})],
		"denied": {[0, "env prints the environment, which may hold secrets"]},
	},
	"a variable with a secret-like name": {
		"items": [testing.command({}), testing.command({"verb": "echo", "caveats": {"secret_variable": true}})],
		"denied": {[1, "echo uses a variable with a secret-like name"]},
	},
	"other caveats": {
		"items": [testing.command({"verb": "env", "caveats": {"assigns": true, "runs_anything": true}})],
		"denied": set(),
	},
}

test_secrets_environment_has_cases if count(_secrets_environment_cases) > 0

# S2
test_secrets_environment[name] if {
	some name, case in _secrets_environment_cases
	denied := {[finding.item, finding.message] |
		some finding in rules.deny
		finding.rule == "secrets/environment"
		finding.code == "secret_environment"
	} with input as testing.shell(case.items)
	denied == case.denied
}

test_secrets_environment_holds_in_a_messy_line if {
	some finding in rules.deny with input as testing.call({
		"messy": true,
		"items": [testing.command({"caveats": {"reads_environment": true}})],
	})
	finding.rule == "secrets/environment"
}
