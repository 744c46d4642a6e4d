package record

import (
	"regexp"
	"strings"
)

// Masked stands where a secret-like value was.
const Masked = "[masked]"

// pattern finds one kind of secret. The hints are cheap to look for, in lower
// case; text that holds none of them can't match.
type pattern struct {
	hints   []string
	find    *regexp.Regexp
	replace string
}

// secretWord is what names of secrets have in common.
const secretWord = `(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|_pat\b|_auth\b)`

// Masker masks secret-like values. It may be used concurrently.
type Masker struct {
	patterns []pattern
	named    *regexp.Regexp
}

// NewMasker returns a masker for the well-known shapes of secrets.
func NewMasker() *Masker {
	words := []string{
		"passw", "passphrase", "secret", "token", "key", "credential", "_pat", "_auth",
	}
	value := `("[^"]*"?|'[^']*'?|[^\s"'&;|,}\])]+\]?)`
	return &Masker{
		named: regexp.MustCompile(`(?i)` + secretWord),
		patterns: []pattern{
			{[]string{"private key"}, regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)`), Masked},
			{[]string{"authorization"}, regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|token|digest|negotiate)\s+)?[^\s"']+`), "${1}" + Masked},
			{[]string{"bearer"}, regexp.MustCompile(`(?i)(\bbearer\s+)[^\s"']{8,}`), "${1}" + Masked},
			{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@"']*:[^/\s"']+@`), "${1}" + Masked + "@"},
			{words, regexp.MustCompile(`(?i)([\w.-]*` + secretWord + `[\w.-]*["']?\s*[=:]\s*)` + value), "${1}" + Masked},
			{words, regexp.MustCompile(`(?i)(--?[\w-]*` + secretWord + `[\w-]*\s+)([^\s"'-][^\s"']*|"[^"]*"?|'[^']*'?)`), "${1}" + Masked},
			{[]string{"akia", "asia"}, regexp.MustCompile(`\bA(?:KI|SI)A[0-9A-Z]{16,}`), Masked},
			{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}`), Masked},
			{[]string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), Masked},
			{[]string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), Masked},
			{[]string{"xox"}, regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{8,}`), Masked},
		},
	}
}

// passes bounds how often the patterns are run over their own result.
const passes = 4

// Mask returns text with secret-like values replaced, and whether anything was.
// Masking twice changes nothing more. Text without secrets costs no allocation
// beyond its lower-case copy, and that only where it isn't lower case already.
func (m *Masker) Mask(text string) (string, bool) {
	if len(text) < 6 {
		return text, false
	}
	masked := text
	for range passes {
		next := m.once(masked)
		if next == masked {
			return masked, masked != text
		}
		masked = next
	}
	// Text that still changes is no text anybody wrote: none of it is kept.
	return Masked, true
}

func (m *Masker) once(text string) string {
	lower := strings.ToLower(text)
	for i := range m.patterns {
		rule := &m.patterns[i]
		if !hinted(lower, rule.hints) {
			continue
		}
		if next := rule.find.ReplaceAllString(text, rule.replace); next != text {
			text, lower = next, strings.ToLower(next)
		}
	}
	return text
}

func hinted(lower string, hints []string) bool {
	for _, hint := range hints {
		if strings.Contains(lower, hint) {
			return true
		}
	}
	return false
}

// SecretName reports whether a key or variable of this name holds a secret.
func (m *Masker) SecretName(name string) bool { return m.named.MatchString(name) }
