package record

import "regexp"

// pattern finds one kind of secret. The hints are cheap to look for, in lower
// case and at least three characters long; text that holds none of them can't
// match.
type pattern struct {
	hints   []string
	find    *regexp.Regexp
	replace string
}

// secretWord is what names of secrets have in common.
const secretWord = `(?:passw(?:or)?d|passphrase|secret|token|credential|_pat\b|_auth\b|_pass\b|_pwd\b|` +
	`(?:api|access|private|auth|account|signing|encryption|master|service|shared|storage)[_-]?key)`

// A value ends where a shell or JSON would end it. What is quoted may hold
// escaped quotes, and quotes may themselves be escaped, as they are in JSON that
// stands between a shell's quotes.
const (
	quotedValue = `\\"(?:[^"\\]|\\[^"])*(?:\\")?|"(?:[^"\\]|\\.)*"?|'[^']*'?`
	substituted = `\$\((?:[^()]|\([^()]*\))*\)?|` + "`[^`]*`?" + `|\([^()]*\)?`
	value       = `(?:` + quotedValue + `|` + substituted + `|(?:\\.|[^\s"'\\&;|,}\])])+\]?)`
	word        = `(?:` + quotedValue + `|` + substituted + `|[^\s"'\\;&|]+)`
)

// patterns are the shapes of secrets: keys and tokens that have a form of their
// own, addresses and headers, and options of programs.
func patterns() []pattern {
	return append(append(headers(), named()...), append(options(), tokens()...)...)
}

// headers are the parts of requests that carry credentials.
func headers() []pattern {
	return []pattern{
		{[]string{"private key"}, regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)`), Masked},
		{[]string{"authorization"}, regexp.MustCompile(`(?i)(authorization\\?["']?\s*[:=]\s*\\?["']?)(?:(?:bearer|basic|token|digest|negotiate)\s+)?[^\s"'\\]+`), "${1}" + Masked},
		{[]string{"bearer"}, regexp.MustCompile(`(?i)(\bbearer\s+)[^\s"'\\]{8,}`), "${1}" + Masked},
		{[]string{"cookie"}, regexp.MustCompile(`(?i)(\b(?:set-)?cookie\\?["']?\s*[:=]\s*\\?["']?)[^"'\\\r\n]+`), "${1}" + Masked},
		{[]string{"--cookie"}, regexp.MustCompile(`(?i)(\s--cookie\s+)` + word), "${1}" + Masked},
		{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@"']*:[^/\s"']+@`), "${1}" + Masked + "@"},
		{[]string{"://"}, regexp.MustCompile(`(?i)(\b(?:[a-z0-9.-]+\+)?https?://)[^/\s:@"'?#]+@`), "${1}" + Masked + "@"},
	}
}

// named are values that stand beside a name, in whatever notation.
func named() []pattern {
	words := []string{"passw", "passphrase", "secret", "token", "key", "credential", "_pat", "_auth", "_pass", "_pwd"}
	return []pattern{
		{words, regexp.MustCompile(`(?i)([\w.-]*` + secretWord + `[\w.-]*\\?["']?\s*[=:]\s*)` + value), "${1}" + Masked},
		{words, regexp.MustCompile(`(?i)(--?[\w-]*` + secretWord + `[\w-]*\s+)([^\s"'-][^\s"']*|"(?:[^"\\]|\\.)*"?|'[^']*'?)`), "${1}" + Masked},
		{words, regexp.MustCompile(`(?i)(\b(?:set|setx|config)\s+(?:-\S+\s+)*[\w.:/@-]*` + secretWord + `[\w.-]*\s+)` + word), "${1}" + Masked},
		{[]string{"pass"}, regexp.MustCompile(`(?i)(\bpass\\?["']?\s*=\s*|\\?["']pass\\?["']\s*:\s*|\bpass:)` + value), "${1}" + Masked},
		{[]string{"--pass"}, regexp.MustCompile(`(?i)(\s--?pass\s+)` + word), "${1}" + Masked},
	}
}

// options are options whose name tells nothing without the program's.
func options() []pattern {
	const rest = `\b[^\n;&|]*?\s`
	// line is the rest of a line: an address may hold what ends a command.
	const line = `\b(?:[^\n]|\\\n)*?\s`
	const pair = `(?:"[^"\s]*:[^"]*"?|'[^'\s]*:[^']*'?|[^\s"':]+:[^\s"']+)`
	return []pattern{
		{[]string{"curl", "wget", "http ", "https ", "xh "}, regexp.MustCompile(`(\b(?:curl|wget|https?|xh)` + line + `(?:-[a-zA-Z]*[uU]\s*|--(?:proxy-)?user[\s=]+))` + pair), "${1}" + Masked},
		{[]string{"sshpass"}, regexp.MustCompile(`(\bsshpass\s+(?:-\S+\s+)*-p\s*)` + word), "${1}" + Masked},
		{[]string{"mysql", "mariadb"}, regexp.MustCompile(`(\b(?:mysql|mariadb)[\w-]*` + rest + `-p)` + word), "${1}" + Masked},
		{[]string{"mongo"}, regexp.MustCompile(`(\bmongo\w*` + rest + `-p\s*)` + word), "${1}" + Masked},
		{[]string{"redis-cli"}, regexp.MustCompile(`(\bredis-cli` + rest + `-a\s*)` + word), "${1}" + Masked},
		{[]string{"login"}, regexp.MustCompile(`(\blogin` + rest + `-p[\s=]*)` + word), "${1}" + Masked},
	}
}

// tokens have a form that says what they are.
func tokens() []pattern {
	return []pattern{
		{[]string{"akia", "asia"}, regexp.MustCompile(`\bA(?:KI|SI)A[0-9A-Z]{16,}`), Masked},
		{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}`), Masked},
		{[]string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), Masked},
		{[]string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), Masked},
		{[]string{"xox"}, regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{8,}`), Masked},
		{[]string{"npm_"}, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{16,}`), Masked},
		{[]string{"pypi-"}, regexp.MustCompile(`\bpypi-[A-Za-z0-9_-]{16,}`), Masked},
		{[]string{"aiza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{30,}`), Masked},
		{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*)?`), Masked},
	}
}
