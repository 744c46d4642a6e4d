package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_secrets_reach_cases := {
	"a secret, with an exclusion that works": {
		"item": testing.command({"verb": "rg", "caveats": {"reaches_secret": true, "secret_excludable": true}}),
		"asked": {["reaches_secret", "leave secret files out with --glob '!.env*' --glob '!*.pem' --glob '!*.key'"]},
	},
	"a secret, with an exclusion that does not work": {
		"item": testing.command({"verb": "rg", "caveats": {"reaches_secret": true}}),
		"asked": {["reaches_secret", "name the files, or a directory without secret files"]},
	},
	"a secret, in a program whose exclusion is not known": {
		"item": testing.command({"verb": "zip", "caveats": {"reaches_secret": true, "secret_excludable": true}}),
		"asked": {["reaches_secret", "name the files, or a directory without secret files"]},
	},
	"outside": {
		"item": testing.command({"verb": "rg", "caveats": {"reaches_outside": true}}),
		"asked": {["reaches_outside", "name the files or a smaller directory"]},
	},
	"unknown": {
		"item": testing.command({"verb": "rg", "caveats": {"reaches_unknown": true}}),
		"asked": {["reaches_unknown", "name the files or a smaller directory"]},
	},
	"a search tool": {
		"item": testing.other({"kind": "path", "verb": "read", "path": 0, "caveats": {"reaches_unknown": true}}),
		"asked": {["reaches_unknown", "name the files or a smaller directory"]},
	},
	"nothing": {
		"item": testing.command({"verb": "rg", "caveats": {"shallow": true}}),
		"asked": set(),
	},
}

test_secrets_reach_has_cases if count(_secrets_reach_cases) > 0

# S3
test_secrets_reach[name] if {
	some name, case in _secrets_reach_cases
	asked := {[finding.code, finding.hint] |
		some finding in rules.prompt
		finding.rule == "secrets/reach"
		finding.item == 0
	} with input as testing.call({"items": [case.item], "paths": [testing.path({})]})
	asked == case.asked
}

# One exclusion would not help if two programs reach secrets.
test_secrets_reach_of_two_programs if {
	reaching := {"reaches_secret": true, "secret_excludable": true}
	hints := {finding.hint |
		some finding in rules.prompt
		finding.rule == "secrets/reach"
	} with input as testing.call({
		"items": [testing.command({"verb": verb, "caveats": reaching}) | some verb in ["rg", "grep"]],
		"paths": [],
	})
	hints == {"name the files, or a directory without secret files"}
}
