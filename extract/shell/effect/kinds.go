package effect

import (
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/argv/script"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// meaning does what a word of a kind means, and returns the kind that the form states.
type meaning func(p *Reader, kind string, word expansion.Word) string

// effect is the meaning of a kind that the form states as it is.
func effect(do func(e *Effects, word expansion.Word)) meaning {
	return func(p *Reader, kind string, word expansion.Word) string {
		do(&p.Effects, word)
		return kind
	}
}

// stated is the meaning of a kind that the form states as another.
func stated(as string, do func(e *Effects, word expansion.Word)) meaning {
	return func(p *Reader, _ string, word expansion.Word) string {
		do(&p.Effects, word)
		return as
	}
}

// accessed is the meaning of a path.
func accessed(op string, tree bool) func(e *Effects, word expansion.Word) {
	return func(e *Effects, word expansion.Word) { e.Access(word, op, tree) }
}

// doubted is the meaning of a kind that always adds a caveat.
func doubted(caveat string) func(e *Effects, word expansion.Word) {
	return func(e *Effects, _ expansion.Word) { e.Command.Caveats.Add(caveat) }
}

// onlyTexts is the meaning of a kind that only some texts have.
func onlyTexts(holds func(text string) bool) meaning {
	return func(p *Reader, kind string, word expansion.Word) string {
		return p.knownIf(kind, word.Kind == expansion.Literal && holds(word.Text))
	}
}

// onlyListed is the meaning of a kind that only the texts have which the table lists.
func onlyListed(holds func(words *argv.OperandWords, text string) bool) meaning {
	return func(p *Reader, kind string, word expansion.Word) string {
		return p.knownIf(kind, word.Kind == expansion.Literal && holds(&p.Table.Words.Operands, word.Text))
	}
}

// onlyPaths is the meaning of a path that is stated as a kind if only some texts have it.
func onlyPaths(op, kind string, holds func(text string) bool) meaning {
	return func(p *Reader, own string, word expansion.Word) string {
		p.Access(word, op, false)
		if kind != "" {
			own = kind
		}
		return p.knownIf(own, word.Kind == expansion.Literal && holds(word.Text))
	}
}

// meanings are what the kinds of the program table mean. A kind without an entry means nothing by itself.
var meanings = allMeanings()

func allMeanings() map[string]meaning {
	all := map[string]meaning{}
	for _, kinds := range []map[string]meaning{pathMeanings(), remoteMeanings(), gitMeanings(), textMeanings()} {
		maps.Copy(all, kinds)
	}
	for language := range script.Languages() {
		all[language] = func(p *Reader, _ string, word expansion.Word) string { return programText(&p.Effects, language, word) }
	}
	return all
}

// pathMeanings are those of paths, and of words that contain some.
func pathMeanings() map[string]meaning {
	return map[string]meaning{
		"read": func(p *Reader, kind string, word expansion.Word) string {
			// What is on the network can have no use for a directory but to send what it holds.
			p.Access(word, v1.OpRead, p.Args.Program != nil && p.Args.Program.Network)
			return kind
		},
		"input":           stated("read", func(e *Effects, word expansion.Word) { e.accessAs(value.AsInput, word, v1.OpRead, false) }),
		"packed":          stated("read", readPacked),
		"module":          stated("read", readModule),
		"tree":            effect(accessed(v1.OpRead, true)),
		"list":            effect(accessed(v1.OpList, false)),
		"delete":          effect(accessed(v1.OpDelete, false)),
		"compressed":      stated("delete", func(e *Effects, word expansion.Word) { compressed(e, word, v1.OpDelete) }),
		"compressed_kept": stated("write", func(e *Effects, word expansion.Word) { compressed(e, word, v1.OpWrite) }),
		"write":           (*Reader).written,
		"execute":         effect(executed),
		"dir":             effect((*Effects).move),
		"code":            effect(doubted("inline_code")),
		"database":        databases,
		"host":            effect(doubted("network")),
		"variable":        effect(showsVariable),
		"range":           effect(ranges),
		"options":         effect(optionFile),
		"macro":           (*Reader).macro,
		"unknown": effect(func(e *Effects, word expansion.Word) {
			e.Command.Caveats.Add("unknown_option")
			e.AnyPath(word)
		}),
		"mount": effect(func(e *Effects, word expansion.Word) {
			if word.Kind != expansion.Literal || !slices.Contains(e.Table.Words.Operands.MountPoints, word.Text) {
				e.Access(word, v1.OpList, false) // only the disk matters that it is on
			}
		}),
		"output":        outputFile,
		"local":         onlyPaths(v1.OpRead, "read", localName),
		"page":          onlyPaths(v1.OpRead, "read", func(text string) bool { return !strings.HasPrefix(text, "+") }),
		"source":        sourced,
		"configuration": configured,
		"expanded":      expanded,
		"import":        onlyPaths(v1.OpList, "list", func(text string) bool { return !strings.Contains(text, "@") }),
		"inside":        onlyPaths(v1.OpRead, "", literalMember),
		"member":        onlyPaths(v1.OpRead, "", fileMember),
		"format":        formats,
	}
}

// remoteMeanings are those of what is sent, fetched or put on another machine.
func remoteMeanings() map[string]meaning {
	return map[string]meaning{
		"url":         effect(fetched),
		"repository":  stated("url", func(e *Effects, word expansion.Word) { repository(e, word, v1.OpRead) }),
		"destination": stated("url", func(e *Effects, word expansion.Word) { repository(e, word, v1.OpWrite) }),
		"data":        effect(sent),
		"field":       effect(sentField),
		"upload":      effect(uploaded),
		"package":     effect(func(e *Effects, word expansion.Word) { e.anyPart(word, v1.OpExecute) }), // code that a package manager runs
		"names": effect(func(e *Effects, word expansion.Word) {
			e.Access(word, v1.OpRead, false)
			e.Command.Caveats.Add("lands_unknown")
		}),
		"transfer": func(p *Reader, kind string, word expansion.Word) string {
			p.places.transfer(&p.Effects, word)
			return kind
		},
		"arrival": func(p *Reader, kind string, word expansion.Word) string {
			p.places.arrival(&p.Effects, word)
			return kind
		},
	}
}

// gitMeanings are those of words that git reads its own way.
func gitMeanings() map[string]meaning {
	return map[string]meaning{
		"config":   func(p *Reader, _ string, word expansion.Word) string { return gitReader{&p.Effects}.config(word) },
		"rev":      effect(func(e *Effects, word expansion.Word) { gitReader{e}.revision(word) }),
		"pathspec": effect(func(e *Effects, word expansion.Word) { gitReader{e}.pathspec(word) }),
		"assigned": effect(func(e *Effects, word expansion.Word) { gitReader{e}.assigned(word) }),
		"assignment": func(p *Reader, kind string, _ expansion.Word) string {
			gitReader{&p.Effects}.assigned(p.Args.Operands[0])
			return kind
		},
	}
}

// textMeanings are those of texts without an effect on files.
func textMeanings() map[string]meaning {
	return map[string]meaning{
		"number": func(_ *Reader, kind string, _ expansion.Word) string {
			return strings.Replace(kind, "number", "value", 1)
		},
		"pattern": func(p *Reader, kind string, word expansion.Word) string {
			p.Command.Reading.Refusable = p.Command.Reading.Refusable || (word.Kind != expansion.Literal || !lexical.IsPortableExpression(word.Text))
			p.inert(word)
			return kind
		},
		"value":     (*Reader).valued,
		"name":      (*Reader).valued,
		"setting":   onlyTexts(plainSetting),
		"public":    onlyListed(func(words *argv.OperandWords, text string) bool { return slices.Contains(words.PublicSettings, text) }),
		"fields":    onlyListed((*argv.OperandWords).PublicFields),
		"socket":    onlyListed((*argv.OperandWords).SelectsSockets),
		"plus":      onlyTexts(func(text string) bool { return strings.HasPrefix(text, "+") }),
		"bare":      onlyTexts(bareName),
		"leaf":      onlyTexts(func(text string) bool { return !strings.ContainsAny(text, `/\`) }),
		"word":      onlyTexts(func(text string) bool { return !strings.ContainsAny(text, " \t\n*?[") }),
		"merges":    onlyTexts(func(text string) bool { return slices.Contains(plainMerges, text) }),
		"interface": onlyTexts(interfaceName),
		"job": func(p *Reader, kind string, word expansion.Word) string {
			return p.knownIf(kind, expansion.IsNumber(word) || word.Kind == expansion.Literal && value.IsDecimal(strings.TrimPrefix(word.Text, "%")))
		},
	}
}

// kind does what a value of the given kind means, and returns the kind that the form states.
func (p *Reader) kind(kind string, word expansion.Word) string {
	if word.Kind == expansion.Names && word.Stream != nil && len(word.Stream.Roots) > 1 {
		return p.everyRoot(kind, word)
	}
	p.variables(word)
	base := strings.TrimSuffix(kind, "?")
	if base != kind && word.Kind == expansion.Literal && word.Text == "" && base != "execute" {
		return kind // optional and not given
	}
	if mean := meanings[base]; mean != nil {
		return mean(p, kind, word)
	}
	return kind
}

// everyRoot does the same for a word that may come from any root of its stream: what one of them means doesn't hold
// for the others. The gravest kind is returned.
func (p *Reader) everyRoot(kind string, word expansion.Word) string {
	gravest := kind
	for _, root := range word.Stream.Roots {
		one := *word.Stream
		one.Roots = []string{root}
		word.Text, word.Stream = root, &one
		if stated := p.kind(kind, word); stated != kind {
			gravest = stated
		}
	}
	return gravest
}

// written is a file that is written. Some programs take what follows a mark in it.
func (p *Reader) written(kind string, word expansion.Word) string {
	p.Access(word, v1.OpWrite, false)
	if i := strings.IndexAny(word.Text, ":="); i >= 0 {
		p.leadsOut(expansion.Word{Kind: word.Kind, Text: word.Text[i:]})
	}
	return kind
}

// valued is a word without an effect on files.
func (p *Reader) valued(kind string, word expansion.Word) string {
	p.inert(word)
	p.leadsOut(word)
	return kind
}

// executed is a file that is run.
func executed(e *Effects, word expansion.Word) {
	e.Command.Caveats.Add("executes")
	e.MaybePath(word, v1.OpExecute)
}

// ranges is a file behind numbers of lines.
func ranges(e *Effects, word expansion.Word) {
	e.Access(expansion.Word{Kind: word.Kind, Text: word.Text[strings.LastIndexByte(word.Text, ':')+1:]}, v1.OpRead, false)
}

// optionFile is a file that options are read from. They can be any, those that write or run included.
func optionFile(e *Effects, word expansion.Word) {
	e.Command.Caveats.Add("executes")
	e.Access(word, v1.OpRead, false)
}

// showsVariable is a variable that is shown.
func showsVariable(e *Effects, word expansion.Word) {
	e.Command.Variables = append(e.Command.Variables, word.Text)
	if !slices.Contains(e.Table.Words.Variables.Public, word.Text) && word.Text != "HOME" && word.Text != "PWD" {
		e.Command.Caveats.Add("private_variable")
	}
}

// databases is the file of a database, which is opened for writing. One that is named by an address can be anywhere,
// and be opened by code that the address chooses.
func databases(p *Reader, kind string, word expansion.Word) string {
	switch {
	case word.Is(":memory:"):
	case strings.Contains(word.Text, ":"):
		p.anyPart(word, v1.OpWrite)
		p.Command.Caveats.Add("inline_code")
		return "code"
	default:
		p.Access(word, v1.OpWrite, false)
	}
	return kind
}

// outputFile is a file that is written, or standard output.
func outputFile(p *Reader, _ string, word expansion.Word) string {
	if word.Is("-") {
		return "value"
	}
	p.Access(word, v1.OpWrite, false)
	return "write"
}

// sourced is a file of program text.
func sourced(p *Reader, _ string, word expansion.Word) string {
	p.Access(word, v1.OpRead, false)
	return p.codeIf(isStream(word), "read")
}

// configured is a file that says what is run, or the text of one.
func configured(p *Reader, _ string, word expansion.Word) string {
	executed(&p.Effects, word)
	return p.codeIf(isStream(word) || strings.HasPrefix(strings.TrimSpace(word.Text), "{"), "execute")
}

// expanded is a file, or a pattern that the program itself expands. A pattern may match any file
// below the directory in front of its first mark, and isn't known if that is the working directory.
func expanded(p *Reader, _ string, word expansion.Word) string {
	marks := strings.IndexAny(word.Text, "*?[{(!")
	if word.Kind != expansion.Literal || marks < 0 {
		p.Access(word, v1.OpWrite, false)
		return "write"
	}
	dir := path.Dir(word.Text[:marks] + "x")
	p.Access(expansion.Word{Kind: expansion.Literal, Text: dir}, v1.OpWrite, true)
	return p.knownIf("write", dir != ".")
}

// formats is how output looks: a name that ends in "file" has the path of a template behind "=", or in another
// option.
func formats(p *Reader, kind string, word expansion.Word) string {
	name, file, named := strings.Cut(word.Text, "=")
	switch fromFile := strings.HasSuffix(name, "file"); {
	case word.Kind != expansion.Literal, fromFile && !named:
		p.AnyPath(word)
		return p.knownIf(kind, false)
	case fromFile:
		p.Access(expansion.Word{Kind: expansion.Literal, Text: file}, v1.OpRead, false)
		return "read"
	}
	return kind
}

// programText is a program text in a small language.
func programText(e *Effects, language string, word expansion.Word) string {
	if language == "yq" {
		e.MaybePath(word, v1.OpRead) // yq takes what names a file for one
	}
	if language == "sed" && onlySelects(word) {
		return language
	}
	var texts []string
	switch {
	case word.Kind == expansion.Literal:
		texts = []string{word.Text}
	case word.Kind == expansion.Number && len(word.Holes) > 0:
		texts = programTexts(word, language)
	}
	if len(texts) == 0 {
		e.Command.Caveats.Add("dynamic_word")
		return "code"
	}
	verdict := script.Read(language, texts[0])
	for _, text := range texts[1:] {
		verdict.OnlyPrints = verdict.OnlyPrints && script.Read(language, text).OnlyPrints
	}
	for _, stream := range verdict.Streams {
		e.Access(expansion.Word{Kind: expansion.Literal, Text: stream}, v1.OpWrite, false)
	}
	if verdict.Environment {
		e.Command.Caveats.Add("reads_environment")
	}
	return e.codeIf(!verdict.OnlyPrints, language)
}

// plainMerges are the ways to show a merge that compare what is stored. To merge
// again, as "remerge" does, and "on" where a setting says so, writes objects and
// runs merge drivers.
var plainMerges = []string{"off", "none", "first-parent", "1", "separate", "combined", "c", "dense-combined", "cc"}

// literalMember reports whether a name of a member of an archive is no pattern.
func literalMember(text string) bool { return !strings.ContainsAny(text, `*?[\`) }

// fileMember reports whether such a name is that of a file: of a directory everything in it is read, and a name with
// a suffix is that of a file.
func fileMember(text string) bool {
	return literalMember(text) && !strings.HasSuffix(text, "/") && path.Ext(strings.TrimLeft(path.Base(text), ".")) != ""
}

// bareName reports whether a text is the name of a command, or a pattern of names, and no script's.
func bareName(text string) bool {
	return strings.Trim(text, value.NameBytes+".-*?") == "" && !strings.HasSuffix(strings.ToLower(text), ".ps1")
}

// interfaceName reports whether a text names a network interface, maybe with the tag of a VLAN.
func interfaceName(text string) bool {
	_, tag, _ := strings.Cut(text, ".")
	return strings.Trim(tag, "0123456789") == ""
}

// plainSetting reports whether a text is the name of a setting and nothing else: one
// with a "=" sets it, and one that begins with a dot or a slash or holds two of them
// side by side is a path from /proc/sys for some programs, "net/../../../etc/passwd".
func plainSetting(text string) bool {
	separator := func(c byte) bool { return c == '.' || c == '/' }
	for i := range len(text) {
		if text[i] == '=' || separator(text[i]) && (i == 0 || separator(text[i-1])) {
			return false
		}
	}
	return true
}

// hasScheme reports whether a text begins as an address does: letters and a colon.
func hasScheme(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	return found && scheme != "" && strings.IndexFunc(scheme, func(r rune) bool {
		return !strings.ContainsRune("+-.0123456789abcdefghijklmnopqrstuvwxyz", unicode.ToLower(r))
	}) < 0
}

// localName reports whether a text can be nothing but the name of a file for a program
// that takes addresses as well: one with an escape ("..%2fnotes", "%2eenv") is the
// name of another file for it where none is called that.
func localName(text string) bool {
	return !hasScheme(text) && !strings.Contains(text, "%")
}

// macro is a word that make takes for a target or, with a "=" in
// it, for a variable. A recipe can run whatever a variable holds, so a value that
// could be a path is one that runs, and a value of more than a plain word runs
// what it says. A pattern that matches nothing is handed on as it is, for the recipe's
// shell to match.
func (p *Reader) macro(kind string, word expansion.Word) string {
	name, value, found := strings.Cut(word.Text, "=")
	p.leadsOut(word)
	if !found || word.Kind != expansion.Literal && word.Kind != expansion.Glob {
		p.inert(word)
		return kind
	}
	if word.Kind == expansion.Glob {
		p.inert(word)
		p.Command.Caveats.Add("executes")
	}
	name = strings.TrimRight(name, ":?+!")
	if slices.Contains(p.Table.Words.Variables.MakeControls, name) || strings.ContainsFunc(value, runsInRecipe) {
		p.Command.Caveats.Add("executes")
	}
	p.MaybePath(expansion.Word{Kind: word.Kind, Text: value}, v1.OpExecute)
	return kind
}

// runsInRecipe reports whether a character makes a shell do more with a value
// than take it for one word.
func runsInRecipe(r rune) bool {
	return !strings.ContainsRune("_-./,:+@%=~", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// Addresses are languages of their own: some programs fold and unescape them, make
// several of one, and take the names of files in them. What is read here is what all
// agree on; whatever else stands in one may name any file.

// marksOfSeveral are what curl makes several names of: "{a,b}", "[1-9]".
const marksOfSeveral = "{["

// fetched is an address: a file that is read, or the network.
func fetched(e *Effects, word expansion.Word) {
	scheme, rest, found := strings.Cut(word.Text, ":")
	switch {
	case found && strings.EqualFold(scheme, "file"):
		fileAddress(e, word, rest)
		return
	case strings.ContainsAny(scheme, marksOfSeveral) && !strings.Contains(scheme, "/"), // "{file}:", and "[::1]" with it
		strings.HasPrefix(word.Text, "@"),  // a file of addresses
		!found && e.Has("--proto-default"): // it may be a file
		e.Command.Caveats.Add("dynamic_option")
	}
	e.Command.Caveats.Add("network")
}

// fileAddress is the file that an address of the scheme file names.
func fileAddress(e *Effects, word expansion.Word, rest string) {
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		_, rest, _ = strings.Cut(authority, "/")
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsAny(path, marksOfSeveral+"?#") {
		e.Command.Caveats.Add("dynamic_option")
		path = rest
	}
	e.Access(expansion.Word{Kind: word.Kind, Text: "/" + strings.TrimLeft(path, "/")}, v1.OpRead, false)
}

// uploaded is a file that is sent, whose name may stand for several.
func uploaded(e *Effects, word expansion.Word) {
	if strings.ContainsAny(word.Text, marksOfSeveral) {
		e.Command.Caveats.Add("dynamic_option")
	}
	e.Access(word, v1.OpRead, false)
}

// sentField is a field of a form, whose value is a file where it begins with a mark:
// "name=@file". A file may be followed by others, stand in quotes, and come with headers
// from one more file; then none of them is known.
func sentField(e *Effects, word expansion.Word) {
	_, value, _ := strings.Cut(word.Text, "=")
	_, headers, _ := strings.Cut(value, ";")
	name, fromFile := strings.CutPrefix(value, "@")
	if !fromFile {
		name, fromFile = strings.CutPrefix(value, "<")
	}
	if strings.Contains(headers, "headers") || fromFile && strings.ContainsAny(name, "\",\\") {
		e.Command.Caveats.Add("dynamic_option")
	}
	if fromFile || word.Kind != expansion.Literal {
		name, _, _ = strings.Cut(name, ";")
		e.Access(expansion.Word{Kind: word.Kind, Text: strings.TrimLeft(name, " \t\n\v\f\r")}, v1.OpRead, false)
	}
}

// repository is a repository of git's that is read from or written to: an address, or a directory.
// A helper ("ext::sh -c …") is a program that git runs.
func repository(e *Effects, word expansion.Word, op string) {
	scheme, rest, found := strings.Cut(word.Text, ":")
	switch {
	case found && strings.HasPrefix(rest, ":") && !strings.Contains(scheme, "/"):
		e.Command.Caveats.Add("executes")
	case found && !strings.Contains(scheme, "/") && !strings.EqualFold(scheme, "file"):
		fetched(e, word) // another scheme, or "host:path"
		return
	case found && strings.EqualFold(scheme, "file"):
		fetched(e, word)
	case strings.Contains(word.Text, "/") || word.Text == "." || word.Text == "..":
		e.Access(word, op, true)
	}
	if op == v1.OpWrite && (found || strings.Contains(word.Text, "/")) {
		e.Command.Caveats.Add("executes") // the hooks of the other repository
	}
	e.Command.Caveats.Add("network")
}

// sent is a value sent over the network, with the files that it takes in: @file, and name=<file with attributes
// behind a semicolon.
func sent(e *Effects, word expansion.Word) {
	if strings.Contains(word.Text, "%output{") {
		e.Command.Caveats.Add("dynamic_option") // a file that is written, for curl's -w
	}
	for _, mark := range []string{"@", "<"} {
		if _, path, ok := strings.Cut(word.Text, mark); ok {
			path, _, _ = strings.Cut(path, ";")
			e.Access(expansion.Word{Kind: word.Kind, Text: path}, v1.OpRead, false)
		}
	}
}

// programTexts returns the program texts that a word with numbers can be.
func programTexts(w expansion.Word, language string) []string {
	empty := make([]int, 0, len(w.Holes))
	for i := range w.Holes {
		if w.Holes[i].Class.MayBeEmpty() {
			empty = append(empty, i)
		}
	}
	return script.Numbered(language, w.Pieces(), empty)
}

// onlySelects reports whether a word is a script of sed that only selects lines, whatever its numbers are.
func onlySelects(w expansion.Word) bool {
	if w.Kind != expansion.Output || w.Split || len(w.Holes) == 0 {
		return false
	}
	for _, piece := range w.Pieces() {
		if !script.OnlySelects(piece) {
			return false
		}
	}
	return true
}
