package bundles

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
)

// digestLength is that of a digest in a revision, in hexadecimal digits.
const digestLength = 12

// revisionOf names the policy that parts and settings make together.
func revisionOf(parts []part, settings map[string]any) (string, error) {
	names := make([]string, 0, len(parts)+1)
	for _, p := range parts {
		names = append(names, p.named)
	}
	if len(settings) > 0 {
		sum := sha256.New()
		if err := writeJSON(sum, settings); err != nil {
			return "", fmt.Errorf("digest settings: %w", err)
		}
		names = append(names, "settings-"+shorten(sum))
	}
	return strings.Join(names, "+"), nil
}

// revision is what the manifest says, or else a digest of what the snapshot takes from
// the bundle. Where the bundle lies and its tests don't count.
func (p part) revision() (string, error) {
	if p.Manifest.Revision != "" {
		return p.Manifest.Revision, nil
	}
	modules := slices.Clone(p.Modules)
	slices.SortFunc(modules, func(a, b bundle.ModuleFile) int { return strings.Compare(a.RelativePath, b.RelativePath) })
	sum := sha256.New()
	for _, module := range modules {
		if !isTest(module.Path) {
			writeField(sum, []byte(strings.TrimPrefix(module.RelativePath, "/")))
			writeField(sum, module.Raw)
		}
	}
	if err := writeJSON(sum, p.Data); err != nil {
		return "", fmt.Errorf("digest data of %s: %w", p.name, err)
	}
	return shorten(sum), nil
}

func shorten(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil))[:digestLength] }

// writeJSON digests a value in a form that does not depend on the order of a map.
func writeJSON(sum hash.Hash, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	writeField(sum, content)
	return nil
}

// writeField digests content with its length before it, so that no two lists of fields
// have the same bytes. A hash never fails to write.
func writeField(sum hash.Hash, content []byte) {
	sum.Write(strconv.AppendInt(nil, int64(len(content)), 10))
	sum.Write([]byte{':'})
	sum.Write(content)
}
