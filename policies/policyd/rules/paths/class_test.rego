package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_paths_class_settings(effect) := {"production": {
	"paths": ["infra/prod"],
	"effect": effect,
	"message": "ask the operators",
}}

_paths_class_reads := testing.file("read", {"real": "/srv/proj/infra/prod/x", "class": {"production": "infra/prod"}})

_paths_class_walks := testing.shell([testing.command({"verb": "grep", "reaches": {"production": true}})])

test_paths_class_denies if {
	some call in [_paths_class_reads, _paths_class_walks]
	some effect in ["deny", ""]
	some finding in rules.deny with input as object.union(call, {"about": ["class"]})
		with data.policyd.settings.path_classes as _paths_class_settings(effect)
	finding.rule == "paths/class"
	finding.item == 0
	endswith(finding.message, "touches the path class production: ask the operators")
}

test_paths_class_prompts if {
	every call in [_paths_class_reads, _paths_class_walks] {
		findings := rules.prompt with input as object.union(call, {"about": ["class"]})
			with data.policyd.config.path_classes as _paths_class_settings("prompt")
		{"path_class"} == {finding.code | some finding in findings}
	}
}

test_paths_class_without_message if {
	some finding in rules.deny with input as object.union(_paths_class_reads, {"about": ["class"]})
		with data.policyd.settings.path_classes as {"production": {"paths": ["infra/prod"]}}
	finding.message == "/srv/proj/infra/prod/x touches the path class production"
}

test_paths_class_for_other_rules if {
	findings := rules.deny | rules.prompt with input as object.union(_paths_class_reads, {"about": ["class"]})
		with data.policyd.settings.path_classes as _paths_class_settings("none")
	every finding in findings {
		finding.rule != "paths/class"
	}
}

test_paths_class_of_another_name if {
	findings := rules.deny | rules.prompt with input as object.union(_paths_class_reads, {"about": ["class"]})
		with data.policyd.settings.path_classes as {"staging": {"paths": ["infra/dev"], "effect": "deny"}}
	every finding in findings {
		finding.rule != "paths/class"
	}
}
