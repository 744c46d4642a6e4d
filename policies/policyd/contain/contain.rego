# METADATA
# title: Contained runs
# description: >-
#   Which calls must run contained, if the caller can enforce it: command lines that only read, as defence in depth;
#   lines whose only open question is what their commands do, if containment prevents harm; and a project's own tools.
package policyd.contain

# METADATA
# scope: document
# description: >-
#   The obligations of a call that is allowed without containment. A call that a person approved may do more than read.
default of_allowed := []

of_allowed := [{"kind": "contain", "profile": "read_only", "reads": "known"}] if {
	input.session.profiles.read_only == true
	input.tool.act == "shell"
	input.messy == false
	input.items[0] != null
	reading := data.policyd.config.contain.reading_rules
	covered := {pair[0] | some pair in data.policyd.rules.cover; reading[pair[1]] == true}
	open := {i | some i, _ in input.items; not _beside[i]}
	open - covered == set()
} else := run.obligations if {
	# What a peer is asked to run is allowed whatever it is, since the peer judges it. The gate between can contain it.
	input.tool.kind == "acp"
}

# METADATA
# scope: document
# description: >-
#   The covers that need a contained run, and the obligation. It is undefined without any. A call runs in one profile,
#   so all covers must be for that one.
run := {"obligations": [{"kind": "contain", "profile": "project", "reads": "listed"}], "covers": covers} if {
	_runnable
	input.session.profiles.project == true
	input.messy == false
	data.policyd.rules.prompt == set()
	_changing != set()
	other := {i | some i, _ in input.items; not _works[i]; not _only_reads[i]; not _beside[i]}
	other == set()
	covers := {[i, "contain/project"] | some i, _ in input.items}
} else := {"obligations": [{"kind": "contain", "profile": "read_only", "reads": "listed"}], "covers": covers} if {
	_runnable
	input.session.profiles.read_only == true
	input.session.profiles.masks == true
	_findings_end
	other := {i | some i, _ in input.items; not _only_reads[i]; not _beside[i]}
	other == set()
	covers := {[i, "contain/read_only"] | some i, _ in input.items}
}

_runnable if {
	input.session.enforces.contain == true
	input.tool.act == "shell"
	input.complete == true
	input.items[0] != null
	data.policyd.config.contain.audiences[input.session.audience] == true
}

# The method that starts a terminal does nothing but what its command does.
_beside[i] := true if {
	input.tool.kind == "acp"
	input.method.terminal.step == "create"
	some i, item in input.items
	item.kind == "method"
	some pair in data.policyd.rules.cover
	pair[0] == i
}

# A finding about a read, or about something unknown, doesn't apply to a run that can't read, write or send.
_findings_end if {
	open := {finding |
		some finding in data.policyd.rules.prompt
		not data.policyd.config.contain.questions[finding.code]
	}
	open == set()
}

# Commands that access only what the session may read, as far as that is known, and that are readers or are
# unknown.
_only_reads[i] := true if {
	readable := data.policyd.config.spaces.readable[input.session.audience]
	some i, item in input.items
	item.kind == "command"
	object.subset(object.union(data.policyd.config.caveats.safe_verbs, data.policyd.config.contain.caveats), item.caveats)
	object.subset(object.union(readable, data.policyd.config.contain.touches), item.touches)
	_reader_or_unknown(item)
}

# A reader, in any form: what isn't listed may be harmless.
_reader_or_unknown(item) if {
	some table in _readers
	table[item.verb]
	not data.policyd.config.contain.changes[item.verb]
}

# A verb that has forms which change something. They would fail contained, so only a listed form is a reader.
_reader_or_unknown(item) if {
	known := {name: kind | some name, kind in item.form; kind != "unknown"}
	some table in _readers
	some safe in table[item.verb]
	object.subset(safe.form, known)
	object.subset(item.form, safe.needs)
}

_reader_or_unknown(item) if {
	some caveat, _ in item.caveats
	data.policyd.config.contain.unknown[caveat] == true
}

_readers := [data.policyd.config.safe_verbs[input.session.platform], data.policyd.config.side_effects.verbs]

# What a command reads of a file that the same line wrote makes no difference to a contained run. No such run can stage
# files: a repository stays as it is. Nor does it write below grants.
_changing contains i if {
	some i in ((data.policyd.approvals.project - data.policyd.approvals.staging) | data.policyd.approvals.workspace_writes)
	not input.items[i].touches["write.grant_read_write"]
}

# Tools of the project, and beside them what only reads, as far as that is known: what a tool or a script of the
# project runs could do no less.
_works[i] := true if some i in _changing

_works[i] := true if {
	working := data.policyd.config.contain.working_rules
	some pair in data.policyd.rules.cover
	working[pair[1]] == true
	i := pair[0]
}
