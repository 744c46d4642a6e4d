package bundles

import (
	"bufio"
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
func revisionOf(parts []part, settings map[string]any) string {
	names := make([]string, 0, len(parts)+1)
	for _, p := range parts {
		names = append(names, p.version())
	}
	if len(settings) > 0 {
		sum := sha256.New()
		digestValue(sum, settings)
		names = append(names, "settings-"+shorten(sum))
	}
	return strings.Join(names, "+")
}

// revision is a digest of the bundle's part of the snapshot, after the manifest's revision if there is one:
// edited rules with an unchanged manifest are another revision. The bundle's location and its tests don't
// count.
func (p part) revision() string {
	digest := p.contentDigest()
	if p.Manifest.Revision != "" {
		return p.Manifest.Revision + "-" + digest
	}
	return digest
}

func (p part) contentDigest() string {
	modules := slices.Clone(p.Modules)
	slices.SortFunc(modules, func(a, b bundle.ModuleFile) int { return strings.Compare(a.RelativePath, b.RelativePath) })
	sum := sha256.New()
	for _, module := range modules {
		if !isTest(module.Path) {
			writeField(sum, []byte(strings.TrimPrefix(module.RelativePath, "/")))
			writeField(sum, module.Raw)
		}
	}
	digestValue(sum, p.Data)
	return shorten(sum)
}

func shorten(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil))[:digestLength] }

// digestValue digests decoded JSON, in a form that does not depend on the order of a map. No two different
// values have the same bytes, since each begins with its kind and length.
func digestValue(sum hash.Hash, value any) {
	const buffered = 32 << 10 // the values of the embedded bundle are some 400 KiB
	d := digester{out: bufio.NewWriterSize(sum, buffered)}
	d.value(value)
	_ = d.out.Flush() // a hash never fails to write
}

type digester struct {
	out *bufio.Writer
	// names are the members of the objects that are being written, the inner ones last.
	names []string
}

func (d *digester) value(value any) {
	switch value := value.(type) {
	case map[string]any:
		d.members(value)
	case []any:
		d.start('[', len(value))
		for _, item := range value {
			d.value(item)
		}
	case string:
		d.text('"', value)
	case json.Number:
		d.text('#', value.String())
	default: // null, true, false, and numbers that settings have from Go
		d.text('.', fmt.Sprintf("%T %v", value, value))
	}
}

func (d *digester) members(object map[string]any) {
	first := len(d.names)
	for name := range object {
		d.names = append(d.names, name)
	}
	slices.Sort(d.names[first:])
	d.start('{', len(object))
	for i := range len(object) {
		name := d.names[first+i]
		d.text('"', name)
		d.value(object[name])
	}
	d.names = d.names[:first]
}

func (d *digester) text(kind byte, text string) {
	d.start(kind, len(text))
	_, _ = d.out.WriteString(text)
}

func (d *digester) start(kind byte, length int) {
	start := strconv.AppendInt(append(d.out.AvailableBuffer(), kind), int64(length), 10)
	_, _ = d.out.Write(append(start, ':'))
}

// writeField digests content with its length before it, so that no two lists of fields
// have the same bytes.
func writeField(sum hash.Hash, content []byte) {
	sum.Write(append(strconv.AppendInt(nil, int64(len(content)), 10), ':'))
	sum.Write(content)
}
