package policyd.rules

# METADATA
# title: Containment is required
# description: >-
#   With contain = required a command line prompts if its caller can't run it contained, or if the profile for
#   reading doesn't work on this machine.
# custom:
#   id: contain/required
#   codes: [containment_required]
#   remedy: install the client's hooks with policyd install --contain, and see policyd doctor
prompt contains {
	"rule": "contain/required",
	"code": "containment_required",
	"message": "the settings require command lines to be run contained, and this one can't be",
	"item": -1,
} if {
	data.policyd.settings.contain == "required"
	input.tool.act == "shell"
	input.items[0] != null
	not input.session.profiles.read_only
}
