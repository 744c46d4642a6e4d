# METADATA
# title: Inputs for tests
# description: >-
#   Builds whole inputs from the part that a test is about. Every builder takes an object of overrides. It is undefined
#   for a key that facts don't have, so that a misspelt fact fails the test.
package policyd.testing

# METADATA
# description: A whole input for a session in /srv/proj. The index keys follow from tool, items and paths.
call(overrides) := object.union(input_without_keys, {"about": about}) if {
	input_without_keys := _typed(_call, overrides)
	about := object.get(overrides, "about", _about(input_without_keys))
}

# METADATA
# description: A whole input for one command line of these command items.
shell(items) := call({"items": items})

# METADATA
# description: A whole input for a line of these command items, with what they have in common.
line(items, told) := call({"items": items, "line": _typed(_line, told)})

# METADATA
# description: A whole input for one file tool on one path; the item follows from the path.
file(kind, path_overrides) := call({
	"tool": tool({"name": kind, "kind": kind}),
	"items": [path_item(single_path, 0)],
	"paths": [single_path],
}) if {
	single_path := path(path_overrides)
}

# METADATA
# description: A whole input for one command that accesses these paths and the project.
shell_paths(command_overrides, paths) := call({"items": [command(command_overrides)], "paths": paths})

# METADATA
# description: The tool facts, of a shell by default.
tool(overrides) := _typed(
	{
		"name": "Bash",
		"kind": "shell",
		"client": "claude-code",
		"protocol": "",
		"namespace": "",
		"known": true,
		"act": object.get(overrides, "kind", "shell"),
	},
	overrides,
)

# METADATA
# description: A whole input for an ACP method m of the protocol, with these facts about the tool and the method.
acp(tool_overrides, method_overrides) := call({
	"tool": tool(object.union({"name": "m", "kind": "acp", "protocol": "acp"}, tool_overrides)),
	"method": method(method_overrides),
	"items": [other({"kind": "method", "verb": "m"})],
})

# METADATA
# description: What routes an ACP method; by default a method that needs nothing.
method(overrides) := _typed(_method, overrides)

# METADATA
# description: A terminal that a method makes, uses or ends; a known one by default.
terminal(overrides) := _typed({"step": "use", "id": "t1", "known": true, "peer": ""}, overrides)

# METADATA
# description: The session facts, personal and attended by default.
session(overrides) := _typed(_session, overrides)

# METADATA
# description: A command item, git status in the project by default.
command(overrides) := _typed(
	{
		"kind": "command",
		"verb": "git status",
		"directory": "/srv/proj",
		"form": {},
		"touches": {"list.project": true},
		"caveats": {},
		"reaches": {},
		"within": {"/srv": true, "/srv/proj": true},
		"path": -1,
		"risks": {},
		"values": {},
	},
	overrides,
)

# METADATA
# description: An item of a kind other than command, without directory and form.
other(overrides) := _typed(
	{
		"kind": "tool",
		"verb": "Unknown",
		"directory": "",
		"form": {},
		"touches": {},
		"caveats": {},
		"reaches": {},
		"within": {},
		"path": -1,
		"risks": {},
		"values": {},
	},
	overrides,
)

# METADATA
# description: A path access, reading a file of the project by default.
path(overrides) := _typed(
	{
		"raw": "main.go",
		"real": "/srv/proj/main.go",
		"op": "read",
		"space": "project",
		"item": 0,
		"class": {},
		"links": [],
		"caveats": {},
	},
	overrides,
)

# METADATA
# description: The item of a path access that is at this index in paths.
path_item(facts, index) := other({
	"kind": "path",
	"verb": facts.op,
	"touches": {concat(".", [facts.op, facts.space]): true},
	"path": index,
})

# METADATA
# description: A remembered answer, for git status through a shell in /srv/proj by default.
approval(overrides) := _typed(
	{
		"id": "a1",
		"tool": "shell",
		"verb": "git status",
		"directory": "/srv/proj",
		"anywhere": false,
		"once": false,
		"risks": {},
	},
	overrides,
)

_call := {
	"schema": 1,
	"tool": tool({}),
	"session": _session,
	"method": _method,
	"about": [],
	"verbs": [],
	"names": [],
	"cwd": "/srv/proj",
	"messy": false,
	"complete": true,
	"doubts": [],
	"items": [],
	"paths": [],
	"approvals": [],
	"line": {"told": false, "touches": {}, "caveats": {}, "forms": {}},
}

_line := {"told": true, "touches": {"list.project": true}, "caveats": {}, "forms": {}}

_method := {
	"peers": [],
	"terminal": {"step": "", "id": "", "known": false, "peer": ""},
	"permission": {"asks": false, "raw_input": false},
}

_session := {
	"id": "s-1",
	"agent": "claude-code",
	"audience": "personal",
	"interactive": true,
	"platform": "linux",
	"project_dir": "/srv/proj",
	"session_dir": "/var/agent/s-1",
	"tools": {},
	"enforces": {},
	"profiles": {},
}

# As extraction derives them from finished facts; the engine refuses facts that lack one.
_about(facts) := sort(union({
	{facts.tool.kind, facts.tool.act},
	{item.kind | some item in facts.items},
	{path.op | some path in facts.paths},
	{"outside" | some path in facts.paths; path.space == "outside"},
	{"read_only" | some path in facts.paths; path.space == "grant_read"; path.op in {"write", "delete"}},
	{"network_device" | some path in facts.paths; path.caveats.network},
	{_class_keys[class] | some path in facts.paths; some class, _ in path.class},
	{_caveat_keys[caveat] | some item in facts.items; some caveat, _ in item.caveats},
	{"nothing" | facts.items == []; facts.complete; not facts.messy; facts.tool.kind == "shell"},
}))

_class_keys := {
	"secret": "secret",
	"secret_directory": "secret",
	"protected": "protected",
	"protected_always": "protected",
	"own": "own",
}

_caveat_keys := {
	"reads_environment": "environment",
	"secret_variable": "environment",
	"own_program": "own",
	"own_address": "own",
	"reaches_secret": "reach",
	"reaches_outside": "reach",
	"reaches_unknown": "reach",
}

_typed(defaults, overrides) := {key: object.get(overrides, key, value) | some key, value in defaults} if {
	object.keys(overrides) - object.keys(defaults) == set()
}
