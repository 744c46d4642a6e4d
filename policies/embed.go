// Package policies embeds the built-in policy bundle, so that a sidecar that was
// given no bundle has one. It holds no logic: rules are Rego, and package bundles
// loads and judges by them.
package policies

import "embed"

// FS is the built-in bundle as it is in this directory: manifest, rules with their tests, and data. The
// prefix all: keeps files whose names begin with "_" or ".", which would vanish without a word otherwise.
//
//go:embed .manifest all:policyd
var FS embed.FS

// Schema is the JSON schema of the facts that rules judge, which is no part of the
// bundle.
//
//go:embed schemas/facts.json
var Schema []byte

// SiteSchema is a module that binds the schema, as schema.facts, to all packages of
// operators: a misspelt fact in them is then an error.
const SiteSchema = `# METADATA
# scope: subpackages
# schemas:
#   - input: schema.facts
package site
`
