# METADATA
# title: History is not rewritten
# description: >-
#   Nobody forces a push, to main or anywhere: facts say which options a push has, and not which branch it goes to.
#   Since a refspec can force by its first letter, a push that names one asks each time, whatever was remembered.
# scope: package
# schemas:
#   - input: schema.facts
package site.no_force_push

# METADATA
# title: Forced pushes
# description: An option that rewrites or deletes what others have, or one that could be such an option.
deny contains {
	"rule": "site/no_force_push/option",
	"code": "forced_push",
	"message": sprintf("%s with %s could rewrite what others have", [item.verb, concat(", ", sort(_reasons(item)))]),
	"hint": "push without forcing, or have a person do it",
	"item": i,
} if {
	"command" in input.about
	some i, item in input.items
	data.site_data.no_force_push.verbs[item.verb] == true
	count(_reasons(item)) > 0
}

# METADATA
# title: Pushes that name a refspec
# description: Whether it forces is not known, so a person looks at each.
prompt contains {
	"rule": "site/no_force_push/refspec",
	"code": "push_names_refspec",
	"message": sprintf("%s names what it pushes, which could force it", [item.verb]),
	"item": i,
} if {
	"command" in input.about
	some i, item in input.items
	data.site_data.no_force_push.verbs[item.verb] == true
	item.form["<refspec>"]
}

_reasons(item) := options | caveats if {
	options := {option | some option, _ in item.form; data.site_data.no_force_push.options[option] == true}
	caveats := {caveat | some caveat, _ in item.caveats; data.site_data.no_force_push.caveats[caveat] == true}
}
