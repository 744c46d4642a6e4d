package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

_approvals_once_items contains i if some [i, "approvals/once"] in rules.cover

# A10
test_approvals_once_covers_the_call_whole if {
	once := [testing.approval({"verb": "", "directory": "", "once": true})]
	items := [testing.command({}), testing.command({"verb": "rm"})]
	_approvals_once_items == {0, 1} with input as testing.call({"items": items, "approvals": once})
	_approvals_once_items == {0, 1} with input as testing.call({"items": items, "approvals": once, "messy": true})
	_approvals_once_items == set() with input as testing.call({"approvals": once})
}

test_approvals_once_needs_one if {
	remembered := [testing.approval({"anywhere": true})]
	_approvals_once_items == set() with input as testing.call({"items": [testing.command({})], "approvals": remembered})
	_approvals_once_items == set() with input as testing.shell([testing.command({})])
}
