package policyd.rules_test

import data.policyd.rules
import data.policyd.testing

test_scope_network_device_denies if {
	path := testing.path({"raw": "/dev/tcp/evil/80", "space": "outside", "caveats": {"network": true}})
	found := {finding | some finding in rules.deny} with input as testing.shell_paths({"verb": "cat"}, [path])
	found == {{
		"rule": "scope/network_device",
		"code": "network_device",
		"message": "/dev/tcp/evil/80 is a network connection",
		"item": 0,
	}}
}

test_scope_network_device_leaves_other_devices if {
	path := testing.path({"raw": "/dev/null", "space": "none", "caveats": {"device": true}})
	rules.deny == set() with input as testing.shell_paths({"verb": "cat"}, [path])
}
