package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_approvals_project_cases := {
	"a tool": {"item": {"verb": "go build"}, "covered": true},
	"no tool of a project": {"item": {"verb": "terraform apply"}, "covered": false},
	"a listed option": {"item": {"verb": "go build", "form": {"-race": "none"}}, "covered": true},
	"an option of no list": {"item": {"verb": "go build", "form": {"-weird": "unknown"}}, "covered": false},
	"an option that runs another program": {
		"item": {"verb": "go test", "form": {"-exec": "execute"}},
		"covered": false,
	},
	"an option that is left out": {"item": {"verb": "go build", "form": {"-overlay": "read"}}, "covered": false},
	"over the network": {"item": {"verb": "golangci-lint run", "caveats": {"network": true}}, "covered": true},
	"inline code": {"item": {"verb": "python", "caveats": {"inline_code": true}}, "covered": false},
	"a dangerous variable": {"item": {"verb": "go build", "caveats": {"assigns": true}}, "covered": false},
	"privileged": {"item": {"verb": "make", "caveats": {"privileged": true}}, "covered": false},
	"elsewhere": {"item": {"verb": "go test", "caveats": {"inner": true}}, "covered": false},
	"writes outside": {"item": {"verb": "go build", "touches": {"write.outside": true}}, "covered": false},
	"deletes": {"item": {"verb": "go build", "touches": {"delete.project": true}}, "covered": false},
	"a script of the project": {
		"item": {"verb": "python", "form": {"<script>": "execute"}, "touches": {"execute.project": true}},
		"covered": true,
	},
	"a script of nowhere": {"item": {"verb": "python", "form": {"<script>": "execute"}}, "covered": false},
	"a program of the project": {
		"item": {
			"verb": "./run.sh",
			"form": {"<word>": "unknown"},
			"touches": {"execute.project": true},
			"caveats": {"named_by_path": true, "unknown_program": true},
		},
		"covered": true,
	},
	"a program named by a path elsewhere": {
		"item": {"verb": "./run.sh", "caveats": {"named_by_path": true, "unknown_program": true}},
		"covered": false,
	},
	"a task that builds": {"item": {"verb": "make test", "values": {"<target>": ["test"]}}, "covered": true},
	"a task that deploys": {"item": {"verb": "make deploy", "values": {"<target>": ["deploy"]}}, "covered": false},
	"a value that would lead elsewhere": {
		"item": {"verb": "make test", "values": {"<target>": ["test"]}, "caveats": {"outside_value": true}},
		"covered": false,
	},
	"a task that adds": {"item": {"verb": "nx add x", "values": {"<words>": ["add", "x"]}}, "covered": false},
	"a part of a task's name": {"item": {"verb": "make tf-apply", "values": {"<target>": ["tf-apply"]}}, "covered": false},
	"a name that only begins so": {"item": {"verb": "make address", "values": {"<target>": ["address"]}}, "covered": true},
	"a program of the project that deletes": {
		"item": {
			"verb": "./manage.py",
			"form": {"<word>": "unknown"},
			"values": {"<word>": ["flush"]},
			"touches": {"execute.project": true},
			"caveats": {"named_by_path": true, "unknown_program": true},
		},
		"covered": false,
	},
	"a program of the project that brings in line": {
		"item": {
			"verb": "./tool",
			"form": {"<word>": "unknown"},
			"values": {"<word>": ["sync"]},
			"touches": {"execute.project": true},
			"caveats": {"named_by_path": true, "unknown_program": true},
		},
		"covered": true,
	},
	"a program of the project that is to publish what it brings in line": {
		"item": {
			"verb": "./tool",
			"form": {"<word>": "unknown"},
			"values": {"<word>": ["sync", "publish"]},
			"touches": {"execute.project": true},
			"caveats": {"named_by_path": true, "unknown_program": true},
		},
		"covered": false,
	},
	"a task that brings in line": {"item": {"verb": "make sync", "values": {"<target>": ["sync"]}}, "covered": false},
	"one of two tasks deploys": {
		"item": {"verb": "make test deploy-all", "values": {"<target>": ["test", "deploy-all"]}},
		"covered": false,
	},
	"a definition that switches": {
		"item": {"verb": "cmake", "form": {"-D": "unknown"}, "values": {"-D": ["WITH_TESTS:BOOL=On"]}},
		"covered": true,
	},
	"a definition that names a program": {
		"item": {"verb": "cmake", "form": {"-D": "unknown"}, "values": {"-D": ["CMAKE_AR=rm"]}},
		"covered": false,
	},
	"a definition of no list that switches a launcher": {
		"item": {"verb": "cmake", "form": {"-D": "unknown"}, "values": {"-D": ["LAUNCHER=ON"]}},
		"covered": false,
	},
	"text of the line for a compiler": {
		"item": {"verb": "gcc", "form": {"<source>": "code"}, "caveats": {"inline_code": true}},
		"covered": false,
	},
	"verbosity that prints the environment": {
		"item": {"verb": "dotnet build", "form": {"--verbosity": "value"}, "values": {"--verbosity": ["diag"]}},
		"covered": false,
	},
	"a runner without a task": {"item": {"verb": "make"}, "covered": true},
	"a phase": {"item": {"verb": "mvn verify", "values": {"<goal>": ["verify"]}}, "covered": true},
	"a phase that is not listed": {"item": {"verb": "mvn site", "values": {"<goal>": ["site"]}}, "covered": false},
	"an argument that installs": {
		"item": {
			"verb": "python",
			"form": {"<script>": "execute", "<argument>": "value"},
			"touches": {"execute.project": true},
			"values": {"<argument>": ["install"]},
		},
		"covered": false,
	},
	"stages a file": {"item": {"verb": "git add", "form": {"<path>": "pathspec"}}, "covered": true},
	"stages a file that is missing": {
		"item": {"verb": "git add", "form": {"<path>": "pathspec"}},
		"path": {"caveats": {"missing": true}},
		"covered": false,
	},
	"stages a directory": {
		"item": {"verb": "git add", "form": {"<path>": "pathspec"}},
		"path": {"caveats": {"directory": true}},
		"covered": false,
	},
	"stages what a pattern names": {
		"item": {"verb": "git add", "form": {"<path>": "pathspec"}},
		"path": {"op": "list"},
		"covered": false,
	},
	"stages everything": {"item": {"verb": "git add", "form": {"--all": "none"}}, "path": {"item": 1}, "covered": false},
	"stages an ignored file": {
		"item": {"verb": "git add", "form": {"--force": "none", "<path>": "pathspec"}},
		"covered": false,
	},
	"stages in a repository that is not trusted": {
		"item": {"verb": "git add", "form": {"<path>": "pathspec"}, "caveats": {"git_untrusted": true}},
		"covered": false,
	},
	"stages at a risk": {
		"item": {"verb": "git add", "form": {"<path>": "pathspec"}, "risks": {"new": true}},
		"covered": false,
	},
	"stages that a file goes": {
		"item": {"verb": "git rm", "form": {"--cached": "none", "<path>": "pathspec"}},
		"covered": true,
	},
	"deletes a file by git": {
		"item": {"verb": "git rm", "form": {"<path>": "delete"}, "touches": {"delete.project": true}},
		"covered": false,
	},
	"commits": {"item": {"verb": "git commit", "form": {"--message": "value"}}, "covered": false},
	"a path": {"item": {"kind": "path", "path": 0}, "covered": false},
}

test_approvals_project_has_cases if count(_approvals_project_cases) > 0

# A12
test_approvals_project[name] if {
	some name, case in _approvals_project_cases
	facts := testing.call({
		"items": [testing.command(case.item)],
		"paths": [testing.path(object.get(case, "path", {}))],
		"approvals": [_approvals_project_trust({})],
	})
	_approvals_project_covers(facts) == case.covered
	not _approvals_project_covers(object.union(facts, {"messy": true}))
	not _approvals_project_covers(object.union(facts, {"approvals": []}))
}

_approvals_project_scopes := {
	"this project": {"approval": {}, "session": {}, "covered": true},
	"a directory above": {"approval": {"directory": "/srv"}, "session": {}, "covered": true},
	"another project": {"approval": {"directory": "/srv/other"}, "session": {}, "covered": false},
	"anywhere": {"approval": {"anywhere": true, "directory": ""}, "session": {}, "covered": false},
	"a single call": {"approval": {"once": true}, "session": {}, "covered": false},
	"a verb of this name": {"approval": {"tool": "shell"}, "session": {}, "covered": false},
	"a public session": {"approval": {}, "session": {"audience": "public"}, "covered": false},
	"a team": {"approval": {}, "session": {"audience": "team"}, "covered": true},
}

test_approvals_project_has_scopes if count(_approvals_project_scopes) > 0

test_approvals_project_scope[name] if {
	some name, case in _approvals_project_scopes
	facts := testing.call({
		"items": [testing.command({"verb": "go build"})],
		"approvals": [_approvals_project_trust(case.approval)],
		"session": testing.session(case.session),
	})
	_approvals_project_covers(facts) == case.covered
}

test_approvals_project_verbs_of_operators if {
	facts := testing.call({
		"items": [testing.command({
			"verb": "mytool check",
			"form": {"--deep": "unknown"},
			"caveats": {"unknown_program": true},
		})],
		"approvals": [_approvals_project_trust({})],
	})
	not _approvals_project_covers(facts)
	_approvals_project_covers(facts) with data.policyd.settings.shell.project_verbs as ["mytool check"]
	outside := testing.call({
		"items": [testing.command({"verb": "mytool check", "touches": {"write.outside": true}})],
		"approvals": [_approvals_project_trust({})],
	})
	not _approvals_project_covers(outside) with data.policyd.settings.shell.project_verbs as ["mytool check"]
	runs := testing.call({
		"items": [testing.command({"verb": "mytool check", "form": {"--exec": "execute"}})],
		"approvals": [_approvals_project_trust({})],
	})
	not _approvals_project_covers(runs) with data.policyd.settings.shell.project_verbs as ["mytool check"]
}

# A directory that may be read is no part of the project.
test_approvals_project_works_in_the_workspace if {
	elsewhere := [
		{"list.grant_read": true},
		{"list.read_also": true},
		{"list.project": true, "list.grant_read_write": true},
	]
	every touches in elsewhere {
		facts := testing.call({
			"items": [testing.command({"verb": "go build", "touches": touches})],
			"approvals": [_approvals_project_trust({})],
		})
		not _approvals_project_covers(facts)
	}
}

_approvals_project_writes := {
	"a file": {"path": {"op": "write", "caveats": {"missing": true}}, "covered": true},
	"a file over a link": {"path": {"op": "write", "links": ["/srv/proj/link"]}, "covered": false},
	"a protected file": {"path": {"op": "write", "class": {"protected": "AGENTS.md"}}, "covered": false},
	"a file that is deleted": {"path": {"op": "delete", "caveats": {"directory": true}}, "covered": false},
}

test_approvals_project_has_writes if count(_approvals_project_writes) > 0

test_approvals_project_writes[name] if {
	some name, case in _approvals_project_writes
	facts := testing.call({
		"items": [testing.command({
			"verb": "go build",
			"form": {"-o": "write"},
			"touches": {"list.project": true, "write.project": true},
		})],
		"paths": [testing.path(object.union({"item": 0}, case.path))],
		"approvals": [_approvals_project_trust({})],
	})
	_approvals_project_covers(facts) == case.covered
}

# What a line has just written may be the settings of a reader in it, and of no tool that is trusted anyway.
test_approvals_project_lines if {
	write := testing.command({
		"verb": "touch",
		"form": {"<path>": "write"},
		"touches": {"list.project": true, "write.project": true},
	})
	path := testing.path({"item": 0, "op": "write", "caveats": {"missing": true}})
	rows := {"go build": true, "cat": true, "rg": false}
	every verb, covered in rows {
		facts := testing.call({
			"items": [write, testing.command({"verb": verb})],
			"paths": [path],
			"approvals": [_approvals_project_trust({})],
		})
		_approvals_project_covers(facts) == covered
	}
}

_approvals_project_trust(overrides) := testing.approval(object.union(
	{"tool": "project", "verb": "project tools"},
	overrides,
))

default _approvals_project_covers(_) := false

_approvals_project_covers(facts) if {
	[0, "approvals/project"] in rules.cover with input as facts
}
