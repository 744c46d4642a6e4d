package shell

import "strings"

// Kinds of the roles that say what a push does to a ref of the remote. What is forced may
// lose history.
const (
	pushUpdates = "updates"
	PushForces  = "forces"
	pushDeletes = "deletes"
)

// pushUnknown stands for a destination that the line doesn't name. No ref can be called so.
const pushUnknown = "?"

// PushAnywhere is the role of a push that may change any ref.
const PushAnywhere = "<to " + pushUnknown + ">"

// pushTags stands for every tag that there is.
const pushTags = "refs/tags/*"

// gitPush reads the words of git push.
type gitPush struct {
	*effects
	operands []Word
}

// changes adds a role for every ref of the remote that git push changes, as git reads
// refspecs: "<to main>" for a branch, by its whole name for what else begins with refs/.
// What git takes from its configuration is not known here; Mapped says where it counts.
func (p gitPush) changes() {
	kind := pushUpdates
	if p.has("--force") || p.has("--force-with-lease") || p.has("--mirror") {
		kind = PushForces
	}
	named := false
	if p.has("--all") || p.has("--mirror") {
		named = true
		p.to(pushUnknown, kind)
	}
	if p.has("--prune") {
		p.to(pushUnknown, pushDeletes)
	}
	if p.has("--tags") {
		named = true
		p.to(pushTags, kind)
	}
	if p.has("--follow-tags") {
		p.to(pushTags, pushUpdates) // it sends those that the remote lacks
	}
	if named = p.refspecs(kind) || named; !named {
		p.c.Git.Mapped = true
		p.to(pushUnknown, kind) // the branch that is checked out, or what configuration says
	}
}

func (p gitPush) to(ref, kind string) { p.c.Form.Put("<to "+ref+">", kind) }

// refspecs adds those of the operands, of which the first is the remote. It reports
// whether there are any but such as take refs away from the others.
func (p gitPush) refspecs(kind string) (named bool) {
	if len(p.operands) > 0 && p.operands[0].Kind != Literal {
		named = true
		p.to(pushUnknown, PushForces) // it may be no word, or several
	}
	for i := 1; i < len(p.operands); i++ {
		word := p.operands[i]
		switch {
		case word.Kind != Literal:
			p.to(pushUnknown, PushForces) // a plus may stand before it
		case word.Text == "tag" && i+1 < len(p.operands) && p.operands[i+1].Kind == Literal:
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
	if p.has("--delete") {
		return pushDeletes
	}
	return kind
}

func (p gitPush) refspec(text, kind string) {
	rest, forced := strings.CutPrefix(text, "+")
	if forced {
		kind = PushForces
	}
	source, destination, both := strings.Cut(rest, ":")
	switch {
	case !both:
		// The ref of the same name, unless configuration says otherwise.
		p.c.Git.Mapped = p.c.Git.Mapped || !p.has("--delete")
		p.to(qualified(source), p.deleting(kind))
	case source == "" && destination != "":
		p.to(qualified(destination), pushDeletes)
	case destination == "":
		p.to(pushUnknown, kind) // ":" is every branch that both sides have
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
		return pushUnknown
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
