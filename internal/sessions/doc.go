// Package sessions keeps who the agents' sessions are and which path grants they
// hold, in memory over a store.
//
// It trusts the host that names a session, the first time. From then on a
// session can be narrowed and never widened (C5), also after it was archived.
// Grants are given by people alone, or silently where they add nothing that was
// not in scope. Whether a grant lets a call through is policy's to say.
//
// What it promises to keep: a decision reads memory alone once its session is
// known; a change that was answered is in the store; a store that can't be read
// gives no grant.
package sessions
