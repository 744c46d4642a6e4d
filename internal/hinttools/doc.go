// Package hinttools is the MCP server behind `policyd tools`: it offers an agent request_read_access and
// set_working_directory, the tools that hints refer to (D5).
//
// The host that starts the server determines their session: by the command line, by the environment that the
// client sets, or by what the client adds to a call. No argument of a tool can. If the session is in doubt,
// nothing is requested and nothing is granted.
package hinttools
