package site.team

import data.policyd.testing

_commands := {
	"tests": {"item": {"verb": "go test", "touches": {"execute.project": true}}, "covers": {[0, "site/team/commands"]}},
	"another verb": {"item": {"verb": "go install"}, "covers": set()},
	"outside": {"item": {"verb": "go test", "touches": {"read.outside": true}}, "covers": set()},
	"unknown option": {"item": {"verb": "go test", "caveats": {"unknown_option": true}}, "covers": set()},
	"privileged": {"item": {"verb": "go test", "caveats": {"privileged": true}}, "covers": set()},
}

test_there_are_commands if count(_commands) > 0

test_commands[name] if {
	some name, case in _commands
	covers := cover with input as testing.shell([testing.command(case.item)])
	covers == case.covers
}

test_a_messy_line_is_not_covered if {
	line := testing.call({"messy": true, "items": [testing.command({"verb": "go test"})]})
	covers := cover with input as line
	covers == set()
}

test_the_public_is_not_the_team if {
	session := testing.session({"audience": "public"})
	by_command := cover with input as testing.call({"session": session, "items": [testing.command({"verb": "go test"})]})
	by_command == set()
	by_fetch := cover with input as testing.call({"session": session, "items": [_fetch("fetch pkg.go.dev")]})
	by_fetch == set()
}

test_listed_hosts if {
	covers := cover with input as testing.call({"items": [_fetch("fetch pkg.go.dev"), _fetch("fetch example.org")]})
	covers == {[0, "site/team/hosts"]}
}

# What the built-in rules deny stays denied.
test_secrets_stay_denied if {
	secret := {"real": "/srv/proj/.env", "class": {"secret": ".env"}}
	line := testing.shell_paths({"verb": "go test"}, [testing.path(secret)])
	decision := data.policyd.main.decision with input as line
	decision.effect == "deny"
}

_fetch(verb) := testing.other({"kind": "fetch", "verb": verb, "caveats": {"network": true}})
