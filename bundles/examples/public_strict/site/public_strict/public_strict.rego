# METADATA
# title: Public agents, strictly
# description: >-
#   Where everybody sees what an agent says, it may use file tools in its session's directory, and nothing else: no
#   command line, no fetch, no tool of a server. Nobody is asked, so no answer opens anything.
# scope: package
# schemas:
#   - input: schema.facts
package site.public_strict

# METADATA
# title: Kinds of tools
# description: Every kind of tool that is not listed is denied.
deny contains {
	"rule": "site/public_strict/tool",
	"code": "public_tool",
	"message": sprintf("agents with a public audience may not use %s", [input.tool.name]),
	"hint": "give the agent another audience, or leave this to a person",
	"item": -1,
} if {
	input.session.audience in data.site_data.public_strict.audiences
	not input.tool.kind in data.site_data.public_strict.kinds
}

# METADATA
# title: Places
# description: Whatever touches anything but the session's directory is denied.
deny contains {
	"rule": "site/public_strict/place",
	"code": "public_place",
	"message": "agents with a public audience have their session's directory alone",
	"item": i,
} if {
	input.session.audience in data.site_data.public_strict.audiences
	some i, item in input.items
	not object.subset(data.site_data.public_strict.touches, item.touches)
}
