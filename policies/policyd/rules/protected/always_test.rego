package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_protected_always_cases := {
	"changed": {"op": "write", "caveats": {"exists": true}, "class": {"protected_always": ".git"}, "asked": true},
	"created": {"op": "write", "caveats": {"missing": true}, "class": {"protected_always": ".git"}, "asked": true},
	"deleted": {"op": "delete", "caveats": {}, "class": {"protected_always": ".git"}, "asked": true},
	"read": {"op": "read", "caveats": {}, "class": {"protected_always": ".git"}, "asked": false},
	"another file": {"op": "write", "caveats": {}, "class": {"sensitive": "/etc"}, "asked": false},
}

test_protected_always_has_cases if count(_protected_always_cases) > 0

# P11
test_protected_always[name] if {
	finding := {
		"rule": "protected/always",
		"code": "protected_always",
		"message": "/srv/proj/.git/config could switch the gate off or run later (.git)",
		"item": 0,
	}
	some name, case in _protected_always_cases
	path := testing.path({
		"real": "/srv/proj/.git/config",
		"op": case.op,
		"caveats": case.caveats,
		"class": case.class,
	})
	asked := {0 | finding in rules.prompt} with input as testing.shell_paths({"verb": "cp"}, [path])
	asked == {0} == case.asked
}

# What is meant is a file in the directory that is written, not the directory.
test_protected_always_below if {
	path := testing.path({
		"real": "/srv/proj",
		"op": "write",
		"caveats": {"exists": true, "directory": true, "holds": true},
		"class": {"protected_always": ".git"},
	})
	found := {finding.message | some finding in rules.prompt; finding.rule == "protected/always"} with input as testing.shell_paths({"verb": "tar"}, [path])
	found == {"files below /srv/proj may change that could switch the gate off or run later (.git)"}
}
