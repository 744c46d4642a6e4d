package record

import (
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"policyd/internal/credential"
)

// Masked replaces a secret-like value.
const Masked = "[masked]"

// Masker masks secret-like values. It may be used concurrently.
type Masker struct {
	patterns   []pattern
	named      *regexp.Regexp
	assignment *regexp.Regexp
	hints      *hints
	variables  atomic.Pointer[secretNames]
	own        atomic.Pointer[ownTokens]
}

// NewMasker returns a masker for the well-known shapes of secrets.
func NewMasker() *Masker {
	m := &Masker{
		patterns:   patterns(),
		named:      regexp.MustCompile(`(?i)` + secretWord),
		assignment: regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)=` + value),
	}
	m.hints = newHints(m.patterns)
	m.SetVariables(nil)
	return m
}

// SetVariables makes variables secret whose name matches one of the globs, in addition to those with a
// secret-like name: values assigned to them are masked. It replaces the earlier globs. Case is ignored, and
// an invalid glob matches nothing.
func (m *Masker) SetVariables(globs []string) {
	names := &secretNames{globs: make([]nameGlob, len(globs))}
	for i, glob := range globs {
		names.globs[i] = newNameGlob(glob)
	}
	m.variables.Store(names)
}

// passes bounds how often the patterns are run over their own result.
const passes = 4

// Mask returns text with secret-like values replaced, and whether it replaced any. Masking twice changes
// nothing more. Text without a secret-like value costs no allocation.
func (m *Masker) Mask(text string) (string, bool) {
	if len(text) < shortest {
		return text, false
	}
	masked := m.shaped(text)
	found := m.hints.matching(masked)
	if found == 0 && !m.variables.Load().assigned(masked) && masked == text {
		return text, false
	}
	for range passes {
		next := m.shaped(m.once(masked, found))
		if next == masked {
			return masked, masked != text
		}
		masked, found = next, m.hints.matching(next)
	}
	// A text that still changes isn't a text that a person wrote: all of it is masked.
	return Masked, true
}

// shaped masks credentials by their form: policyd's own tokens, and those that package credential finds.
func (m *Masker) shaped(text string) string {
	return credential.Mask(m.own.Load().mask(text), Masked)
}

// MaskShown is Mask for a text that a person answers. It hides nothing that a shell would run: if a value is
// the output of a command, it masks credentials by their form alone.
func (m *Masker) MaskShown(text string) string {
	masked, changed := m.Mask(text)
	if !changed || active(masked) == active(text) {
		return masked
	}
	masked = m.shaped(text)
	if active(masked) != active(text) {
		return text
	}
	return masked
}

// active counts the characters with which a shell runs something or begins another command.
func active(text string) int {
	count := 0
	for _, c := range []byte(text) {
		if strings.IndexByte("$`;|&<>()\n", c) >= 0 {
			count++
		}
	}
	return count
}

// shortest is the shortest text that can contain a name and its secret.
const shortest = 6

// once runs the patterns with a hint in the text.
func (m *Masker) once(text string, found patternSet) string {
	for i := range m.patterns {
		rule := &m.patterns[i]
		// Replacing allocates even without a match; searching doesn't.
		if !found.has(i) || !rule.find.MatchString(text) {
			continue
		}
		if next := rule.find.ReplaceAllString(text, rule.replace); next != text {
			text, found = next, m.hints.matching(next)
		}
	}
	return m.assigned(text)
}

// assigned masks the values that are assigned to the operators' secret variables.
func (m *Masker) assigned(text string) string {
	names := m.variables.Load()
	if !names.assigned(text) {
		return text
	}
	return m.assignment.ReplaceAllStringFunc(text, func(found string) string {
		name, _, _ := strings.Cut(found, "=")
		if !names.match(name) {
			return found
		}
		return name + "=" + Masked
	})
}

// SecretName reports whether a key or variable with this name is secret.
func (m *Masker) SecretName(name string) bool {
	names := m.variables.Load()
	if secret, known := names.find(name); known {
		return secret
	}
	secret := m.named.MatchString(name) || names.match(name)
	names.keep(name, secret)
	return secret
}

// secretNames are the operators' globs, and the results for names so far: calls repeat the
// same few arguments.
type secretNames struct {
	globs []nameGlob

	mu    sync.RWMutex
	known map[string]bool
}

// mostNames and longestName bound the results that are kept, since an agent can invent names.
const (
	mostNames   = 512
	longestName = 64
)

func (n *secretNames) match(name string) bool {
	lower := strings.ToLower(name)
	for i := range n.globs {
		if n.globs[i].matches(lower) {
			return true
		}
	}
	return false
}

// assigned reports whether a secret name may precede an equals sign. A name that the
// assignment's pattern matches has no letter or underscore before it, but it may have
// digits: the value before it ends before another character, or in one.
func (n *secretNames) assigned(text string) bool {
	for from := 0; len(n.globs) > 0; {
		end := strings.IndexByte(text[from:], '=')
		if end < 0 {
			break
		}
		end += from
		start := end
		for start > from && nameByte(text[start-1]) {
			start--
		}
		if name := strings.TrimLeft(text[start:end], "0123456789"); name != "" && n.match(name) {
			return true
		}
		from = end + 1
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (n *secretNames) find(name string) (secret, known bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	secret, known = n.known[name]
	return secret, known
}

func (n *secretNames) keep(name string, secret bool) {
	if len(name) > longestName {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known) == mostNames {
		n.known = map[string]bool{}
	}
	n.known[strings.Clone(name)] = secret
}
