package extract

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/patch"
	"policyd/extract/paths"
	"policyd/extract/spelling"
)

// other makes the item of a tool that nothing is known of (V12).
func (e *extraction) other(name string) {
	e.uncatalogued(v1.Item{Kind: v1.ItemTool, Verb: name, Path: -1}, name)
}

// mcp makes the item of an MCP tool.
func (e *extraction) mcp(who catalog.Identity) {
	e.uncatalogued(v1.Item{Kind: v1.ItemTool, Verb: catalog.MCPVerb(who.Server, who.Name), Path: -1}, who.Name)
}

// uncatalogued adds the item of a tool whose arguments no catalog explains, and
// what they name: an argument that is known to be a path is an item, and any
// other that leads to a place is what the tool touches, or an item where an
// approval of the tool must not reach.
func (e *extraction) uncatalogued(item v1.Item, name string) {
	e.facts.Items = append(e.facts.Items, item)
	u := uncatalogued{e: e, tool: name}
	u.arguments()
	own := &e.facts.Items[0]
	if e.x.address.Pair(u.scalars) || slices.ContainsFunc(u.scalars, e.x.address.Mentioned) || slices.ContainsFunc(u.scalars, e.namesOwn) {
		own.Caveats.Add("own_address")
	}
	own.Touches = u.touched.set
	if u.touched.special {
		own.Caveats.Add("special")
	}
	if u.touched.unseen {
		own.Caveats.Add("unseen")
	}
	if u.touched.secret {
		own.Caveats.Add(disk.ReachesSecret)
	}
	for _, caveat := range u.carried {
		own.Caveats.Add(caveat)
	}
	for _, class := range u.reaches {
		own.Reaches.Add(class)
	}
	own.Risks = u.risks
}

// uncatalogued reads the arguments of one tool.
type uncatalogued struct {
	e       *extraction
	tool    string
	touched touched // by the tool's item, which is the first
	// scalars are all texts and numbers of the arguments.
	scalars []string
	// carried are caveats of what its arguments run, lines how many command lines were read.
	carried v1.Set
	// reaches are the classes of paths that these come by.
	reaches v1.Set
	lines   int
	// risks are those of the tool's item, walks how many directories were walked for them.
	risks v1.Set
	walks int
	// secretsOnly is true where nothing but secrets is looked for.
	secretsOnly bool
}

func (u *uncatalogued) arguments() {
	for i := range u.e.tools.args {
		if u.secretsOnly && u.e.tools.args[i].Used {
			continue // it is an item, and judged as what it is
		}
		var value any
		if err := json.Unmarshal(u.e.tools.args[i].Raw, &value); err != nil {
			u.e.facts.doubt("argument_type")
			continue
		}
		u.key("", u.e.tools.args[i].Name)
		u.value(u.e.tools.args[i].Name, value)
	}
}

// value reads an argument at any depth. The key that stands nearest says what
// a text is for.
func (u *uncatalogued) value(name string, value any) {
	switch value := value.(type) {
	case float64:
		u.scalars = append(u.scalars, strconv.FormatFloat(value, 'f', -1, 64))
	case string:
		u.scalars = append(u.scalars, value)
		u.text(name, value)
	case []any:
		u.argv(name, value)
		for _, element := range value {
			u.value(name, element)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			u.key(name, key)
			u.value(key, value[key])
		}
	}
}

// key reads a name, which may be a path itself where a tool takes a map of
// files.
func (u *uncatalogued) key(name, key string) {
	if !u.secretsOnly {
		u.language(key)
	}
	if u.leadsOut(key) {
		u.text(name, key)
		return
	}
	u.e.locator.spelledSecret(key)
}

func (u *uncatalogued) text(name, text string) {
	role := u.e.x.catalog.Role(name)
	if !u.secretsOnly {
		u.patch(text)
	}
	if role == catalog.RolePattern && !u.secretsOnly && u.leadsOut(text) {
		u.place(text)
	}
	if role == catalog.RoleMention || role == catalog.RolePattern {
		// What is written or looked for may say ".env". Only what names a secret
		// that is there, from the root on, could be meant as the file itself.
		if u.full(text) && u.there(text) {
			u.e.locator.spelledSecret(text)
		}
		return
	}
	u.e.locator.spelledSecret(text)
	if u.secretsOnly {
		return
	}
	if role == catalog.RoleCommand {
		u.command(text)
	}
	u.words(role, text)
	if u.elsewhere(text) {
		return
	}
	u.matched(role, text)
	switch {
	case role == catalog.RolePath:
		u.declared(name, text)
	case role == catalog.RolePlace, u.leadsOut(text), u.there(text):
		u.place(text)
	}
}

// namesOwn reports whether an address holds the path of a directory of policyd's own, as those of sockets
// do in several notations.
func (e *extraction) namesOwn(text string) bool {
	if name, _ := spelling.Scheme(strings.TrimFunc(text, spelling.Blank)); name == "" {
		return false
	}
	return slices.ContainsFunc(e.x.Own, func(dir string) bool { return strings.Contains(spelling.Unescaped(text), dir+"/") })
}

// elsewhere reports whether a text is an address that no program takes for a
// path: one that does would have to go up, or find a name like that.
func (u *uncatalogued) elsewhere(text string) bool {
	_, ok := spelling.Address(text)
	return ok && !spelling.Climbing(text) && !u.e.view.Exists(u.e.view.Absolute(text, u.e.facts.Cwd))
}

// full reports whether a text names a place from the root of a disk or of a
// home on.
func (u *uncatalogued) full(text string) bool {
	if _, _, found := spelling.FileURI(text, u.e.view.Windows); found {
		return true
	}
	text = spelling.Unmarked(text)
	if u.e.view.Windows && (paths.DriveLetter(text) || strings.HasPrefix(text, `\`)) {
		return true
	}
	return strings.HasPrefix(text, "/") || text == "~" || strings.HasPrefix(text, "~") && strings.Contains(text, "/") ||
		spelling.VariablePath.MatchString(text)
}

// leadsOut reports whether a text could lead out of the working directory by
// how it is spelled. A name in the root whose first segment isn't there ("/api")
// is no file's.
func (u *uncatalogued) leadsOut(text string) bool {
	if !u.full(text) {
		return spelling.Climbing(text)
	}
	trimmed := spelling.Unmarked(text)
	if !strings.HasPrefix(trimmed, "/") || u.e.view.Windows {
		return true
	}
	clean := path.Clean(trimmed)
	first, _, _ := strings.Cut(clean[1:], "/")
	return spelling.Climbing(text) || disk.MetaIndex(first) < len(first) || strings.Contains(first, "%") || u.e.view.Exists("/"+first)
}

// there reports whether a text names something on disk.
func (u *uncatalogued) there(text string) bool {
	if reading, _, found := spelling.FileURI(text, u.e.view.Windows); found {
		text = reading
	}
	text = strings.TrimFunc(text, spelling.Blank)
	if text == "" || len(text) > spelling.MaxName || strings.ContainsAny(text, "\n\x00") {
		return false
	}
	return u.e.view.Exists(u.e.view.Absolute(text, u.e.facts.Cwd))
}

// declared makes the item of an argument that is known to be a path.
func (u *uncatalogued) declared(name, text string) {
	e := u.e
	raw, clear := u.spelled(text)
	u.below(e.files.addressedPath(text, raw, clear, e.x.catalog.MCPOperation(u.tool, name)))
}

// spelled is what a text names, and whether it certainly does.
func (u *uncatalogued) spelled(text string) (raw string, clear bool) {
	if raw, clear, found := spelling.FileURI(text, u.e.view.Windows); found {
		return raw, clear
	}
	return text, true
}

// place adds what an argument of no known role leads to. Of a pattern that is
// the directory that it starts from.
func (u *uncatalogued) place(text string) {
	raw, clear := u.spelled(text)
	pattern := strings.ContainsAny(raw, "*?[{") && !u.e.view.Exists(u.e.view.Absolute(raw, u.e.facts.Cwd))
	if !pattern || !strings.ContainsAny(raw, "*?") {
		u.below(u.reach(text, raw, clear))
	}
	if pattern {
		root := u.reach(text, u.e.files.patternRoot(raw), clear)
		if strings.Contains(raw, "**") {
			u.below(root) // other patterns name what they match
		}
	}
}

// reach adds one path. Where it lies in a space that the tool may change it is
// covered with the tool; elsewhere it is an item of its own.
func (u *uncatalogued) reach(text, raw string, clear bool) *v1.Path {
	e, op := u.e, u.e.x.catalog.MCPOperation(u.tool, "")
	p := e.locator.touch(&u.touched, raw, e.facts.Cwd, op)
	e.locator.alteredPath(p, raw)
	e.locator.otherReadings(p, text, raw, clear)
	u.touched.add(op, p.Space)
	switch p.Space {
	case v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantRead, v1.SpaceGrantReadWrite, v1.SpaceNone:
		return p
	case v1.SpaceReadAlso, v1.SpaceRepository:
		if op != v1.OpWrite {
			return p
		}
	}
	e.facts.pathItem(len(e.facts.Paths) - 1)
	return p
}

// patch makes an item of every path of a patch. Which format the tool reads is
// not known: each counts.
func (u *uncatalogued) patch(text string) {
	changes, ok := patch.Parse(text)
	if !ok && !strings.Contains(text, patch.Begin) && !strings.Contains(text, "+++ ") {
		return
	}
	for _, change := range changes {
		u.e.files.filePath(change.Path, change.Op, &catalog.Tool{})
	}
}
