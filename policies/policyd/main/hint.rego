package policyd.main

default _hint := ""

_hint := _first_hint(_denials) if _denials != set()

_hint := _first_hint(_prompts) if {
	_denials == set()
	_prompts != set()
}

# The line that would allow the call, if nobody can be asked (A7). The hint contains no command that would
# not.
_hint := concat(" && ", _trust_verb_lines) if {
	_denials == set()
	_prompts == set()
	_incomplete == []
	input.messy == false
	_trusted
	not _attended
}

# The line that would allow such calls permanently, if a person is asked: for what people think of as one
# thing.
_hint := sprintf("policyd approvals trust-project %s --audience %s --agent %s", [
	_quoted(input.session.project_dir),
	input.session.audience,
	_quoted(input.session.agent),
]) if {
	_attended
	_denials == set()
	_offered("project")
	segments := [segment | some segment in split(input.session.project_dir, "/"); segment != ""]
	count(segments) > 1
}

_trust_verb_lines := [line |
	some line in {line |
		some i in (_uncovered - _arguments)
		item := input.items[i]
		line := sprintf("policyd approvals trust-verb %s --audience %s --agent %s --tool %s%s", [
			_quoted(concat("", [item.verb, _risks(item)])),
			input.session.audience,
			_quoted(input.session.agent),
			input.tool.act,
			_force(item),
		])
	}
]

default _risks(_) := ""

_risks(item) := sprintf(" (%s)", [concat(", ", sort([risk | some risk, _ in item.risks]))]) if item.risks != {}

default _force(_) := ""

_force(item) := " --force" if item.caveats.runs_anything

# Verbs come from the model, and a person pastes the line into a shell.
_quoted(text) := sprintf("'%s'", [replace(text, "'", `'\''`)])

# What an agent can do when a person says no to a command outside of every safe space (A8).
default _refusal_hint := ""

_refusal_hint := sprintf("set_working_directory %s", [directories[0]]) if {
	input.tool.act == "shell"
	input.session.tools.set_working_directory == true
	directories := [item.directory |
		some i in _uncovered
		item := input.items[i]
		_works_outside(item)
	]
	count(directories) > 0
}

# A command lists the directory that it works in, wherever it is. A directory that no session may have isn't
# advised.
_works_outside(item) if {
	item.kind == "command"
	item.directory != ""
	not item.caveats.shallow
	not item.caveats.sensitive_directory
	listed := {touch | some touch, _ in item.touches; startswith(touch, "list.")}
	listed == {"list.outside"}
}

default _first_hint(_) := ""

_first_hint(findings) := hints[0] if {
	hints := [finding.hint |
		some finding in _sorted(findings)
		is_string(finding.hint)
		finding.hint != ""
	]
}
