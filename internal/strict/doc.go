// Package strict decodes requests so that every reader sees the same request.
//
// Two programs that read one body differently are a way round the policy: the
// decision point judges the first "command", the agent runs the second. So a
// body is refused when anything in it could be read in two ways: duplicate keys
// however they are escaped, keys that differ from the known ones in case,
// unknown keys, null, invalid UTF-8, lone surrogates, trailing text. Only
// inside a call's args may a key be any name and a value be null, since args
// belong to the tool.
//
// Nothing is trusted but the size of the body, which the caller bounds.
package strict
