// Package bundles holds the policy that is active, and judges by it.
//
// An [Engine] loads a policy bundle (the embedded one, a directory or a .tar.gz archive), checks it, and
// publishes it as an immutable [Snapshot]. A snapshot owns its compiler, its data and its prepared query, so
// a judgement never waits for a reload and never sees half of one. A bundle that fails any check is refused
// whole, and the snapshot before it stays active.
//
// # What is trusted
//
// The operator who names the source is trusted to choose policy, not to write it
// without mistakes. Policy therefore runs without network, clock, randomness and
// environment: the built-in functions that reach them don't exist for it. The same
// input judged by the same revision gives the same judgement, which is what makes a
// decision record worth keeping. Signatures of bundles are not looked at here: a
// directory or an archive is as trustworthy as who may write to it.
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
// # Which bundle is in force
//
// A source whose manifest roots hold "policyd" replaces the embedded bundle. Any other
// source is loaded beside it, which is how operators add rules: packages below "site",
// and their data below "site_data". Data below "site" would pose as rules and is refused.
//
// Files are laid out as in any OPA bundle: *.rego anywhere, data.json and data.yaml where their path says,
// .manifest at the top. Files and directories whose name begins with a dot are left out of a directory,
// except for the manifest. *_test.rego are never part of a snapshot; they run before activation where
// [Options.TestOnActivate] says so.
package bundles
