package argv

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A risk is what an approval has to be given for by name before it covers a call. The table
// states it as a text, or as a text with "{…}" in it, where the value of the option or operand
// is put: an approval that is given for "method POST" covers no "method DELETE".

// RiskTable holds the risks that options and operands have in every program whose own entry
// doesn't state any, and in programs that have no entry.
type RiskTable struct {
	// Options are long names of options, with two dashes, to risks. One whose risk holds the
	// value is no risk of an option that takes none.
	Options map[string]string `json:"options"`
	// Kinds are kinds of values and operands to risks.
	Kinds map[string]string `json:"kinds"`
	// Commands are names of subcommands to risks of their operands of kind unknown.
	Commands map[string]string `json:"commands"`
	// Headers are those of a request that only say in which form the answer is wanted.
	Headers []string `json:"headers"`
	// Credentials are resources of a cluster that hold credentials, in the singular.
	Credentials []string `json:"credentials"`
}

// mark gives every option of a program its risk: what the entry states for it, what the common
// table has for one of its names or for its kind, or its name if its kind is unknown.
func (t *RiskTable) mark(p *Program) {
	common := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		known := p.Options[name]
		risk, ok := t.Options[DoubleDashed(name)]
		if ok && (known.Kinds[0] != "none" || !strings.Contains(risk, "{")) && common[known.Canonical] == "" {
			common[known.Canonical] = risk
		}
	}
	for name, known := range p.Options {
		own, stated := p.Risks[known.Canonical]
		switch {
		case stated:
			known.Risk = own
		case common[known.Canonical] != "":
			known.Risk = common[known.Canonical]
		case known.Kinds[0] == "unknown" && len(p.ChainRoles) == 0: // else its value is one: see defined
			known.Risk = known.Canonical + "," + t.Kinds["unknown"]
		default:
			known.Risk = t.Kinds[strings.TrimSuffix(known.Kinds[0], "?")]
		}
		p.Options[name] = known
	}
	for name, risk := range p.Risks {
		if option, absent := strings.CutPrefix(name, "!"); absent {
			p.AbsentRisks = append(p.AbsentRisks, [2]string{option, risk})
		}
	}
	slices.SortFunc(p.AbsentRisks, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
}

// DoubleDashed is the name of an option as programs write it that take short ones as well.
func DoubleDashed(name string) string {
	if len(name) > 2 && name[0] == '-' && name[1] != '-' {
		return "-" + name
	}
	return name
}

// checkRisks reports what is wrong with risks as the table states them.
func checkRisks(stated map[string]string) error {
	for name, risks := range stated {
		for risk := range strings.SplitSeq(risks, ",") {
			_, rest, valued := strings.Cut(risk, "{")
			value, _, closed := strings.Cut(rest, "}")
			if valued && (!closed || riskValues[value] == nil) {
				return &EntryError{"risks." + name, fmt.Sprintf("risk %q: no value is called %q", risk, value)}
			}
		}
	}
	return nil
}

// Named returns a stated risk as an approval names it, for each text that it names of word: none if
// nothing of it is one. known is false for a word that the line doesn't tell in full, of which only
// what it tells is named. Risks without a value are not named.
func (t *RiskTable) Named(risk, word string, known bool) []string {
	before, rest, valued := strings.Cut(risk, "{")
	name, after, _ := strings.Cut(rest, "}")
	if !valued {
		return nil
	}
	texts := riskValues[name](t, word)
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		switch {
		case text == "":
			continue
		case !known:
			text = "$" + text
		}
		out = append(out, before+Shortened(text)+after)
	}
	return out
}

// riskValues are what may stand in braces.
var riskValues = map[string]func(t *RiskTable, text string) []string{
	"":            func(_ *RiskTable, text string) []string { return []string{text} },
	"account":     func(_ *RiskTable, text string) []string { return []string{accountOf(text)} },
	"address":     func(_ *RiskTable, text string) []string { return []string{withoutPerson(text)} },
	"endpoint":    func(_ *RiskTable, text string) []string { return []string{endpointOf(text)} },
	"header":      (*RiskTable).header,
	"linking":     func(_ *RiskTable, text string) []string { return []string{linkingOf(text)} },
	"module":      func(_ *RiskTable, text string) []string { return []string{moduleOf(text)} },
	"request":     func(_ *RiskTable, text string) []string { return []string{requestOf(text)} },
	"url":         func(_ *RiskTable, text string) []string { return []string{urlHost(text)} },
	"host":        func(_ *RiskTable, text string) []string { return []string{hostOf(text)} },
	"remote":      func(_ *RiskTable, text string) []string { return []string{remoteOf(text)} },
	"peer":        func(_ *RiskTable, text string) []string { return []string{peerOf(text)} },
	"refspec":     func(_ *RiskTable, text string) []string { return []string{refspecOf(text)} },
	"package":     func(_ *RiskTable, text string) []string { return []string{packageOf(text)} },
	"resource":    (*RiskTable).resources,
	"credentials": (*RiskTable).credentials,
}

// hostOf is the host of an address in lower case; empty for a path.
func hostOf(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	switch {
	case found && strings.EqualFold(scheme, "file"):
		return ""
	case !found && (strings.HasPrefix(address, ".") || strings.HasPrefix(address, "/")):
		return ""
	case !found:
		rest = address
	}
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	host := rest[strings.LastIndexByte(rest, '@')+1:]
	if port := strings.LastIndexByte(host, ':'); port >= 0 && strings.Trim(host[port+1:], "0123456789") == "" {
		host = host[:port]
	}
	return strings.ToLower(host)
}

// urlHost is the same of a word that has a scheme; empty for any other.
func urlHost(text string) string {
	before, _, found := strings.Cut(text, "://")
	if !found {
		return ""
	}
	return hostOf(text[strings.LastIndexAny(before, "=@,")+1:])
}

// remoteOf is a remote of git's, but origin: its name or its address.
func remoteOf(text string) string {
	if text == "origin" {
		return ""
	}
	return withoutPerson(text)
}

// withoutPerson is an address without the user and password in it.
func withoutPerson(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	authority, path, below := strings.Cut(rest, "/")
	at := strings.LastIndexByte(authority, '@')
	switch {
	case !found || at < 0:
		return text
	case below:
		path = "/" + path
	}
	return scheme + "://" + authority[at+1:] + path
}

// accountOf is a user without the password behind it.
func accountOf(text string) string {
	user, _, _ := strings.Cut(text, ":")
	return user
}

// endpointOf is what an endpoint of a forge's interface belongs to: "repos/owner/name", "orgs/name",
// else its first segment.
func endpointOf(text string) string {
	text, _, _ = strings.Cut(text, "?")
	if host := urlHost(text); host != "" {
		_, text, _ = strings.Cut(text, "://")
		_, text, _ = strings.Cut(text, "/")
	}
	segments := strings.Split(strings.Trim(text, "/"), "/")
	owned := map[string]int{"repos": 3, "orgs": 2, "users": 2, "projects": 2, "groups": 2, "gists": 2}
	return strings.Join(segments[:min(len(segments), max(1, owned[segments[0]]))], "/")
}

// header is the name of a header, but of one that says only in which form an answer is wanted.
func (t *RiskTable) header(text string) []string {
	name, _, _ := strings.Cut(text, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if slices.Contains(t.Headers, name) {
		return nil
	}
	return []string{name}
}

// linkingOf is what options for go's linker say besides leaving symbols out and setting texts.
func linkingOf(text string) string {
	var rest []string
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		switch word := strings.TrimPrefix(words[i], "-"); {
		case word == "-s" || word == "-w" || strings.HasPrefix(word, "-X="), word == "s" || word == "w" || strings.HasPrefix(word, "X="):
		case word == "X" || word == "-X":
			i++
		default:
			rest = append(rest, words[i])
		}
	}
	return strings.Join(rest, " ")
}

// moduleOf is the name of a Go package that is fetched: one with a version, or with a host in the
// first segment.
func moduleOf(text string) string {
	host, _, _ := strings.Cut(text, "/")
	if strings.HasPrefix(text, ".") || !strings.Contains(text, "@") && !strings.Contains(host, ".") || strings.HasSuffix(text, ".go") {
		return ""
	}
	return packageOf(text)
}

// requestOf is the method, the host, or the mark of a field in a word of HTTPie's.
func requestOf(text string) string {
	switch {
	case text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return text
	case strings.ContainsAny(text, "=@") && !strings.Contains(text, "://"):
		return "fields"
	}
	return hostOf(text)
}

// peerOf is where a source or a target of a copy lies: what stands in front of a colon in the
// first segment; empty for a path of this machine.
func peerOf(text string) string {
	if strings.Contains(text, "://") {
		return hostOf(text)
	}
	first, _, _ := strings.Cut(text, "/")
	peer, _, _ := strings.Cut(first, ":")
	if peer == first || text == "" {
		return ""
	}
	return peer
}

// packageOf is the name of a package without its version; empty for the working directory. Whatever
// else the word is, an address or a path, stays as it is.
func packageOf(text string) string {
	name := strings.TrimLeft(text, "./")
	if strings.ContainsAny(name, ":#") || strings.HasPrefix(text, "-") {
		return name
	}
	if end := strings.IndexAny(name, "=<>!~;["); end > 0 {
		name = name[:end]
	}
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	return name
}

// refspecOf is a refspec that writes a ref of this repository.
func refspecOf(text string) string {
	if strings.ContainsAny(text, ":+") {
		return text
	}
	return ""
}

// resources are the types in "pods,services", "pod/x" and "deployments.v1.apps".
func (t *RiskTable) resources(text string) []string {
	var out []string
	for one := range strings.SplitSeq(strings.ToLower(text), ",") {
		kind, _, _ := strings.Cut(one, "/")
		kind, _, _ = strings.Cut(kind, ".")
		out = append(out, kind)
	}
	return out
}

// credentials are those of them that hold credentials.
func (t *RiskTable) credentials(text string) []string {
	return slices.DeleteFunc(t.resources(text), func(kind string) bool {
		return !slices.Contains(t.Credentials, kind) && !slices.Contains(t.Credentials, strings.TrimSuffix(kind, "s"))
	})
}

// longestRisk is how long a value is at most that a risk holds in full, in bytes.
const longestRisk = 48

// Shortened is a value as a risk holds it: on one line, without blanks and parentheses, and with a
// digest in the place of what is too long.
func Shortened(text string) string {
	const digits = 12
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; c != '%' && (!Unchainable(rune(c)) || strings.IndexByte("~^*{}[]?&$", c) >= 0) {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	if out.Len() <= longestRisk {
		return out.String()
	}
	sum := sha256.Sum256([]byte(text))
	return out.String()[:longestRisk-digits-1] + "~" + hex.EncodeToString(sum[:])[:digits]
}

// Unchainable reports whether a shell may read a character of a word other than as it stands, so that
// no verb chain may hold it.
func Unchainable(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("_-./,:+@%=", r)
}
