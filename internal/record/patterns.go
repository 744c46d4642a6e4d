package record

import (
	"regexp"
	"slices"
)

// pattern matches one kind of secret. The hints are cheap to search for, in lower case and at least three
// characters long; a text without any of them can't match.
type pattern struct {
	hints   []string
	find    *regexp.Regexp
	replace string
}

// secretWord is what names of secrets have in common.
const secretWord = `(?:passw(?:or)?d|passphrase|secret|token|credential|_pat\b|_auth\b|_pass\b|_pwd\b|` +
	`(?:api|access|private|auth|account|signing|encryption|master|service|shared|storage)[_-]?key)`

// A value ends where a shell or JSON would end it. A quoted value may contain escaped quotes, and quotes may
// themselves be escaped, as in JSON within a shell's quotes.
const (
	quotedValue = `\\"(?:[^"\\]|\\[^"])*(?:\\")?|"(?:[^"\\]|\\.)*"?|'[^']*'?`
	substituted = `\$\((?:[^()]|\([^()]*\))*\)?|` + "`[^`]*`?" + `|\([^()]*\)?`
	value       = `(?:` + quotedValue + `|` + substituted + `|(?:\\.|[^\s"'\\&;|,}\])])+\]?)`
	word        = `(?:` + quotedValue + `|` + substituted + `|[^\s"'\\;&|]+)`
)

// patterns are the forms of secrets that package credential doesn't match: headers, values after a name, and
// options of programs.
func patterns() []pattern {
	return slices.Concat(headers(), named(), options())
}

// headers are the parts of requests that carry credentials.
func headers() []pattern {
	return []pattern{
		{[]string{"private key"}, regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)`), Masked},
		{[]string{"authorization"}, regexp.MustCompile(`(?i)(authorization\\?["']?\s*[:=]\s*\\?["']?)(?:(?:bearer|basic|token|digest|negotiate)\s+)?[^\s"'\\]+`), "${1}" + Masked},
		{[]string{"bearer"}, regexp.MustCompile(`(?i)(\bbearer\s+)[^\s"'\\]{8,}`), "${1}" + Masked},
		{[]string{"cookie"}, regexp.MustCompile(`(?i)(\b(?:set-)?cookie\\?["']?\s*[:=]\s*\\?["']?)[^"'\\\r\n]+`), "${1}" + Masked},
		{[]string{"--cookie"}, regexp.MustCompile(`(?i)(\s--cookie\s+)` + word), "${1}" + Masked},
	}
}

// named are values next to a name, in any notation.
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

// options are options whose name is ambiguous without the program's.
func options() []pattern {
	const rest = `\b[^\n;&|]*?\s`
	// line is the rest of a line: an address may contain characters that end a command.
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
