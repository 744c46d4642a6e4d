package policyd.rules

# METADATA
# title: Network devices
# description: /dev/tcp and its like are connections that only look like files.
# custom:
#   id: scope/network_device
#   codes: [network_device]
#   remedy: use a tool that fetches, which can be asked about by its host
deny contains {
	"rule": "scope/network_device",
	"code": "network_device",
	"message": sprintf("%s is a network connection", [path.raw]),
	"item": path.item,
} if {
	"network_device" in input.about
	some p
	input.paths[p].caveats.network
	path := input.paths[p]
}
