package policyd.rules

# METADATA
# title: Path classes that deny
# description: >-
#   Denies every access to a path of a class that an operator denies: by its name, by a pattern, by recursion, through
#   a link or in git's objects. A class without an effect denies. A class with the effect none is for other rules to
#   read.
# custom:
#   id: paths/class
#   codes: [path_class]
#   remedy: >-
#     nothing for an agent; an operator changes path_classes in the settings or in the bundle
deny contains {
	"rule": "paths/class",
	"code": "path_class",
	"message": _paths_class_message(hit, name, class),
	"item": hit.item,
} if {
	"class" in input.about
	some classes in [data.policyd.config.path_classes, data.policyd.settings.path_classes]
	some name, class in classes
	not object.get(class, "effect", "deny") in {"prompt", "none"}
	some hit in _paths_class_hits(name)
}

# METADATA
# title: Path classes that prompt
# description: The same for a class whose effect is prompt. No remembered answer covers it.
# custom:
#   id: paths/class
#   codes: [path_class]
#   remedy: a person's yes, each time
prompt contains {
	"rule": "paths/class",
	"code": "path_class",
	"message": _paths_class_message(hit, name, class),
	"item": hit.item,
} if {
	"class" in input.about
	some classes in [data.policyd.config.path_classes, data.policyd.settings.path_classes]
	some name, class in classes
	class.effect == "prompt"
	some hit in _paths_class_hits(name)
}

# What is touched of a class, and by which item.
_paths_class_hits(name) := {hit |
	some path in input.paths
	path.class[name]
	hit := {"item": path.item, "what": path.real}
} | {hit |
	some i, item in input.items
	item.reaches[name]
	hit := {"item": i, "what": item.verb}
}

_paths_class_message(hit, name, class) := concat("", [
	sprintf("%s touches the path class %s", [hit.what, name]),
	_paths_class_reason(class),
])

default _paths_class_reason(_) := ""

_paths_class_reason(class) := concat("", [": ", class.message])
