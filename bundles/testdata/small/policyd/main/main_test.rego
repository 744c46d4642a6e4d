package policyd.main_test

import data.policyd.main

test_nothing_is_not_allowed if {
	main.effect == "prompt" with input as {"items": [], "approvals": [], "complete": true}
}

test_the_greeting_is_that_of_the_bundle if {
	some reason in main.decision.reasons with input as {"items": [], "approvals": [], "complete": true}
	reason.message == "hello"
}
