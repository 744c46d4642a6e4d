package policyd.rules

# METADATA
# title: Secret files
# description: >-
#   Denies every access to a secret file, below every root, grant or approval, and however deep in a messy line.
# custom:
#   id: secrets/file
#   codes: [secret_file]
#   remedy: >-
#     nothing for an agent; an operator takes a name that is none off the list with secrets.except in the settings
deny contains {
	"rule": "secrets/file",
	"code": "secret_file",
	"message": sprintf("%s is a secret file (%s)", [path.real, entry]),
	"item": path.item,
} if {
	"secret" in input.about
	some p
	entry := input.paths[p].class.secret
	path := input.paths[p]
}

# METADATA
# title: Secret directories
# description: A secret directory and everything in it.
# custom:
#   id: secrets/file
#   codes: [secret_file]
#   remedy: >-
#     nothing for an agent; an operator takes a name that is none off the list with secrets.except in the settings
deny contains {
	"rule": "secrets/file",
	"code": "secret_file",
	"message": sprintf("%s is in a secret directory (%s)", [path.real, entry]),
	"item": path.item,
} if {
	"secret" in input.about
	some p
	entry := input.paths[p].class.secret_directory
	path := input.paths[p]
}
