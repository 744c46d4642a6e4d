package policyd.rules

# METADATA
# title: The environment
# description: The environment contains tokens, so printing it reads a secret.
# custom:
#   id: secrets/environment
#   codes: [secret_environment]
#   remedy: name the variable that is needed, if it is no secret
deny contains {
	"rule": "secrets/environment",
	"code": "secret_environment",
	"message": sprintf("%s prints the environment, which may hold secrets", [item.verb]),
	"item": i,
} if {
	"environment" in input.about
	some i, item in input.items
	item.caveats.reads_environment
}

# METADATA
# title: Secret variables
# description: A variable with the name of a secret.
# custom:
#   id: secrets/environment
#   codes: [secret_environment]
#   remedy: >-
#     nothing for an agent: let the program that needs the secret read it by itself
deny contains {
	"rule": "secrets/environment",
	"code": "secret_environment",
	"message": sprintf("%s uses a variable with a secret-like name", [item.verb]),
	"item": i,
} if {
	"environment" in input.about
	some i, item in input.items
	item.caveats.secret_variable
}
