package bundles

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// Roots of bundles.
const (
	policyRoot   = "policyd"    // the built-in rules and their data
	siteRoot     = "site"       // packages of operators
	siteDataRoot = "site_data"  // their data
	recordRoot   = "system/log" // their rules for decision records
)

// recordBundle is the configured name of the one service bundle that may contain rules for decision records,
// apart from a bundle that replaces the whole policy.
const recordBundle = "system_log"

// entrypointPath is the rule that decides.
const entrypointPath = "data.policyd.main.decision"

// capabilities are OPA's without the built-in functions whose value does not follow from the input: a
// judgement could not be repeated, and policy could access the network.
func capabilities() *ast.Capabilities {
	all := ast.CapabilitiesForThisVersion()
	all.Builtins = slices.DeleteFunc(all.Builtins, forbidden)
	// Schemas in annotations may not be fetched either. Nil would allow every host.
	all.AllowNet = []string{}
	return all
}

func forbidden(b *ast.Builtin) bool {
	switch b.Name {
	case "http.send", "opa.runtime", "rand.intn", "trace", "time.now_ns",
		"io.jwt.decode_verify", "io.jwt.encode_sign", "io.jwt.encode_sign_raw",
		// The validity of a certificate depends on the date.
		"crypto.x509.parse_and_verify_certificates", "crypto.x509.parse_and_verify_certificates_with_options",
		// A "$ref" in a schema reads files, and addresses.
		"json.match_schema", "json.verify_schema",
		// A shift by a large number needs more memory than there is, and no deadline interrupts a function.
		"bits.lsh":
		return true
	}
	return b.IsNondeterministic() || strings.HasPrefix(b.Name, "net.") || strings.HasPrefix(b.Name, "uuid.")
}

// explain adds to an error about an unknown function that it is forbidden, if it is.
func explain(errs ast.Errors) error {
	names := map[string]bool{}
	for _, builtin := range ast.Builtins {
		names[builtin.Name] = forbidden(builtin)
	}
	for _, err := range errs {
		if name, found := strings.CutPrefix(err.Message, "undefined function "); found && names[name] {
			err.Message = fmt.Sprintf("function %s is forbidden: policy judges by its input alone, within bounds", name)
		}
	}
	return errs
}

// checkParts refuses bundles that change each other or pose as another.
func checkParts(parts []part) error {
	for i, p := range parts {
		data, err := p.data()
		if err != nil {
			return err
		}
		if p.Type() == bundle.DeltaBundleType {
			return fmt.Errorf("check bundle %s: delta bundles can't be loaded", p.name)
		}
		if _, posing := data[siteRoot]; posing {
			return fmt.Errorf("check bundle %s: data below %s would pose as rules; it belongs below %s",
				p.name, siteRoot, siteDataRoot)
		}
		if broadcasts(data) {
			return fmt.Errorf("check bundle %s: settings.unsafe_debug_broadcast is given on the command line alone", p.name)
		}
		for _, other := range parts[:i] {
			if err := checkOverlap(p, other); err != nil {
				return err
			}
		}
	}
	return nil
}

// broadcasts reports whether a bundle's own settings allow what needs a flag at the
// start.
func broadcasts(data map[string]any) bool {
	policyd, _ := data[policyRoot].(map[string]any)
	settings, _ := policyd["settings"].(map[string]any)
	allowed, there := settings["unsafe_debug_broadcast"]
	return there && allowed != false
}

func checkOverlap(p, other part) error {
	for _, root := range *p.Manifest.Roots {
		for _, taken := range *other.Manifest.Roots {
			if bundle.RootPathsOverlap(root, taken) {
				return fmt.Errorf("check bundle %s: root %q belongs to bundle %s (root %q)", p.name, root, other.name, taken)
			}
		}
	}
	return nil
}

// checkEntrypoint refuses policy that can't decide. Data at the entrypoint isn't a rule.
func checkEntrypoint(compiler *ast.Compiler, parts []part) error {
	rules := compiler.GetRulesExact(ast.MustParseRef(entrypointPath))
	for _, rule := range rules {
		if rule.Head.RuleKind() == ast.MultiValue || len(rule.Head.Args) > 0 {
			return fmt.Errorf("%s: %s is a set or a function, and has to be one object", rule.Location, entrypointPath)
		}
	}
	if len(rules) > 0 {
		return nil
	}
	for _, p := range parts {
		if p.ownsPolicy() {
			return fmt.Errorf("check bundle %s: it owns %s but has no rule %s", p.name, policyRoot, entrypointPath)
		}
	}
	return errors.New("check bundle: no rule " + entrypointPath)
}
