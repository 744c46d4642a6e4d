# METADATA
# title: Public agents, strictly
# description: >-
#   In a public session an agent may use file tools in its session's directory, and nothing else. Command lines,
#   fetches and tools of servers are denied. Nobody is asked, so no answer allows anything.
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
# description: Any access outside of the session's directory is denied.
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
