// Package strict decodes requests so that every reader sees the same request.
//
// Two programs that parse one body differently could bypass the policy: the decision point judges the first
// "command", the agent runs the second. So a body is refused if any part of it could be parsed in two ways:
// duplicate keys however they are escaped, keys that differ from known ones in case, unknown keys, null,
// invalid UTF-8, lone surrogates, trailing text. Only inside a call's args may a key have any name and a
// value be null, since args belong to the tool.
//
// It trusts only the size of the body, which the caller bounds.
package strict
