package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_secrets_file_cases := {
	"read by a file tool": {
		"input": testing.file("read", {"real": "/srv/proj/.env", "class": {"secret": ".env"}}),
		"denied": {[0, "/srv/proj/.env is a secret file (.env)"]},
	},
	"written": {
		"input": testing.file("write", {"real": "/srv/proj/a.pem", "op": "write", "class": {"secret": "*.pem"}}),
		"denied": {[0, "/srv/proj/a.pem is a secret file (*.pem)"]},
	},
	"listed directory": {
		"input": testing.file("list", {
			"real": "/home/dev/.ssh",
			"op": "list",
			"space": "outside",
			"class": {"secret_directory": ".ssh/"},
		}),
		"denied": {[0, "/home/dev/.ssh is in a secret directory (.ssh/)"]},
	},
	"operand of a command": {
		"input": testing.shell_paths({"verb": "cat"}, [testing.path({}), testing.path({
			"real": "/srv/proj/.env",
			"class": {"secret": ".env"},
		})]),
		"denied": {[0, "/srv/proj/.env is a secret file (.env)"]},
	},
	"in a messy and incomplete line": {
		"input": testing.call({"messy": true, "complete": false, "paths": [testing.path({
			"real": "/srv/proj/.env",
			"class": {"secret": ".env"},
			"item": -1,
		})]}),
		"denied": {[-1, "/srv/proj/.env is a secret file (.env)"]},
	},
	"no secret": {
		"input": testing.file("read", {"class": {"sensitive": "/etc", "protected": "AGENTS.md"}}),
		"denied": set(),
	},
}

test_secrets_file_has_cases if count(_secrets_file_cases) > 0

# S1, S2
test_secrets_file[name] if {
	some name, case in _secrets_file_cases
	denied := {[finding.item, finding.message] |
		some finding in rules.deny
		finding.rule == "secrets/file"
		finding.code == "secret_file"
	} with input as case.input
	denied == case.denied
}
