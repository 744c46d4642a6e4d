package credential

import "strings"

// Span is where a credential is in a text: text[Start:End].
type Span struct{ Start, End int }

// Find returns the credentials in a text, in order and without overlap:
//
//   - tokens by their form, whole;
//   - what an address has in front of its host: a user with a password under any scheme
//     (socks5h://u:p@host), and a user alone under http and https, since it may be a token;
//   - user and password in a segment of an address (https://host/oauth2:T@other/) or in front of a host
//     and a path as scp takes them (u:p@host:path);
//   - values of parameters that authenticate (?private_token=).
//
// An empty or masked value doesn't count.
func Find(text string) []Span {
	f := finder{text: text, scanner: tokens()}
	f.run()
	return f.spans
}

// Holds reports whether Find finds a credential, or the text contains a private key or a header that
// authenticates.
func Holds(text string) bool {
	if strings.Contains(text, "PRIVATE KEY-----") || len(Find(text)) > 0 {
		return true
	}
	lower := strings.ToLower(text)
	_, header, found := strings.Cut(lower, "authorization:")
	return found && strings.TrimSpace(header) != ""
}

// Mask returns a text with each credential replaced, and the text itself if it has none.
func Mask(text, replacement string) string {
	spans := Find(text)
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	from := 0
	for _, span := range spans {
		out.WriteString(text[from:span.Start])
		out.WriteString(replacement)
		from = span.End
	}
	out.WriteString(text[from:])
	return out.String()
}

// finder scans a text once.
type finder struct {
	text    string
	scanner *scanner
	spans   []Span
	// last is where the last span ends.
	last int
	// word is where the current word began, and address is true after a scheme in it.
	word    int
	address bool
}

func (f *finder) run() {
	for i := 0; i < len(f.text); i++ {
		if span, found := f.scanner.at(f.text, i, f.last); found {
			f.add(span)
			i = span.End - 1
			continue
		}
		switch f.text[i] {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', '<', '>', '(', ')':
			f.word, f.address = i+1, false
		case ':':
			if strings.HasPrefix(f.text[i:], "://") {
				f.address = true
				f.userinfo(i)
			}
		case '/':
			if f.address {
				f.segment(i + 1)
			}
		case '?', '&', ';':
			f.parameter(i + 1)
		case '@':
			if !f.address {
				f.copied(i)
			}
		}
		i = max(i, f.last-1)
	}
}

func (f *finder) add(span Span) {
	if span.Start < f.last || span.Start >= span.End || f.text[span.Start:span.End] == masked {
		return
	}
	f.spans = append(f.spans, span)
	f.last = span.End
}

// masked replaces a secret in records.
const masked = "[masked]"

// notAuthority are the bytes that end the authority of an address.
const notAuthority = "/ \t\r\n\"'\\<>`"

// userinfo parses what follows a scheme, whose colon is at i.
func (f *finder) userinfo(i int) {
	from := i + len("://")
	authority := f.text[from:]
	if end := strings.IndexAny(authority, notAuthority); end >= 0 {
		authority = authority[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at <= 0 {
		return
	}
	user, password, named := strings.Cut(authority[:at], ":")
	scheme := strings.ToLower(f.text[max(f.word, i-len("https")):i])
	web := strings.HasSuffix(scheme, "http") || scheme == "https"
	switch {
	case strings.ContainsAny(user, "?#"):
	case named && password != "" && !strings.Contains(user, "@"), web:
		f.add(Span{Start: from, End: from + at})
	}
}

// shortestPassword is the length below which the text between a colon and an at sign, in a path, could be a
// version or a port.
const shortestPassword = 8

// tokenUsers are the user names of forges whose password is a token.
var tokenUsers = []string{"oauth2", "x-access-token", "x-token-auth", "gitlab-ci-token", "private-token", "token", "__token__"}

// segment looks at a segment of an address that begins at i.
func (f *finder) segment(i int) {
	rest := f.text[i:]
	if end := strings.IndexAny(rest, notAuthority+"?#"); end >= 0 {
		rest = rest[:end]
	}
	user, behind, named := strings.Cut(rest, ":")
	at := strings.LastIndexByte(behind, '@')
	if !named || user == "" || at < 1 || strings.HasPrefix(behind[at:], "@sha") || strings.Contains(user, "@") {
		return
	}
	known := false
	for _, name := range tokenUsers {
		known = known || strings.EqualFold(user, name)
	}
	if known || at >= shortestPassword {
		start := i + len(user) + 1
		f.add(Span{Start: start, End: start + at})
	}
}

// copied parses user:password@host:path, whose at sign is at i.
func (f *finder) copied(i int) {
	if i-f.word > longestHost {
		return // also, a word of nothing but at signs would be read again for each
	}
	user, password, named := strings.Cut(f.text[f.word:i], ":")
	if !named || user == "" || password == "" || strings.ContainsAny(user, "/@=") || strings.ContainsAny(password, "/@") {
		return
	}
	host, _, ends := strings.Cut(f.text[i+1:min(len(f.text), i+1+longestHost)], ":")
	if !ends || host == "" || strings.HasPrefix(host, "sha") || strings.Trim(host, hostBytes) != "" {
		return
	}
	f.add(Span{Start: i - len(password), End: i})
}

const (
	longestHost = 254
	hostBytes   = "0123456789" + capitals + small + "-._"
)

// parameter parses a parameter of a query whose name begins at i.
func (f *finder) parameter(i int) {
	rest := f.text[i:min(len(f.text), i+longestName)]
	equals := strings.IndexByte(rest, '=')
	if equals < 1 || strings.Trim(rest[:equals], hostBytes+"%[]") != "" || !secretParameter(rest[:equals]) {
		return
	}
	start := i + equals + 1
	end := strings.IndexAny(f.text[start:], "&;# \t\r\n\"'`<>\\")
	if end < 0 {
		end = len(f.text) - start
	}
	f.add(Span{Start: start, End: start + end})
}

const longestName = 65

// parameters are whole names of parameters that authenticate. parameterWords are parts of longer names of
// such parameters, without dashes and underscores.
var (
	parameters     = []string{"sig", "key", "auth", "jwt", "pass", "pwd", "pat", "sid"}
	parameterWords = []string{"token", "secret", "passw", "apikey", "accesskey", "signature", "credential", "authkey", "privatekey"}
)

func secretParameter(name string) bool {
	var room [longestName]byte
	letters := room[:0]
	for _, c := range []byte(name) {
		if c != '-' && c != '_' && c != '.' {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			letters = append(letters, c)
		}
	}
	folded := string(letters)
	for _, word := range parameterWords {
		if strings.Contains(folded, word) {
			return true
		}
	}
	for _, whole := range parameters {
		if folded == whole {
			return true
		}
	}
	return false
}
