// Package clients turns the hook payloads of agent programs into calls, and decisions into the replies that
// those programs obey. Each client has one file. The package decides nothing and trusts nothing that a model
// can set: the project comes from the launch (P14).
package clients
