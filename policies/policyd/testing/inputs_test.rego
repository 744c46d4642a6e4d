package policyd.testing_test

import data.policyd.testing

test_a_misspelt_fact_is_no_input if {
	not testing.call({"mesy": true})
	not testing.command({"caveat": {}})
	not testing.path({"clas": {}})
	not testing.session({"platfrom": "linux"})
	not testing.approval({"anywere": true})
	not testing.other({"verbs": []})
	not testing.tool({"knows": true})
}

test_index_keys_follow_from_items_and_paths if {
	facts := testing.file("write", {"op": "write", "class": {"protected": "AGENTS.md"}})
	facts.about == ["path", "protected", "write"]
	testing.shell([testing.command({})]).about == ["command", "shell"]
	testing.call({"about": ["nothing"]}).about == ["nothing"]
}

test_an_override_replaces_whole_values if {
	testing.command({"touches": {"read.outside": true}}).touches == {"read.outside": true}
}
