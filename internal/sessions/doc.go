// Package sessions keeps the agents' sessions and their path grants, in memory over a store.
//
// It trusts the host that registers a session, the first time. From then on a session can be narrowed and
// never widened (C5), also after it was archived. Only people add grants, except for grants that add nothing
// to the scope. The policy decides whether a grant allows a call.
//
// Guarantees: a decision reads memory alone once its session is known; an acknowledged change is in the
// store; a store that can't be read gives no grant.
package sessions
