package extract

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/ownaddress"
	"policyd/extract/spelling"
)

// tools makes the items of tools whose arguments are known.
type tools struct {
	facts    *builder
	view     *disk.View
	address  ownaddress.Addresses
	locator  *locator
	commands *commands
	files    *fileTools
	args     arguments.Arguments
}

// catalogued makes the items of a tool that the catalog knows.
func (r *tools) catalogued(t *catalog.Tool) {
	r.args.Ignore(t.Inert)
	r.args.Ignore(t.Content)
	r.operands(t.Operands)
	switch t.Kind {
	case v1.ToolInternal:
		r.facts.Items = append(r.facts.Items, v1.Item{Kind: v1.ItemTool, Verb: r.facts.call.Tool, Path: -1})
		for _, name := range r.args.Rest() {
			if slices.Contains(t.Acts, name) || r.actsWith(t.ActsWith[name], name) {
				r.unknownArgument(name)
			}
		}
		return
	case v1.ToolShell:
		if t.Typed && !r.types(t) {
			r.args.Ignore(t.Command)
			r.facts.Tool.Kind = v1.ToolInternal
			r.facts.Items = append(r.facts.Items, v1.Item{Kind: v1.ItemTool, Verb: r.facts.call.Tool, Path: -1})
			break
		}
		r.shellTool(t)
	case v1.ToolFetch:
		r.fetchTool(t)
	case v1.ToolOther:
		item := v1.Item{Kind: v1.ItemTool, Verb: r.facts.call.Tool, Path: -1}
		r.callee(t, &item)
		r.facts.Items = append(r.facts.Items, item)
	default:
		r.files.fileTool(t)
	}
	r.unknownArguments()
}

// actsWith reports whether an argument holds any of some words, or is none that could be searched for them.
func (r *tools) actsWith(words []string, name string) bool {
	if len(words) == 0 {
		return false
	}
	texts, err := r.args.Take(name)
	return err != nil || slices.ContainsFunc(texts, func(text string) bool {
		text = strings.ToLower(text)
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	})
}

// callee notes which agent is asked, where a tool asks one.
func (r *tools) callee(t *catalog.Tool, item *v1.Item) {
	if len(t.Callee) == 0 {
		return
	}
	names := r.texts(t.Callee)
	if len(names) != 1 || names[0] == "" {
		r.facts.doubt("callee_missing")
		return
	}
	item.Verb += " " + names[0]
	item.Form.Put("callee", names[0])
}

// unknownArguments adds an uncovered item for every argument that the catalog
// doesn't explain (V12).
func (r *tools) unknownArguments() {
	for _, name := range r.args.Rest() {
		r.unknownArgument(name)
	}
}

func (r *tools) unknownArgument(name string) {
	r.facts.step()
	item := v1.Item{Kind: v1.ItemTool, Verb: r.facts.call.Tool, Path: -1}
	item.Form.Put(optionText(name), "unknown")
	item.Caveats.Add("unknown_argument")
	r.facts.Items = append(r.facts.Items, item)
}

// operands takes the arguments that a program gets as words: one that begins with a dash
// is an option to it, such as git grep's --open-files-in-pager.
func (r *tools) operands(names []string) {
	for _, name := range names {
		if slices.ContainsFunc(r.texts([]string{name}), func(text string) bool { return strings.HasPrefix(text, "-") }) {
			r.unknownArgument(name)
		}
	}
}

func optionText(name string) string {
	if len(name) > 64 {
		return name[:64]
	}
	return name
}

// texts takes the texts of the named arguments. An argument of another type
// leaves the facts incomplete.
func (r *tools) texts(names []string) []string {
	var out []string
	for _, name := range names {
		texts, err := r.args.Take(name)
		if err != nil {
			r.facts.doubt("argument_type")
		}
		if out == nil {
			out = slices.Clip(texts)
		} else {
			out = append(out, texts...)
		}
	}
	return out
}

func (r *tools) shellTool(t *catalog.Tool) {
	for _, dir := range r.texts(t.Cwd) {
		r.changeCwd(dir)
	}
	if t.Shell != "" {
		call := *r.facts.call
		call.Session.Shell = t.Shell
		r.facts.call = &call
	}
	lines := 0
	for _, name := range t.Command {
		texts, err := r.args.Take(name)
		if err != nil {
			r.facts.doubt("argument_type")
			continue
		}
		if len(texts) == 0 {
			continue
		}
		lines++
		list := r.args.Raw(name)[0] == '['
		if list && !t.Words {
			r.facts.doubt("argument_type")
		}
		r.commands.commandLine(commandText(texts, list))
	}
	if lines != 1 {
		r.facts.doubt("command_missing")
	}
	for _, line := range r.texts(t.Lines) {
		r.commands.commandLine(line)
	}
	if t.Typed {
		r.typed()
	}
}

// types reports whether anything is typed. Without it a tool only asks for what the program has printed.
func (r *tools) types(t *catalog.Tool) bool {
	return slices.ContainsFunc(t.Command, func(name string) bool {
		raw := string(r.args.Raw(name))
		return raw != "" && raw != `""` && raw != "null"
	})
}

// typed makes the item of a program that reads what is typed, and needn't be a shell.
func (r *tools) typed() {
	item := v1.Item{Kind: v1.ItemTool, Verb: r.facts.call.Tool, Path: -1}
	item.Caveats.Add("inline_code")
	r.facts.Items = append(r.facts.Items, item)
}

// commandText is the command line of a list of words: `["bash", "-lc", "…"]`
// runs as if each word were quoted.
func commandText(texts []string, list bool) string {
	if !list {
		return texts[0]
	}
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quoteWord(text)
	}
	if strings.Contains(quoted[0], "=") && quoted[0] == texts[0] {
		quoted[0] = "'" + texts[0] + "'" // a program's name, and no assignment
	}
	return strings.Join(quoted, " ")
}

func quoteWord(text string) string {
	special := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=@%+,", r)
	}
	if text != "" && strings.IndexFunc(text, special) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// changeCwd makes the explicit argument the directory in force (V4).
func (r *tools) changeCwd(dir string) {
	if dir == "" {
		return
	}
	base := r.facts.Cwd
	r.facts.Cwd = ""
	full := r.view.Absolute(dir, base)
	if full == "" {
		return
	}
	if resolved, err := r.view.Resolve(full); err == nil {
		r.facts.Cwd = resolved.Real
	}
}

// globMarks are what makes a path a pattern to one tool or another.
const globMarks = `*?[]{}()!@+\`

// namedPaths collects the texts under keys that name paths, at any depth.
func namedPaths(out []string, value any, names func(key string) bool) []string {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			out = namedPaths(out, element, names)
		}
	case map[string]any:
		for name, element := range value {
			if texts, ok := arguments.Texts(element); ok && names(name) {
				out = append(out, texts...)
				continue
			}
			out = namedPaths(out, element, names)
		}
	}
	return out
}

// fetchTool makes an item per host.
func (r *tools) fetchTool(t *catalog.Tool) {
	found := 0
	for _, address := range r.texts(t.URLs) {
		found++
		r.fetch(address)
	}
	for _, text := range r.texts(t.Texts) {
		for word := range strings.FieldsFuncSeq(text, scriptSpace) {
			found += r.mentioned(strings.Trim(word, aroundAddresses+".!?"))
		}
	}
	if found == 0 {
		r.facts.Items = append(r.facts.Items, v1.Item{Kind: v1.ItemTool, Verb: r.facts.call.Tool, Path: -1})
	}
}

// aroundAddresses stand around an address in a text, and can stand in one, too.
const aroundAddresses = "\"'<>(),;"

// scriptSpace reports whether a character is white space in JavaScript, where clients cut texts.
func scriptSpace(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\uFEFF' }

// mentioned makes the items of the addresses in a word, and returns how many there are. A word that isn't
// one plain address may be cut in other places: what stands in front of a host can be the name of a user,
// and what isn't seen can be left out.
func (r *tools) mentioned(word string) (found int) {
	if strings.Count(word, "://") > 1 || strings.Contains(word, "://") &&
		strings.ContainsFunc(word, func(r rune) bool { return strings.ContainsRune(aroundAddresses, r) || spelling.InvisibleRune(r) }) {
		r.unknownArgument(word)
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune(aroundAddresses, r) }) {
		if strings.Contains(part, "://") {
			found++
			r.fetch(part)
		}
	}
	return found
}

func (r *tools) fetch(address string) {
	if raw, clear, found := spelling.FileURI(address, r.view.Windows); found {
		// One on another host is fetched from there, so where readers could differ about
		// the name it is not known.
		r.files.addressedPath(address, raw, clear, v1.OpRead)
		return
	}
	item := v1.Item{Kind: v1.ItemFetch, Verb: "fetch", Path: -1}
	item.Caveats.Add("network")
	if r.address.Fetched(address) {
		item.Caveats.Add("own_address")
	}
	parsed, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || parsed.Host == "":
		item.Caveats.Add("unknown_argument")
	default:
		item.Verb = "fetch " + strings.ToLower(parsed.Hostname())
	}
	r.facts.Items = append(r.facts.Items, item)
}

// does makes the items of a method that does what a kind of tool does.
func (r *tools) does(t *catalog.Tool) {
	r.facts.Tool.Act = t.Kind
	switch t.Kind {
	case v1.ToolShell:
		r.shellTool(t)
	case v1.ToolFetch:
		r.fetchTool(t)
	default:
		r.files.fileTool(t)
	}
}
