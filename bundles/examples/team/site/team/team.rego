# METADATA
# title: A team's profile
# description: >-
#   Allows this team's daily work: its build and test commands inside of the project, and the documentation that it
#   reads. Other work prompts as before, and the built-in denials stay.
# scope: package
# schemas:
#   - input: schema.facts
package site.team

# METADATA
# title: The team's commands
# description: A listed verb with known options and without an access outside of project and session.
cover contains [i, "site/team/commands"] if {
	"command" in input.about
	input.messy == false
	input.session.audience in data.site_data.team.audiences
	some i, item in input.items
	data.site_data.team.verbs[item.verb] == true
	item.kind == "command"
	object.subset(data.site_data.team.caveats, item.caveats)
	object.subset(data.site_data.team.touches, item.touches)
}

# METADATA
# title: The team's documentation
# description: Fetches from listed hosts, whatever the page.
cover contains [i, "site/team/hosts"] if {
	"fetch" in input.about
	input.session.audience in data.site_data.team.audiences
	some i, item in input.items
	item.kind == "fetch"
	data.site_data.team.hosts[item.verb] == true
	object.subset(data.site_data.team.caveats, item.caveats)
}
