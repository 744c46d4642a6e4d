package policyd.rules

# METADATA
# title: Readers of remote services
# description: >-
#   Commands that only read, but query a service over the network. Off unless the setting shell.remote_readers is on.
# custom:
#   id: safe_verbs/remote
cover contains [i, "safe_verbs/remote"] if {
	"command" in input.about
	input.messy == false
	data.policyd.settings.shell.remote_readers == true
	readable := data.policyd.config.spaces.readable[input.session.audience]
	verbs := data.policyd.config.remote_readers[input.session.platform]
	caveats := data.policyd.config.caveats.remote_readers
	some i, item in input.items
	item.kind == "command"
	forms := verbs[item.verb]
	object.subset(caveats, item.caveats)
	object.subset(readable, item.touches)
	some safe in forms
	object.subset(safe.form, item.form)
	object.subset(item.form, safe.needs)
}
