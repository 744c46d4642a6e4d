package record

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
)

// Redactor makes what a record may keep of a call. It may be used concurrently.
type Redactor struct {
	masker *Masker
	// content are the folded names of arguments with file contents.
	content atomic.Pointer[map[string]bool]
	// runs pools unused *factsRun.
	runs sync.Pool
}

// NewRedactor returns a redactor. Arguments named in contentArgs count as file contents, in addition to the
// well-known ones. Arguments and variables whose name matches one of secretNames (globs, case ignored) are
// masked whole, in addition to secret-like names. An invalid glob matches nothing.
func NewRedactor(contentArgs, secretNames []string) *Redactor {
	redactor := &Redactor{masker: NewMasker()}
	redactor.SetContentArguments(contentArgs)
	redactor.SetSecretNames(secretNames)
	return redactor
}

// SetContentArguments replaces the names of arguments that count as file contents, in addition to the
// well-known ones: operators add tools.
func (r *Redactor) SetContentArguments(names []string) {
	content := map[string]bool{}
	for _, name := range append(contentNames(), names...) {
		content[foldName(name)] = true
	}
	r.content.Store(&content)
}

// SetSecretNames replaces the globs of secret names: they belong to the active policy.
func (r *Redactor) SetSecretNames(globs []string) { r.masker.SetVariables(globs) }

// SetOwn replaces policyd's own tokens, which are masked everywhere.
func (r *Redactor) SetOwn(tokens []string) { r.masker.SetOwn(tokens) }

// Shown masks a text that a person is shown. See Masker.MaskShown.
func (r *Redactor) Shown(text string) string { return r.masker.MaskShown(text) }

// Redact returns the call as a record keeps it: file contents as
// {"bytes":n,"sha256":"…"}, or in these words inside a longer text, secret-like
// values masked. kind is the tool's kind, and known what is kept with the call's input. The
// lists name, as sorted JSON pointers into the record, what was erased and what was masked.
// Redacting a redacted call changes nothing. Arguments that can't be read are
// left out and named in erased. What is kept may be shared, and is only read.
func (r *Redactor) Redact(call *v1.Call, kind string, known *v1.Known) (kept *v1.RecordCall, erased, masked []string) {
	names := r.masker.variables.Load()
	if clean, _ := known.Load(v1.UseCall).(*cleanCall); clean != nil && clean.is(call, kind, names) {
		return clean.kept, []string{}, []string{}
	}
	run := redaction{redactor: r, kind: kind, erased: []string{}, masked: []string{}}
	kept = run.call(call)
	slices.Sort(run.erased)
	slices.Sort(run.masked)
	if known != nil && len(run.erased)+len(run.masked) == 0 && sizeOf(call) <= longestClean {
		known.Keep(v1.UseCall, newCleanCall(call, kind, names))
	}
	return kept, run.erased, run.masked
}

// redaction is one run over the arguments of one call, with what it changed.
type redaction struct {
	redactor       *Redactor
	kind           string
	erased, masked []string
}

func (r *redaction) call(call *v1.Call) *v1.RecordCall {
	kept := &v1.RecordCall{
		Tool: r.text(call.Tool, place{"/call", "tool"}), Protocol: r.text(call.Protocol, place{"/call", "protocol"}),
		Cwd: r.text(call.Cwd, place{"/call", "cwd"}), SessionID: r.text(call.Session.ID, place{"/call", "session_id"}),
		Agent: r.text(call.Session.Agent, place{"/call", "agent"}),
	}
	if args, err := decodeArgs(call.Args); err != nil {
		r.erased = append(r.erased, "/call/args")
	} else if args != nil {
		kept.Args = r.object(args, "/call/args")
	}
	if kept.Args == nil {
		kept.Args = map[string]any{}
	}
	return kept
}

func (r *redaction) object(members map[string]any, at string) map[string]any {
	// A variable as ACP writes it.
	if name, isText := members["name"].(string); isText && holdsText(members["value"]) && r.redactor.masker.SecretName(name) {
		if members["value"] != Masked {
			r.masked = append(r.masked, at+"/value")
		}
		members["value"] = Masked
	}
	for name, value := range members {
		members[name] = r.member(name, value, place{at, name})
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

func (r *redaction) member(name string, value any, at place) any {
	switch {
	case r.redactor.isContent(name, r.kind):
		return r.erase(value, at)
	case holdsText(value) && r.redactor.masker.SecretName(name):
		if value != Masked {
			r.masked = append(r.masked, at.pointer())
		}
		return Masked
	}
	return r.value(value, at)
}

func (r *redaction) value(kept any, at place) any {
	switch value := kept.(type) {
	case string:
		if looksLikePatch(value) || r.tooLong(len(value)) {
			return r.erase(value, at)
		}
		if safe := r.text(value, at); safe != value {
			return safe
		}
		return kept
	case json.Number:
		if len(value) > longestNumber {
			return r.erase(value, at)
		}
	case map[string]any:
		return r.object(value, at.pointer())
	case []any:
		if r.tooLong(textLength(value)) {
			return r.erase(value, at)
		}
		list := at.pointer()
		for i := range value {
			value[i] = r.value(value[i], place{list, strconv.Itoa(i)})
		}
	}
	return kept
}

// tooLong reports whether a text is so long that it counts as file contents.
func (r *redaction) tooLong(bytes int) bool { return bytes > largest && r.kind != v1.ToolShell }

func (r *redaction) erase(value any, at place) any {
	if isDigest(value) {
		return value
	}
	r.erased = append(r.erased, at.pointer())
	return digest(value)
}

func (r *redaction) text(text string, at place) string {
	if shorter := withoutContents(text); shorter != text {
		r.erased = append(r.erased, at.pointer())
		text = shorter
	}
	safe, changed := r.redactor.masker.Mask(text)
	if changed {
		r.masked = append(r.masked, at.pointer())
	}
	return safe
}

// holdsText reports whether a value may contain a secret: text, or nested values. Numbers stay: a limit on
// tokens isn't a token.
func holdsText(value any) bool {
	switch value := value.(type) {
	case string:
		return value != ""
	case map[string]any:
		return len(value) > 0
	case []any:
		return len(value) > 0
	}
	return false
}

// textLength is how long the texts and numbers of a list are together.
func textLength(list []any) int {
	length := 0
	for _, element := range list {
		switch element := element.(type) {
		case string:
			length += len(element)
		case json.Number:
			length += len(element)
		}
	}
	return length
}

// place is a member of an object of the record, or an element of a list in it.
type place struct {
	// in is the JSON pointer of the object.
	in, name string
}

// pointer is the JSON pointer of the place.
func (p place) pointer() string { return p.in + "/" + escapePointer(p.name) }

func escapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
