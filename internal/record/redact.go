package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
)

// contentNames are arguments that carry file contents, in the tools of the
// clients that the catalog knows.
func contentNames() []string {
	return []string{
		"content", "contents", "file_text", "fileText", "new_string", "newString", "old_string", "oldString",
		"new_str", "old_str", "new_source", "patch", "patchText", "insert_text",
	}
}

// patchStart begins an apply_patch text, which stands in "command" or "input".
const patchStart = "*** Begin Patch"

// Redactor makes what a record may keep of a call. It may be used concurrently.
type Redactor struct {
	masker      *Masker
	content     map[string]bool
	secretGlobs []string
}

// NewRedactor returns a redactor. Arguments named in contentArgs are taken for
// file contents, beside the well-known ones; arguments whose name matches one
// of secretNames (globs, case ignored) are masked whole, beside names that look
// like a secret's. A glob that can't be read matches nothing.
func NewRedactor(contentArgs, secretNames []string) *Redactor {
	redactor := &Redactor{masker: NewMasker(), content: map[string]bool{}}
	for _, name := range append(contentNames(), contentArgs...) {
		redactor.content[name] = true
	}
	for _, name := range secretNames {
		redactor.secretGlobs = append(redactor.secretGlobs, strings.ToLower(name))
	}
	return redactor
}

// Redact returns the call as a record keeps it: file contents as
// {"bytes":n,"sha256":"…"}, secret-like values masked. The lists name, as
// sorted JSON pointers into the record, what was erased and what was masked.
// Redacting a redacted call changes nothing. Arguments that can't be read are
// left out and named in erased.
func (r *Redactor) Redact(call *v1.Call, _ string) (kept v1.RecordCall, erased, masked []string) {
	run := redaction{redactor: r, erased: []string{}, masked: []string{}}
	kept = v1.RecordCall{
		Tool: run.text(call.Tool, "/call/tool"), Protocol: call.Protocol, Args: map[string]any{},
		Cwd: run.text(call.Cwd, "/call/cwd"), SessionID: call.Session.ID, Agent: call.Session.Agent,
	}
	decoder := json.NewDecoder(bytes.NewReader(call.Args))
	decoder.UseNumber()
	var args map[string]any
	if err := decoder.Decode(&args); err != nil {
		run.erased = append(run.erased, "/call/args")
	} else if args != nil {
		kept.Args = run.object(args, "/call/args")
	}
	slices.Sort(run.erased)
	slices.Sort(run.masked)
	return kept, run.erased, run.masked
}

// redaction is one run over the arguments of one call, with what it changed.
type redaction struct {
	redactor       *Redactor
	erased, masked []string
}

func (r *redaction) object(members map[string]any, at string) map[string]any {
	for name, value := range members {
		members[name] = r.member(name, value, at)
	}
	for name := range members {
		if safe, changed := r.redactor.masker.Mask(name); changed {
			value := members[name]
			delete(members, name)
			members[safe] = value
			r.masked = append(r.masked, at)
		}
	}
	return members
}

func (r *redaction) member(name string, value any, at string) any {
	redactor := r.redactor
	if text, ok := value.(string); redactor.content[name] || (ok && strings.HasPrefix(strings.TrimSpace(text), patchStart)) {
		if isDigest(value) {
			return value
		}
		r.erased = append(r.erased, at+"/"+escapePointer(name))
		return digest(value)
	}
	if redactor.secretName(name) {
		if text, ok := value.(string); ok && text != Masked && text != "" {
			r.masked = append(r.masked, at+"/"+escapePointer(name))
			return Masked
		}
	}
	switch value.(type) {
	case string, map[string]any, []any:
		return r.value(value, at+"/"+escapePointer(name))
	}
	return value
}

func (r *redaction) value(value any, at string) any {
	switch value := value.(type) {
	case string:
		return r.text(value, at)
	case map[string]any:
		return r.object(value, at)
	case []any:
		for i := range value {
			value[i] = r.value(value[i], at+"/"+strconv.Itoa(i))
		}
		return value
	}
	return value
}

func (r *redaction) text(text, at string) string {
	safe, changed := r.redactor.masker.Mask(text)
	if changed {
		r.masked = append(r.masked, at)
	}
	return safe
}

func (r *Redactor) secretName(name string) bool {
	if r.masker.SecretName(name) {
		return true
	}
	lower := strings.ToLower(name)
	return slices.ContainsFunc(r.secretGlobs, func(glob string) bool {
		matched, err := path.Match(glob, lower)
		return err == nil && matched
	})
}

// digest stands for content: what it was can be proven, not read.
func digest(value any) map[string]any {
	content, isText := value.(string)
	if !isText {
		encoded, err := json.Marshal(value)
		if err != nil {
			encoded = nil // the length 0 then says that nothing was kept
		}
		content = string(encoded)
	}
	sum := sha256.Sum256([]byte(content))
	return map[string]any{"bytes": len(content), "sha256": hex.EncodeToString(sum[:])}
}

func isDigest(value any) bool {
	members, ok := value.(map[string]any)
	if !ok || len(members) != 2 {
		return false
	}
	sum, ok := members["sha256"].(string)
	if !ok || len(sum) != 2*sha256.Size || strings.Trim(sum, "0123456789abcdef") != "" {
		return false
	}
	number, ok := members["bytes"].(json.Number)
	return ok && strings.Trim(number.String(), "0123456789") == ""
}

func escapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
