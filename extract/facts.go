package extract

import (
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// builder gathers the facts of one call, within bounds.
type builder struct {
	v1.Facts
	call   *v1.Call
	lists  *lists.Lists
	bounds bounds
	room   *room
	// spaces is scratch memory for what one item touches.
	spaces [8]string
}

// touches reports whether the item touches a path in this way already.
func (b *builder) touches(t *touched, raw, op string) bool {
	return slices.ContainsFunc(b.Paths, func(p v1.Path) bool { return p.Item == t.item && p.Op == op && p.Raw == raw })
}

// step is called for each item, path and argument. It ends the extraction when the facts
// exceed a limit, the caller went away, or time is up. It must not be called by what
// the shell package calls back, which may hold locks.
func (b *builder) step() {
	within := &b.bounds
	switch {
	case len(b.Paths) >= mostFacts:
		within.stop(CodeTooManyPaths, "the call names more than 4000 paths; split it")
	case len(b.Items) >= mostFacts:
		within.stop(CodeTooManyItems, "the call holds more than 4000 commands and arguments; split it")
	}
	if within.steps++; within.steps%stepsPerLook != 0 || within.ctx == nil {
		return
	}
	switch {
	case within.ctx.Err() != nil:
		within.stop(CodeCancelled, "the caller went away")
	case !within.until.IsZero() && time.Now().After(within.until):
		within.stop(CodeTimeout, "reading the call took longer than policy_timeout; split it, or raise policy_timeout in the settings")
	}
}

// abandoned are the facts of a call that was not read to its end: who called which tool,
// and nothing that could be allowed.
func (b *builder) abandoned() v1.Facts {
	facts := v1.Facts{
		Schema: v1.FactsSchema, Tool: b.Tool, Session: b.Session, Cwd: b.Cwd,
		Doubts: []string{}, About: []string{}, Verbs: []string{}, Names: []string{}, Items: []v1.Item{}, Paths: []v1.Path{},
	}
	facts.Session.Tools, facts.Method.Peers = total(facts.Session.Tools), []v1.PeerFacts{}
	return facts
}

// outside makes an item of every path of a command that lies in no space, so
// that it is asked for whatever covers the command (V1).
func (b *builder) outside(first, command int) {
	var seen []string
	for i := first; i < len(b.Paths); i++ {
		p := &b.Paths[i]
		if p.Item != command || p.Space != v1.SpaceOutside || slices.Contains(seen, p.Op+p.Real) {
			continue
		}
		seen = append(seen, p.Op+p.Real)
		b.pathItem(i)
	}
}

// pathItem makes the item of one path.
func (b *builder) pathItem(index int) {
	p := &b.Paths[index]
	item := v1.Item{
		Kind: v1.ItemPath, Verb: p.Op, Directory: paths.Parent(p.Real), Path: index,
		Touches: b.room.set(touchName(p.Op, p.Space)),
	}
	if p.Caveats.Has("directory") {
		item.Directory = p.Real
	}
	b.Items = append(b.Items, item)
}

func (b *builder) mark() mark {
	return mark{len(b.Items), len(b.Paths), len(b.Doubts), b.Messy, b.Complete}
}

// forgetDoubts takes back what was not understood since a mark.
func (b *builder) forgetDoubts(since mark) {
	b.Messy, b.Complete, b.Doubts = since.messy, since.complete, b.Doubts[:since.doubts]
}

func (b *builder) about(key string) {
	for _, known := range b.About {
		if known == key {
			return
		}
	}
	b.About = append(b.About, key)
}

// doubt makes the facts incomplete and says why.
func (b *builder) doubt(code string) {
	b.Complete = false
	for _, known := range b.Doubts {
		if known == code {
			return
		}
	}
	b.Doubts = append(b.Doubts, code)
}

// finish fills what rules look things up by, and makes the facts total.
func (b *builder) finish() v1.Facts {
	b.Tool.Act = b.Tool.JudgedAs()
	b.about(b.Tool.Act)
	verbs, names := distinct{list: b.Verbs}, distinct{list: b.Names}
	for i := range b.Items {
		item := &b.Items[i]
		b.about(item.Kind)
		if item.Kind == v1.ItemCommand {
			verbs.add(item.Verb)
		}
		item.Form = total(item.Form)
		item.Touches, item.Caveats, item.Within, item.Reaches = total(item.Touches), total(item.Caveats), total(item.Within), total(item.Reaches)
		b.aboutItem(item)
	}
	for i := range b.Paths {
		path := &b.Paths[i]
		b.about(path.Op)
		b.aboutPath(path)
		names.add(paths.Base(path.Real))
		path.Class, path.Caveats = total(path.Class), total(path.Caveats)
		path.Links = total(path.Links)
	}
	b.Verbs, b.Names = verbs.list, names.list
	if len(b.Items) == 0 && b.Complete && b.Tool.Kind == v1.ToolShell && !b.Messy {
		b.about("nothing")
	}
	if b.lists.Ruled[b.Session.Agent] {
		b.about("ruled")
	}
	b.About, b.Verbs, b.Names, b.Doubts = total(b.About), total(b.Verbs), total(b.Names), total(b.Doubts)
	b.Items, b.Paths, b.Session.Tools = total(b.Items), total(b.Paths), total(b.Session.Tools)
	b.Method.Peers = total(b.Method.Peers)
	return b.Facts
}

// aboutPath adds the keys by which rules that deny or ask are indexed. They
// are derived here, from the finished facts alone, so that no way of making a
// path can forget one.
func (b *builder) aboutPath(path *v1.Path) {
	changes := path.Op == v1.OpWrite || path.Op == v1.OpDelete
	switch {
	case path.Space == v1.SpaceOutside:
		b.about("outside")
	case path.Space == v1.SpaceGrantRead && changes:
		b.about("read_only")
	}
	if path.Caveats.Has("network") {
		b.about("network_device")
	}
	for _, class := range path.Class {
		switch class.Name {
		case "secret", "secret_directory":
			b.about("secret")
		case "protected", "protected_always":
			b.about("protected")
		case "own":
			b.about("own")
		case "delete_allow":
		default:
			b.about("class")
		}
	}
}

// aboutItem does the same for the caveats of items.
func (b *builder) aboutItem(item *v1.Item) {
	if len(item.Reaches) > 0 {
		b.about("class")
	}
	for _, caveat := range item.Caveats {
		switch caveat {
		case "reads_environment", "secret_variable":
			b.about("environment")
		case "own_program", "own_address":
			b.about("own")
		case disk.ReachesSecret, disk.ReachesOutside, disk.ReachesUnknown:
			b.about("reach")
		}
	}
}

// note adds a caveat of a path, in memory that is there for the first.
func (b *builder) note(p *v1.Path, caveat string) {
	if p.Caveats == nil {
		p.Caveats = b.room.set(caveat)
		return
	}
	p.Caveats.Add(caveat)
}
