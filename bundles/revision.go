package bundles

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
)

// digestLength is that of a digest in a revision, in hexadecimal digits.
const digestLength = 12

// revisionOf names the policy that parts and settings make together.
func revisionOf(parts []part, settings map[string]any) string {
	names := make([]string, 0, len(parts)+1)
	for _, p := range parts {
		names = append(names, p.named())
	}
	if len(settings) > 0 {
		sum := sha256.New()
		digestValue(sum, settings)
		names = append(names, "settings-"+shorten(sum))
	}
	return strings.Join(names, "+")
}

// revision is what the manifest says, or else a digest of what the snapshot takes from
// the bundle. Where the bundle lies and its tests don't count.
func (p part) revision() string {
	if p.Manifest.Revision != "" {
		return p.Manifest.Revision
	}
	modules := slices.Clone(p.Modules)
	slices.SortFunc(modules, func(a, b bundle.ModuleFile) int { return strings.Compare(a.RelativePath, b.RelativePath) })
	sum := sha256.New()
	for _, module := range modules {
		if !isTest(module.Path) {
			writeField(sum, strings.TrimPrefix(module.RelativePath, "/"))
			writeField(sum, module.Raw)
		}
	}
	digestValue(sum, p.Data)
	return shorten(sum)
}

func shorten(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil))[:digestLength] }

// digestValue digests what was read from JSON, in a form that does not depend on the
// order of a map.
func digestValue(sum hash.Hash, value any) {
	const buffered = 32 << 10 // most values are far smaller; those of the embedded bundle are some 400 KiB
	out := bufio.NewWriterSize(sum, buffered)
	writeValue(out, value)
	_ = out.Flush() // a hash never fails to write
}

// writeValue writes a value so that no two different ones have the same bytes: each says
// of what kind and how long it is before it begins.
func writeValue(out *bufio.Writer, value any) {
	switch value := value.(type) {
	case map[string]any:
		writeStart(out, '{', len(value))
		for _, key := range slices.Sorted(maps.Keys(value)) {
			writeField(out, key)
			writeValue(out, value[key])
		}
	case []any:
		writeStart(out, '[', len(value))
		for _, item := range value {
			writeValue(out, item)
		}
	case string:
		_ = out.WriteByte('"')
		writeField(out, value)
	case json.Number:
		_ = out.WriteByte('#')
		writeField(out, value.String())
	default: // null, true, false, and numbers that settings have from Go
		_ = out.WriteByte('.')
		writeField(out, fmt.Sprintf("%T %v", value, value))
	}
}

func writeStart(out io.Writer, kind byte, length int) {
	_, _ = out.Write(append(strconv.AppendInt([]byte{kind}, int64(length), 10), ':'))
}

// writeField writes content with its length before it, so that no two lists of fields
// have the same bytes. A hash never fails to write.
func writeField[T string | []byte](out io.Writer, content T) {
	_, _ = out.Write(append(strconv.AppendInt(nil, int64(len(content)), 10), ':'))
	_, _ = io.WriteString(out, string(content))
}
