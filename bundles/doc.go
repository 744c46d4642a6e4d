// Package bundles loads the active policy, and judges by it.
//
// An [Engine] loads a policy bundle (the embedded one, a directory or a .tar.gz archive), checks it, and
// publishes it as an immutable [Snapshot]. A snapshot owns its compiler, its data and its prepared query, so
// a judgement never waits for a reload and never sees half of one. A bundle that fails any check is refused
// whole, and the snapshot before it stays active.
//
// # What is trusted
//
// The operator who chooses the source is trusted to choose policy, not to write it without mistakes. Policy
// therefore runs without network, clock, randomness and environment: the built-in functions for them don't
// exist. The same input and revision give the same judgement, so a decision record can be verified later.
// Signatures of bundles are not checked here: a directory or an archive is as trustworthy as those who may
// write to it.
//
// # What is promised
//
//   - Whatever goes wrong in [Snapshot.Judge] is a [v1.CodedError] beside a zero
//     [v1.Judgement], and the zero judgement denies.
//   - A result is read strictly. A missing key, an unknown one, a wrong type, an index
//     out of range, or an allow that the rest of the result contradicts is no result.
//   - No judgement allows a call whose facts are incomplete, that has no items, or that
//     has an item which nothing covers, whatever a bundle says.
//
// # Which bundle is active
//
// A source whose manifest roots include "policyd" replaces the embedded bundle. Any other source is loaded in
// addition to it, which is how operators add rules: packages below "site", and their data below "site_data".
// Data below "site" could pose as rules and is refused.
//
// The layout is that of any OPA bundle: *.rego anywhere, data.json and data.yaml at the path of their data,
// .manifest at the top. Files and directories of a directory whose name begins with a dot are left out,
// except for the manifest. *_test.rego are never part of a snapshot; with [Options.TestOnActivate] they run
// before activation.
package bundles
