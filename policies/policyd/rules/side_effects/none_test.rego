package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_side_effects_none_cases := {
	"echo": {"item": {"verb": "echo", "form": {"-n": "none", "<text>": "value"}}, "covered": true},
	"echo to no file": {"item": {"verb": "echo", "touches": {"write.none": true, "list.project": true}}, "covered": true},
	"echo to a file": {"item": {"verb": "echo", "touches": {"write.project": true}}, "covered": false},
	"echo from a file": {"item": {"verb": "echo", "touches": {"read.project": true}}, "covered": false},
	"echo of what only the run tells": {"item": {"verb": "echo", "caveats": {"dynamic_word": true}}, "covered": false},
	"echo of a secret": {"item": {"verb": "echo", "caveats": {"secret_variable": true}}, "covered": false},
	"printf": {"item": {"verb": "printf", "form": {"<format>": "value", "<argument>": "value"}}, "covered": true},
	"printf into a variable": {"item": {"verb": "printf", "form": {"-v": "unknown"}}, "covered": false},
	"true": {"item": {"verb": "true"}, "covered": true},
	"cd": {"item": {"verb": "cd", "form": {"<directory>": "dir"}}, "covered": true},
	"echo of names outside": {"item": {"verb": "echo", "touches": {"list.outside": true}}, "covered": false},
	"echo of another command's output": {"item": {"verb": "echo", "caveats": {"output_word": true}}, "covered": true},
	"cd from an unknown place": {
		"item": {"verb": "cd", "form": {"<directory>": "dir"}, "caveats": {"cwd_unknown": true}},
		"covered": true,
	},
	"cd to an unknown place": {
		"item": {"verb": "cd", "form": {"<directory>": "unknown"}, "caveats": {"cwd_unknown": true}},
		"covered": false,
	},
	"under an assignment": {"item": {"verb": "true", "caveats": {"assigns": true}}, "covered": false},
	"another verb": {"item": {"verb": "touch"}, "covered": false},
	"no command": {"item": {"kind": "tool", "verb": "echo"}, "covered": false},
}

test_side_effects_none_has_cases if count(_side_effects_none_cases) > 0

# V7
test_side_effects_none[name] if {
	some name, case in _side_effects_none_cases
	_side_effects_none_covers(testing.shell([testing.command(case.item)])) == case.covered
}

test_side_effects_none_leaves_messy_lines if {
	facts := testing.shell([testing.command({"verb": "true"})])
	_side_effects_none_covers(facts)
	not _side_effects_none_covers(object.union(facts, {"messy": true}))
}

default _side_effects_none_covers(_) := false

_side_effects_none_covers(facts) if [0, "side_effects/none"] in rules.cover with input as facts
