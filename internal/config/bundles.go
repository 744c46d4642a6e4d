package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// advice is what to do about what may not be in the file; it is not repeated.
const advice = "the file contains a credential; write ${NAME} there and set the variable NAME, or name a file that holds it"

// bundlesShape is OPA's configuration as far as bundles need it. The engine checks its content.
func bundlesShape() shape {
	anything := shape{kind: free}
	part := shape{kind: table, each: &anything}
	return fixed(map[string]shape{
		"services": part, "keys": part, "bundles": part, "discovery": part, "labels": part, "status": part,
		"test_on_activate": {kind: boolean},
	})
}

func (c *Config) fillBundles(values map[string]any) {
	c.MaxPolicyAge = get(values, "max_policy_age", time.Duration(0))
	c.Contain = get(values, "contain", ContainAuto)
	c.StalePolicy = get(values, "stale_policy", StaleUnready)
	given := get(values, "bundles", map[string]any{})
	c.TestOnActivate = get(given, "test_on_activate", true)
	c.Bundles = maps.Clone(given)
	delete(c.Bundles, "test_on_activate")
}

// BundleFiles are the files to which the configuration of bundles refers: bundles, keys and every other path
// to a file, as absolute paths. They decide what agents may do, so agents must not change them (P6).
func (c *Config) BundleFiles() []string {
	found := map[string]bool{}
	collectFiles(c.Bundles, found)
	return slices.Sorted(maps.Keys(found))
}

func collectFiles(value any, found map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			collectFiles(member, found)
		}
	case []any:
		for _, element := range value {
			collectFiles(element, found)
		}
	case string:
		name, isURL := strings.CutPrefix(value, "file://")
		if filepath.IsAbs(name) {
			found[filepath.Clean(name)] = true
			return
		}
		if isURL || strings.ContainsAny(value, "\n\x00") {
			return
		}
		if _, err := os.Lstat(value); err != nil {
			return
		}
		if absolute, err := filepath.Abs(value); err == nil {
			found[absolute] = true
		}
	}
}

// plainCredential returns the key of a credential that doesn't come from the environment, or "". An absolute
// path refers to a file with a credential.
func plainCredential(value any, key string, expanded map[string]bool) string {
	members, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		inner := join(key, name)
		text, isText := members[name].(string)
		switch {
		case !isText:
			if found := plainCredential(members[name], inner, expanded); found != "" {
				return found
			}
		case text != "" && !expanded[inner] && !filepath.IsAbs(text) && holdsCredential(name, members):
			return inner
		}
	}
	return ""
}

// holdsCredential goes by the key names of OPA's configuration and by the names of headers.
func holdsCredential(name string, beside map[string]any) bool {
	lower := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	if algorithm, _ := beside["algorithm"].(string); lower == "key" && strings.HasPrefix(algorithm, "HS") {
		return true
	}
	for _, ending := range []string{"_path", "_file", "_url", "_name", "_type", "_seconds"} {
		if strings.HasSuffix(lower, ending) {
			return false
		}
	}
	for _, part := range []string{"token", "password", "passphrase", "secret", "private_key", "authorization", "cookie", "api_key", "apikey"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}
