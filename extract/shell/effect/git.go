package effect

import (
	"math"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	gitsyntax "policyd/extract/git/syntax"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// gitReader reads words in the manner of git.
type gitReader struct{ *Effects }

// revision reads a word that git takes as a revision, as revision:path, or as
// a path when one of that name exists.
func (g gitReader) revision(word expansion.Word) {
	switch {
	case word.Kind == expansion.Hash:
		g.hashRevision(word)
		return
	case word.Kind == expansion.Names && word.Stream != nil && word.Stream.AreRefs():
		g.refRevision(word)
		return
	case word.Blob != nil:
		// What the revision has at such a name counts as read by it.
		g.Command.Git.Objects.Words++
		g.Access(expansion.OfNames(word.Blob, word.Blob.Roots[0]), v1.OpRead, false)
		return
	case isWritten(word):
		g.Access(word, v1.OpRead, false)
		g.revision(expansion.Word{Kind: expansion.Literal, Text: word.Text})
		return
	case word.Kind != expansion.Literal:
		g.unknownRevision(word)
		return
	case word.Text == "":
		return
	case strings.HasPrefix(word.Text, ":/"):
		// A search for a commit, or a path from the top.
		g.Command.Git.Revisions = append(g.Command.Git.Revisions, word.Text)
		g.Access(expansion.Word{Kind: expansion.Literal, Text: strings.TrimPrefix(word.Text, ":/")}, v1.OpRead, false)
		return
	case strings.HasPrefix(word.Text, ":") && !stagedPath(word.Text) && !g.Command.Git.Dashes:
		// With magic, unless the index has a path of that very name.
		g.Command.Git.Staged = append(g.Command.Git.Staged, word.Text[1:])
		g.pathspec(word)
		return
	case !g.Command.Git.Dashes && namesNoRevision(word.Text):
		g.pathspec(word)
		return
	}
	commit := false
	for _, end := range rangeEnds(word.Text) {
		commit = !g.object(end) || commit
	}
	if commit { // on one side, the other being an object
		g.Command.Git.Revisions = append(g.Command.Git.Revisions, word.Text)
	}
	if g.object(word.Text) {
		return
	}
	g.Command.Git.Revisions = append(g.Command.Git.Revisions, word.Text)
	g.Command.Accesses = append(g.Command.Accesses, command.Access{Text: word.Text, Op: v1.OpRead, Naming: command.ByName, Presence: command.IfPathLike})
}

// besideObjects counts commits where git prints more than the objects that the words name: those
// of options, and all that is tracked where it compares a single tree with that.
func (g gitReader) besideObjects() {
	words := g.Table.Words
	has := g.Command.Form.Has
	compared := g.Command.Git.Objects.Words == 1 && slices.Contains(words.Printing.TreeComparers, g.Command.Verb)
	if g.Command.Git.Objects.Words > 0 && len(g.Command.Git.Revisions) == 0 && (compared || slices.ContainsFunc(words.Printing.CommitOptions, has)) {
		g.Command.Git.Revisions = append(g.Command.Git.Revisions, "HEAD")
	}
}

// namesNoRevision reports whether a word is a pattern of paths: what git may
// take for the name of a revision in it has a character that no name has.
func namesNoRevision(text string) bool {
	name := text
	if end := strings.IndexAny(text, "^~:@{"); end >= 0 {
		name = text[:end]
	}
	return lexical.HasWildcard(name) && !strings.Contains(name, "..")
}

// rangeEnds are the two sides of a range one of which names an object by its
// path. Git cuts it at the first two dots.
func rangeEnds(text string) []string {
	from, to, ok := strings.Cut(text, "..")
	if !ok || !strings.Contains(text, ":") || strings.HasPrefix(to, "/") {
		return nil
	}
	return []string{from, strings.TrimPrefix(to, ".")}
}

// object reads a word of the form revision:path. It reports false where it is
// none.
func (g gitReader) object(text string) bool {
	rev, path, ok := cutRevision(text)
	if !ok {
		return false
	}
	g.Command.Git.Objects.Words++
	if rev == "" && strings.HasPrefix(path, "/") {
		return true // :/text searches commit messages
	}
	if len(path) > 2 && path[1] == ':' && path[0] >= '0' && path[0] <= '3' {
		path = path[2:]
	}
	g.Command.Git.Objects.Named = append(g.Command.Git.Objects.Named, command.GitObject{Revision: rev, Path: path})
	g.Access(expansion.Word{Kind: expansion.Literal, Text: path}, v1.OpRead, false)
	return true
}

// hashRevision reads a word that begins with the hash of a commit.
func (g gitReader) hashRevision(word expansion.Word) {
	g.Command.Git.Revisions = append(g.Command.Git.Revisions, word.Text)
	g.object(word.Text)
	if rest := strings.ReplaceAll(word.Text, stream.HashText, ""); rest != "" {
		// A command that fails prints nothing, and what is left is a word.
		g.Command.Accesses = append(g.Command.Accesses, command.Access{Text: rest, Op: v1.OpRead, Naming: command.ByName, Presence: command.IfPathLike})
	}
}

// unknownRevision reads a word that the shell expands.
func (g gitReader) unknownRevision(word expansion.Word) {
	if word.Kind == expansion.Glob && strings.HasPrefix(word.Text, ":") {
		g.Command.Caveats.Add("unknown_option") // where nothing matches, git reads its magic
	}
	if word.Kind == expansion.Glob {
		g.Command.Git.Patterns, g.Command.Git.Expanded = append(g.Command.Git.Patterns, value.Unescape(word.Text)), append(g.Command.Git.Expanded, word.Text)
		g.object(value.Unescape(word.Text)) // and otherwise revision:path, to the letter
	}
	g.accessAs(value.AsRevision, word, v1.OpRead, false)
}

// stagedPath reports whether a word has the form :path, or :N:path with the
// number of a stage.
func stagedPath(text string) bool {
	if len(text) > 3 && text[2] == ':' && text[1] >= '0' && text[1] <= '3' {
		return true
	}
	return len(text) > 1 && strings.IndexByte("/!^(", text[1]) < 0
}

// cutRevision cuts revision:path at the colon that git cuts it at: the first
// that stands in no braces.
func cutRevision(text string) (rev, path string, ok bool) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ':':
			if depth <= 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		return text[:i], text[i+1:], true // braces that don't close
	}
	return "", "", false
}

// pathspec reads a path pattern that git matches against its index.
func (g gitReader) pathspec(word expansion.Word) {
	if isWritten(word) {
		g.Access(word, v1.OpRead, false)
		word = expansion.Word{Kind: expansion.Literal, Text: word.Text}
	}
	text, plain := word.Text, false
	if word.Kind == expansion.Glob {
		g.Command.Git.Pathspecs, g.Command.Git.Expanded = append(g.Command.Git.Pathspecs, value.Unescape(text)), append(g.Command.Git.Expanded, text)
	} else {
		g.Command.Git.Pathspecs = append(g.Command.Git.Pathspecs, text)
	}
	if word.Kind == expansion.Literal && strings.HasPrefix(text, ":") {
		magic, path, known := gitsyntax.CutMagic(text)
		switch {
		case !known:
			g.Command.Caveats.Add("unknown_option")
			g.Access(expansion.Word{Kind: expansion.Literal, Text: path}, v1.OpRead, false)
			return
		case magic.Exclude:
			return
		case path == "":
			path = "."
		}
		text, plain = path, magic.Literal
	}
	meta := pathspecMeta
	if g.Platform == "windows" {
		meta = "*?[" // a backslash separates names
	}
	if word.Kind == expansion.Literal && !plain && strings.ContainsAny(text, meta) {
		// git matches the pattern against its index, which is another matter:
		// here only the directory that it starts from counts.
		root := text[:strings.LastIndexByte(text[:strings.IndexAny(text, meta)], '/')+1]
		if root == "" {
			root = "."
		}
		g.Command.Accesses = append(g.Command.Accesses, command.AccessTo(v1.OpList, root), command.Access{Text: text, Op: v1.OpRead, Naming: command.ByPathspec})
		return
	}
	if word.Kind == expansion.Glob && strings.HasPrefix(word.Text, ":") {
		g.Command.Caveats.Add("unknown_option") // where nothing matches, git reads its magic
	}
	word.Text = text
	g.accessAs(value.AsPathspec, word, v1.OpRead, false)
}

// pathspecMeta are the bytes that make a pathspec a pattern. A backslash quotes the byte behind it.
const pathspecMeta = `*?[\`

// formatOptions are options of git whose values are formats or name fields of them.
var formatOptions = []string{"--format", "--pretty", "--group", "--sort"}

// checksSignature reports whether a format asks git for what a signature is
// worth, for which it runs gpg, or may ask so. The field has its name wherever one
// is named: in a format, behind a star, or as what references are sorted by.
func checksSignature(format expansion.Word) bool {
	if format.Kind != expansion.Literal || strings.Contains(strings.ReplaceAll(format.Text, "contents:signature", ""), "signature") {
		return true
	}
	return gitsyntax.ChecksSignature(format.Text)
}

// harmlessConfig are settings for `git -c` that choose how output looks.
var harmlessConfig = []string{
	"color.", "core.quotepath", "core.abbrev", "log.date", "log.decorate", "diff.renames", "diff.context",
	"diff.colormoved", "advice.", "status.", "column.", "core.autocrlf", "core.filemode", "core.ignorecase",
	"core.precomposeunicode", "i18n.logoutputencoding", "user.name", "user.email",
}

// config reads the value of `git -c`. Harmless settings leave no trace in the
// form: the kind is then empty.
func (g gitReader) config(word expansion.Word) string {
	g.Command.Git.Settings = append(g.Command.Git.Settings, strings.ToLower(word.Text))
	key, value, _ := strings.Cut(strings.ToLower(word.Text), "=")
	if word.Kind != expansion.Literal {
		g.Command.Caveats.Add("dynamic_word")
		return "config"
	}
	if strings.HasPrefix(key, "color.") && value == "always" {
		g.Command.Printing.Color = command.ColorGiven
	}
	for _, harmless := range harmlessConfig {
		if key == harmless || strings.HasSuffix(harmless, ".") && strings.HasPrefix(key, harmless) {
			return ""
		}
	}
	if (key == "core.pager" || strings.HasPrefix(key, "pager.")) && (value == "cat" || value == "" || value == "false") {
		return ""
	}
	g.Command.Caveats.Add("executes")
	return "config"
}

// refRevision reads a word that is the name of a ref, or made of some: a revision, as long
// as no ref has a name that is an option. A command that fails prints no name, and what is
// left is a word.
func (g gitReader) refRevision(word expansion.Word) {
	if !g.refsHere(word) {
		g.Access(word, v1.OpRead, false)
		return
	}
	if stream.IsObjectOfRef(word.Text) {
		g.object(word.Text)
		return
	}
	g.Command.Git.Revisions = append(g.Command.Git.Revisions, strings.ReplaceAll(word.Text, stream.RefText, stream.HashText))
	switch rest := strings.ReplaceAll(word.Text, stream.RefText, ""); rest {
	case "":
	case "..":
		g.Command.Git.Patterns = append(g.Command.Git.Patterns, rest) // the directory above, for git, and no range
	default:
		g.Command.Accesses = append(g.Command.Accesses, command.Access{Text: rest, Op: v1.OpRead, Naming: command.ByName, Presence: command.IfPathLike})
	}
}

// assigned notes the name of a setting of git's that a command sets or removes. All but the
// listed ones may choose a program that git runs, or what it reads.
func (g gitReader) assigned(key expansion.Word) {
	if key.Kind != expansion.Literal || !g.Table.Words.Operands.PlainGitSetting(key.Text) {
		g.Command.Caveats.Add("executes")
	}
	if g.Has("--global") {
		g.Access(expansion.Word{Kind: expansion.Literal, Text: g.Home + "/.gitconfig"}, v1.OpWrite, false)
	}
	if g.Has("--system") {
		g.Access(expansion.Word{Kind: expansion.Literal, Text: "/etc/gitconfig"}, v1.OpWrite, false)
	}
}

// printing notes an option that chooses how output looks.
func (g gitReader) printing(option string, word expansion.Word) {
	if slices.Contains(formatOptions, option) {
		g.Command.Git.Log.Formats = append(g.Command.Git.Log.Formats, word.Text)
		if checksSignature(word) {
			g.Command.Caveats.Add("executes")
		}
	}
	switch option {
	case "--format", "--pretty":
		g.Command.Git.Log.Format = word.Text
	case "--date":
		g.Command.Git.Log.Date = word.Text
		if word.Kind != expansion.Literal {
			g.Command.Git.Log.Date = "\n"
		}
	}
}

// count notes how many commits are to be printed. Of several numbers the last one counts, of which
// the largest is no less.
func (g gitReader) count(word expansion.Word) {
	number, err := strconv.Atoi(word.Text)
	if word.Kind != expansion.Literal || err != nil || number < 0 {
		number = math.MaxInt
	}
	g.Command.Git.Log.Count = max(g.Command.Git.Log.Count, number)
}

// changed makes writes of what operands were taken to read, if the program writes the files
// that they name: git checkout REVISION -- PATH. Which files a pattern of git's selects is
// not looked up.
func (o operandReader) changed(from int) {
	if !slices.ContainsFunc(o.program.Changes, func(option string) bool { return option == "*" || o.Has(option) }) {
		return
	}
	o.Command.Git.PathRisk = o.program.Risks["<path>"]
	for i := from; i < len(o.Command.Accesses); i++ {
		a := &o.Command.Accesses[i]
		if i > from || a.Naming == command.ByGlob {
			o.risk(o.Command.Git.PathRisk) // what follows a revision is a path
		}
		if a.Naming == command.ByPathspec {
			o.Command.Caveats.Add("lands_unknown")
		}
		if a.Op == v1.OpRead {
			a.Op = v1.OpWrite
		}
	}
}

// commitRisk notes the risk of an operand that names a commit and no path: the only one, and not
// the commit that is checked out. A file is taken for a commit unless the word can be none.
func (o operandReader) commitRisk(operands, behind []expansion.Word) {
	for _, word := range operands {
		if spelledPath(word.Text) {
			o.risk(o.program.Risks["<path>"])
			return
		}
	}
	if len(operands) == 1 && len(behind) == 0 && !operands[0].Is("HEAD") && !operands[0].Is("@") {
		o.risk(o.program.Risks["<commit>"])
	}
}

// spelledPath reports whether a word can name no revision.
func spelledPath(text string) bool {
	return text == "." || strings.ContainsAny(text, "*?[\\") || strings.HasPrefix(text, ":") || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "/") || strings.HasSuffix(text, "/")
}

// gitPush reads the words of git push.
type gitPush struct {
	*Effects
	operands []expansion.Word
}

// changes adds a role for every ref of the remote that git push changes, as git reads
// refspecs: "<to main>" for a branch, by its whole name for what else begins with refs/.
// What git takes from its configuration is not known here; Mapped says where it counts.
func (p gitPush) changes() {
	kind := command.PushUpdates
	if p.Has("--force") || p.Has("--force-with-lease") || p.Has("--mirror") {
		kind = command.PushForces
	}
	named := false
	if p.Has("--all") || p.Has("--mirror") {
		named = true
		p.to(command.PushUnknown, kind)
	}
	if p.Has("--prune") {
		p.to(command.PushUnknown, command.PushDeletes)
	}
	if p.Has("--tags") {
		named = true
		p.to(command.PushTags, kind)
	}
	if p.Has("--follow-tags") {
		p.to(command.PushTags, command.PushUpdates) // it sends those that the remote lacks
	}
	if named = p.refspecs(kind) || named; !named {
		p.Command.Git.Mapped = true
		p.to(command.PushUnknown, kind) // the branch that is checked out, or what configuration says
	}
}

func (p gitPush) to(ref, kind string) { p.Command.Form.Put("<to "+ref+">", kind) }

// refspecs adds those of the operands, of which the first is the remote. It reports
// whether there are any but such as take refs away from the others.
func (p gitPush) refspecs(kind string) (named bool) {
	if len(p.operands) > 0 && p.operands[0].Kind != expansion.Literal {
		named = true
		p.to(command.PushUnknown, command.PushForces) // it may be no word, or several
	}
	for i := 1; i < len(p.operands); i++ {
		word := p.operands[i]
		switch {
		case word.Kind != expansion.Literal:
			p.to(command.PushUnknown, command.PushForces) // a plus may stand before it
		case word.Text == "tag" && i+1 < len(p.operands) && p.operands[i+1].Kind == expansion.Literal:
			i++
			p.to(qualified("refs/tags/"+p.operands[i].Text), p.deleting(kind))
		case strings.HasPrefix(word.Text, "^"):
			continue
		default:
			p.refspec(word.Text, kind)
		}
		named = true
	}
	return named
}

func (p gitPush) deleting(kind string) string {
	if p.Has("--delete") {
		return command.PushDeletes
	}
	return kind
}

func (p gitPush) refspec(text, kind string) {
	rest, forced := strings.CutPrefix(text, "+")
	if forced {
		kind = command.PushForces
	}
	source, destination, both := strings.Cut(rest, ":")
	switch {
	case !both:
		// The ref of the same name, unless configuration says otherwise.
		p.Command.Git.Mapped = p.Command.Git.Mapped || !p.Has("--delete")
		p.to(qualified(source), p.deleting(kind))
	case source == "" && destination != "":
		p.to(qualified(destination), command.PushDeletes)
	case destination == "":
		p.to(command.PushUnknown, kind) // ":" is every branch that both sides have
	default:
		p.to(qualified(destination), kind)
	}
}

// qualified is the name of a ref as a role has it: a branch without what stands before
// branches, anything else that begins with refs/ in full. What is no plain name of a ref
// may be any: a pattern, an expression, and HEAD, which stands for the branch that is
// checked out on either side.
func qualified(ref string) string {
	if ref == "" || ref == "HEAD" || ref == "@" || strings.ContainsAny(ref, "*?[\\^~: \t\n<>") || strings.Contains(ref, "@{") ||
		strings.Contains(ref, "//") || strings.Contains(ref, "..") || strings.HasPrefix(ref, "/") || strings.HasSuffix(ref, "/") {
		return command.PushUnknown
	}
	for _, before := range []string{"refs/heads/", "heads/"} {
		if branch, found := strings.CutPrefix(ref, before); found {
			return branch
		}
	}
	if strings.HasPrefix(ref, "tags/") || strings.HasPrefix(ref, "remotes/") {
		return "refs/" + ref
	}
	return ref
}

// isWritten reports whether a word is one that another command prints as it stands.
func isWritten(w expansion.Word) bool {
	return w.Kind == expansion.Names && w.Stream != nil && w.Stream.AreWords() && !lexical.HasWildcard(w.Text)
}
