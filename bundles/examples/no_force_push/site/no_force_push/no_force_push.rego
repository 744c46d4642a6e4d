# METADATA
# title: History is not rewritten
# description: >-
#   Denies a forced push to a protected branch, and its deletion. A push whose target isn't known could go there: the
#   branch that is checked out, all branches, and names that are known only at run time. Forcing any other branch
#   prompts each time, whatever was remembered.
# scope: package
# schemas:
#   - input: schema.facts
package site.no_force_push

# METADATA
# title: Forced pushes to protected branches
# description: Options that rewrite or delete a branch on which others build.
deny contains {
	"rule": "site/no_force_push/protected",
	"code": "forced_push",
	"message": sprintf("%s could rewrite or delete %s", [item.verb, concat(", ", sort(refs))]),
	"hint": "push without forcing, name another branch as the destination, or have a person do it",
	"item": i,
} if {
	"command" in input.about
	some i, item in input.items
	settings.verbs[item.verb] == true
	refs := {ref | some ref in settings.protected; _forces(item, ref)}
	count(refs) > 0
}

# METADATA
# title: Pushes that are not understood
# description: An option that is not explained, or a word that may be one, could force.
deny contains {
	"rule": "site/no_force_push/unknown",
	"code": "push_not_understood",
	"message": sprintf("%s could force, for %s", [item.verb, concat(", ", sort(caveats))]),
	"hint": "spell every word of the push out",
	"item": i,
} if {
	"command" in input.about
	some i, item in input.items
	settings.verbs[item.verb] == true
	caveats := {caveat | some caveat, _ in item.caveats; settings.caveats[caveat] == true}
	count(caveats) > 0
}

# METADATA
# title: Forced pushes elsewhere
# description: Others may build on any branch, so a person decides each time.
prompt contains {
	"rule": "site/no_force_push/elsewhere",
	"code": "forced_push_elsewhere",
	"message": sprintf("%s forces", [item.verb]),
	"item": i,
} if {
	"command" in input.about
	some i, item in input.items
	settings.verbs[item.verb] == true
	some kind in item.form
	settings.forcing[kind] == true
}

settings := data.site_data.no_force_push

# A role that is several things at once forces as well.
_forces(item, ref) if settings.forcing[item.form[sprintf("<to %s>", [ref])]] == true
