package policyd.approvals

# METADATA
# scope: document
# description: >-
#   The commands that trust in a project's own tools could cover: building, testing, linting, formatting and editing,
#   if every path is known and in the workspace.
project contains i if some i in _tools

project contains i if some i in staging

project contains i if {
	some i in workspace_writes
	_plain_line
}

project contains i if some i in _chosen_readers

# METADATA
# description: >-
#   The commands that stage files for the next commit which they name, and which are there. A directory or a pattern may
#   hold a file that nobody thinks of.
staging contains i if {
	some i in _working
	item := input.items[i]
	object.subset(data.policyd.config.caveats.safe_verbs, item.caveats)
	some listed in data.policyd.config.project_tools.staging[item.verb]
	object.subset(listed.form, item.form)
	object.subset(item.form, listed.needs)
	item.risks == {}
	named := [path | some path in input.paths; path.item == i]
	named != []
	other := [path | some path in named; not _named_file(path)]
	other == []
}

# METADATA
# description: >-
#   The commands whose only effect beyond reading is to write known, unprotected files in the workspace: a verb of the
#   list in a listed form, or a reader with redirected output.
workspace_writes contains i if {
	data.policyd.config.workspace_writes.audiences[input.session.audience] == true
	spaces := data.policyd.config.workspace_writes.spaces
	some i, item in input.items
	item.kind == "command"
	object.subset(data.policyd.config.caveats.workspace_writes, item.caveats)
	names := object.get(spaces, item.verb, spaces.others)
	allowed := object.union_n([data.policyd.config.spaces[name][input.session.audience] | some name in names])
	object.subset(allowed, item.touches)
	some table in _editing_forms
	some safe in table[item.verb]
	object.subset(safe.form, item.form)
	object.subset(item.form, safe.needs)
	changed := {p | some p, path in input.paths; path.item == i; path.op in {"write", "delete"}; path.space != "none"}
	count(changed) > 0
	object.subset(_editable, {p: true | some p in changed})
}

_editing_forms := [
	data.policyd.config.workspace_writes.verbs,
	data.policyd.config.safe_verbs[input.session.platform],
	data.policyd.config.side_effects.verbs,
]

# Files that are written. A link on the way may be changed before the command runs, so none is followed.
_editable[p] := true if {
	some p, path in input.paths
	path.op == "write"
	count(path.links) == 0
	object.subset(data.policyd.config.caveats.paths_written, path.caveats)
	every list, _ in path.class {
		data.policyd.config.workspace_writes.classes[list] == true
	}
}

# The source of a move: one regular file. What a directory holds, or where a link leads, would get new names.
_editable[p] := true if {
	some p, path in input.paths
	path.op == "delete"
	count(path.links) == 0
	path.class == {}
	path.caveats == {}
}

# A reader beside a write may take settings from what was just written, unless it takes none from files.
_plain_line if {
	every i, item in input.items {
		_plain_beside(i, item.verb)
	}
}

_plain_beside(_, verb) if data.policyd.config.workspace_writes.beside[verb] == true

_plain_beside(i, _) if i in _tools

# A verb of the list with options of the list.
_tools contains i if {
	some i in _working
	item := input.items[i]
	object.subset(_tolerated(i), item.caveats)
	form := data.policyd.config.project_tools.forms[data.policyd.config.project_tools.verbs[_verbs[i]]]
	options := {name | some name, kind in item.form; not _option(form, name, kind)}
	options == set()
	_builds_all(_verbs[i], item.values)
	refused_risks := {risk |
		some risk, _ in item.risks
		data.policyd.config.project_tools.refused_risks[split(risk, " ")[0]]
	}
	refused_risks == set()
	_of_project(item)
	not _fetched_by_name[i]
}

# Code of the project could follow any link itself, so that where a tool that runs it is led matters no more, unless the
# tool writes.
_tolerated(i) := object.union(data.policyd.config.caveats.project_tools, data.policyd.config.caveats.project_code) if {
	data.policyd.config.project_tools.runs_code[_verbs[i]] == true
	writes := [touch | some touch, _ in input.items[i].touches; startswith(touch, "write.")]
	writes == []
} else := data.policyd.config.caveats.project_tools

# A verb of the operator's. What the program table says nothing of is given to the program.
_tools contains i if {
	some i in _working
	item := input.items[i]
	item.verb in data.policyd.settings.shell.project_verbs
	object.subset(data.policyd.config.caveats.project_tools, item.caveats)
	grave := {name |
		some name, kind in item.form
		kind != "unknown"
		not data.policyd.config.project_tools.kinds[kind]
	}
	grave == set()
}

# A program of the project, named by its path: what it is given goes to the project's own code.
_tools contains i if {
	some i in _working
	item := input.items[i]
	item.caveats.named_by_path
	object.subset(data.policyd.config.caveats.project_programs, item.caveats)
	_own_words(item)
	_runs_project_code(item)
}

# A tool of the list that only reads, in a safe form, where a file of the project, or one that the line writes, chooses which
# program runs.
_chosen_readers contains i if {
	some i in _working
	item := input.items[i]
	data.policyd.config.project_tools.readers[item.verb] == true
	some chosen in ["project_chooses_program", "line_chooses_program"]
	item.caveats[chosen]
	object.subset(data.policyd.config.caveats.project_readers, item.caveats)
	object.subset(data.policyd.config.spaces.readable[input.session.audience], item.touches)
	some safe in data.policyd.config.safe_verbs[input.session.platform][item.verb]
	object.subset(safe.form, item.form)
	object.subset(item.form, safe.needs)
}

# A runner that fetches a package which is missing finds in its registry what has the name. Only tools that come from
# there are known by it.
_fetched_by_name[i] := true if {
	some i, item in input.items
	item.caveats.run_by
	data.policyd.config.project_tools.fetching[input.items[i - 1].verb]
	not data.policyd.config.project_tools.fetched[data.policyd.config.project_tools.verbs[_verbs[i]]]
}

_named_file(path) if {
	path.op == "read"
	path.caveats == {}
}

# A script or package that is run is in the project.
_of_project(item) if {
	kinds := {kind | some kind in item.form}
	not "execute" in kinds
}

_of_project(item) if _runs_project_code(item)

_runs_project_code(item) if {
	some touch in ["execute.project", "execute.session"]
	item.touches[touch] == true
}

_option(form, name, kind) if {
	data.policyd.config.project_tools.kinds[kind] == true
	not form.except[name]
}

_option(form, name, kind) if form.also[name] == kind

_option(_, name, kind) if data.policyd.config.project_tools.always[name] == kind

# Commands that touch nothing outside of the workspace, write no protected file and delete none.
_working contains i if {
	config := data.policyd.config.project_tools
	config.audiences[input.session.audience] == true
	some i, item in input.items
	item.kind == "command"
	object.subset(config.touches, item.touches)
	forbidden := [p | some p, path in input.paths; path.item == i; not _usable(p, path)]
	forbidden == []
}

_usable(_, path) if path.op in {"read", "list"}

_usable(_, path) if path.space == "none"

_usable(p, path) if {
	path.op == "write"
	_editable[p]
}

_usable(_, path) if {
	path.op == "execute"
	path.class == {}
	not path.caveats.special
}

# The verb of each command, without the tasks that a task runner was given.
_verbs[i] := item.verb if {
	some i, item in input.items
	not data.policyd.config.project_tools.tasks[item.verb]
	not _runs_tasks[i]
}

_verbs[i] := item.verb if {
	some i, item in input.items
	task := data.policyd.config.project_tools.tasks[item.verb]
	not item.values[task.role]
}

_verbs[i] := runner if some i, runner in _runs_tasks

_runs_tasks[i] := runner if {
	some runner, task in data.policyd.config.project_tools.tasks
	some i, item in input.items
	words := [word | some word in item.values[task.role]; not contains(word, "=")]
	item.verb == concat(" ", array.concat([runner], words))
}

# Every word that a runner is given is a task that builds, tests, lints or formats.
_builds_all(runner, values) if {
	refused_words := [word | some name, words in values; some word in words; not _fits(runner, name, word)]
	refused_words == []
}

# What is refused to other programs may be a harmless subcommand of the project's own.
_own_words(item) if {
	refused_words := [word |
		some name, words in item.values
		some word in words
		not data.policyd.config.project_tools.own_words[word]
		not _fits(item.verb, name, word)
	]
	refused_words == []
}

# A definition, such as V=1 or -Dtest=x, is one whose name is listed. Any other word states what is built.
_fits(runner, name, word) if {
	not _defines(name, word)
	_builds(runner, word)
}

_fits(runner, _, word) if {
	not contains(word, "/")
	not contains(word, "\\")
	some listed, _ in data.policyd.config.project_tools.definitions[runner]
	startswith(word, concat("", [listed, "="]))
}

_fits(runner, _, word) if data.policyd.config.project_tools.definitions[runner][word] == true

_fits(runner, _, word) if {
	data.policyd.config.project_tools.tests[runner] == true
	startswith(word, "test_")
}

# A definition that switches something on or off names no program and no path.
_fits(runner, name, word) if {
	_defines(name, word)
	data.policyd.config.project_tools.switches[runner][lower(regex.replace(word, `^[^=]*=`, ""))] == true
	_builds(runner, word)
}

_defines("--define", _)

_defines("-D", _)

_defines(name, word) if {
	name in {"<target>", "<goal>", "<task>"}
	contains(word, "=")
}

_builds(runner, word) if data.policyd.config.project_tools.only[runner][word] == true

_builds(runner, word) if {
	not data.policyd.config.project_tools.only[runner]
	stems := [stem | some stem, _ in data.policyd.config.project_tools.refused; contains(lower(word), stem)]
	stems == []
	parts := split(strings.replace_n({"-": ":", "_": ":", "=": ":", ".": ":", ";": ":"}, lower(word)), ":")
	named := [part | some part in parts; _names_more(runner, part)]
	named == []
}

_names_more(_, part) if data.policyd.config.project_tools.refused_words[part] == true

_names_more(runner, part) if {
	data.policyd.config.project_tools.tasks[runner]
	data.policyd.config.project_tools.refused_tasks[part] == true
}
