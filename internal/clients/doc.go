// Package clients turns the hook payloads of agent programs into calls and
// decisions into the replies that those programs obey, one file per client. It
// decides nothing and trusts nothing that a model can set: the project comes
// from what the launch fixed (P14).
package clients
