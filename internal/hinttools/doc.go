// Package hinttools is the MCP server behind `policyd tools`: it offers an agent
// request_read_access and set_working_directory, the tools that hints name (D5).
//
// Which session they act for is said by the host that starts the server: by its
// command line, by the environment that the client gives it, or by what the
// client adds to a call beside the model's arguments. No argument of a tool can
// say it. Where that leaves a doubt, nothing is asked for and nothing is granted.
package hinttools
