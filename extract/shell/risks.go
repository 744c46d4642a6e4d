package shell

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

// riskTable holds the risks that options and operands have in every program whose own entry
// doesn't state any, and in programs that have no entry.
type riskTable struct {
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
func (t *riskTable) mark(p *Program) {
	common := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.options)) {
		known := p.options[name]
		risk, ok := t.Options[doubleDashed(name)]
		if ok && (known.kinds[0] != "none" || !strings.Contains(risk, "{")) && common[known.canonical] == "" {
			common[known.canonical] = risk
		}
	}
	for name, known := range p.options {
		own, stated := p.risks[known.canonical]
		switch {
		case stated:
			known.risk = own
		case common[known.canonical] != "":
			known.risk = common[known.canonical]
		case known.kinds[0] == "unknown" && len(p.chainRoles) == 0: // else its value is one: see defined
			known.risk = known.canonical + "," + t.Kinds["unknown"]
		default:
			known.risk = t.Kinds[strings.TrimSuffix(known.kinds[0], "?")]
		}
		p.options[name] = known
	}
	for name, risk := range p.risks {
		if option, absent := strings.CutPrefix(name, "!"); absent {
			p.absent = append(p.absent, [2]string{option, risk})
		}
	}
	slices.SortFunc(p.absent, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
}

// doubleDashed is the name of an option as programs write it that take short ones as well.
func doubleDashed(name string) string {
	if len(name) > 2 && name[0] == '-' && name[1] != '-' {
		return "-" + name
	}
	return name
}

// risky notes the risks of what the form holds, and of what it lacks: by the name of an option
// or role, or by a kind behind "=". An option that isn't known is one by its own name. Risks that
// hold a value are noted where the value is read.
func (p *parsed) risky(program *Program) {
	for _, entry := range p.c.Form {
		risk, stated := program.risks[entry.Name]
		if kind, ok := program.risks["="+entry.Kind]; ok && !stated {
			risk, stated = kind, true
		}
		known, listed := program.options[entry.Name]
		switch {
		case stated:
		case listed:
			risk = known.risk
		case program.style == "raw": // an option of the program that it runs
		case entry.Kind == "unknown" && strings.HasPrefix(entry.Name, "-") && p.w.table.words.risks.Options[doubleDashed(entry.Name)] == "":
			risk = entry.Name
		}
		p.riskOf(risk, nil)
	}
	for _, absent := range program.absent {
		if len(program.commands) == 0 && !p.has(absent[0]) {
			p.riskOf(absent[1], nil)
		}
	}
}

// optionRisk notes the risk of an option with the value that it is given.
func (p *parsed) optionRisk(canonical string, word Word) {
	if p.level != nil {
		p.riskOf(p.level.options[canonical].risk, &word)
	}
}

// unlistedOption notes the risk of an option that the table doesn't list, with the value in the
// same word, or with the next word, which may be the value.
func (p *parsed) unlistedOption(text string, rest []Word) {
	name, value, attached := strings.Cut(text, "=")
	word := Word{Kind: Literal, Text: value}
	if !attached && len(rest) > 0 && !rest[0].isOption() {
		word = rest[0]
	}
	switch risk := p.w.table.words.risks.Options[doubleDashed(name)]; {
	case !strings.Contains(risk, "{"):
		p.riskOf(risk, nil)
	case word.Text == "":
		p.risk(name)
	default:
		p.riskOf(risk, &word)
	}
	if attached {
		p.riskOf(p.w.table.words.risks.Kinds["unknown"], &word)
	}
}

// roleRisk notes the risk of an operand with the word that it is.
func (p *parsed) roleRisk(program *Program, r role, word Word) {
	risk, stated := program.risks[r.label]
	if !stated {
		risk, stated = program.risks["="+r.kind]
	}
	if !stated {
		risk = p.w.table.words.risks.Kinds[r.kind]
	}
	p.riskOf(risk, &word)
	if r.kind == "unknown" && !stated {
		p.riskOf(program.operandRisk, &word)
	}
}

// unlistedOperand notes the risk of a word behind a command that the table doesn't list.
func (p *parsed) unlistedOperand(command string, word Word) {
	p.riskOf(p.w.table.words.risks.Kinds["unknown"], &word)
	p.riskOf(p.w.table.words.risks.Commands[command], &word)
}

// riskOf notes risks as the table states them. Those with a value are left out without a word,
// and the others with one.
func (p *parsed) riskOf(stated string, word *Word) {
	if stated == "" {
		return
	}
	for risk := range strings.SplitSeq(stated, ",") {
		before, rest, valued := strings.Cut(risk, "{")
		switch name, after, _ := strings.Cut(rest, "}"); {
		case valued && word != nil:
			for _, value := range p.w.table.words.risks.values(name, *word) {
				p.risk(before + value + after)
			}
		case !valued && word == nil:
			p.risk(risk)
		}
	}
}

func (p *parsed) risk(name string) {
	if name != "" {
		p.c.Risks.Add(name)
	}
}

// checkRisks reports what is wrong with risks as the table states them.
func checkRisks(stated map[string]string) error {
	for name, risks := range stated {
		for risk := range strings.SplitSeq(risks, ",") {
			_, rest, valued := strings.Cut(risk, "{")
			value, _, closed := strings.Cut(rest, "}")
			if valued && (!closed || riskValues[value] == nil) {
				return fmt.Errorf("%s: risk %q: no value is called %q", name, risk, value)
			}
		}
	}
	return nil
}

// values are what a risk names of a word; none if nothing of it is one. Of a word that the line
// doesn't tell in full, what it tells is named.
func (t *riskTable) values(name string, word Word) []string {
	texts := riskValues[name](t, word.Text)
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		switch {
		case text == "":
		case word.Kind != Literal && word.Kind != Glob:
			out = append(out, shortened("$"+text))
		default:
			out = append(out, shortened(text))
		}
	}
	return out
}

// riskValues are what may stand in braces.
var riskValues = map[string]func(t *riskTable, text string) []string{
	"":            func(_ *riskTable, text string) []string { return []string{text} },
	"account":     func(_ *riskTable, text string) []string { return []string{accountOf(text)} },
	"address":     func(_ *riskTable, text string) []string { return []string{withoutPerson(text)} },
	"endpoint":    func(_ *riskTable, text string) []string { return []string{endpointOf(text)} },
	"header":      (*riskTable).header,
	"linking":     func(_ *riskTable, text string) []string { return []string{linkingOf(text)} },
	"module":      func(_ *riskTable, text string) []string { return []string{moduleOf(text)} },
	"request":     func(_ *riskTable, text string) []string { return []string{requestOf(text)} },
	"url":         func(_ *riskTable, text string) []string { return []string{urlHost(text)} },
	"host":        func(_ *riskTable, text string) []string { return []string{hostOf(text)} },
	"remote":      func(_ *riskTable, text string) []string { return []string{remoteOf(text)} },
	"peer":        func(_ *riskTable, text string) []string { return []string{peerOf(text)} },
	"refspec":     func(_ *riskTable, text string) []string { return []string{refspecOf(text)} },
	"package":     func(_ *riskTable, text string) []string { return []string{packageOf(text)} },
	"resource":    (*riskTable).resources,
	"credentials": (*riskTable).credentials,
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
func (t *riskTable) header(text string) []string {
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
func (t *riskTable) resources(text string) []string {
	var out []string
	for one := range strings.SplitSeq(strings.ToLower(text), ",") {
		kind, _, _ := strings.Cut(one, "/")
		kind, _, _ = strings.Cut(kind, ".")
		out = append(out, kind)
	}
	return out
}

// credentials are those of them that hold credentials.
func (t *riskTable) credentials(text string) []string {
	return slices.DeleteFunc(t.resources(text), func(kind string) bool {
		return !slices.Contains(t.Credentials, kind) && !slices.Contains(t.Credentials, strings.TrimSuffix(kind, "s"))
	})
}

// longestRisk is how long a value is at most that a risk holds in full, in bytes.
const longestRisk = 48

// shortened is a value as a risk holds it: on one line, without blanks and parentheses, and with a
// digest in the place of what is too long.
func shortened(text string) string {
	const digits = 12
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; c != '%' && (!unchainable(rune(c)) || strings.IndexByte("~^*{}[]?&$", c) >= 0) {
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
