package bundles

import (
	"crypto/sha256"
	"encoding/binary"

	v1 "policyd/api/v1"
)

// inputKey names an input: two inputs have one key only if they are equal, nil and empty
// lists being the same, as they are to the policy.
type inputKey [sha256.Size]byte

// inputWriter writes an input as bytes from which it could be read back: every list and
// text is preceded by its length, and nothing is left out.
type inputWriter struct{ out []byte }

// key returns the key of in.
func (w *inputWriter) key(in *v1.Input) inputKey {
	w.out = w.out[:0]
	w.facts(&in.Facts)
	w.number(len(in.Approvals))
	for i := range in.Approvals {
		approval := &in.Approvals[i]
		w.texts(approval.ID, approval.Tool, approval.Verb, approval.Directory)
		w.truths(approval.Anywhere, approval.Once)
		w.list(approval.Risks)
	}
	return sha256.Sum256(w.out)
}

func (w *inputWriter) facts(facts *v1.Facts) {
	w.number(facts.Schema)
	tool, session := &facts.Tool, &facts.Session
	w.texts(tool.Name, tool.Kind, tool.Client, tool.Protocol, tool.Namespace, tool.Act)
	w.truths(tool.Known)
	w.texts(session.ID, session.Agent, string(session.Audience), session.Platform, session.ProjectDir, session.SessionDir)
	w.truths(session.Interactive)
	w.list(session.Tools)
	w.list(session.Enforces)
	w.list(session.Profiles)
	w.method(&facts.Method)
	w.list(facts.About)
	w.list(facts.Verbs)
	w.list(facts.Names)
	w.texts(facts.Cwd)
	w.truths(facts.Messy, facts.Complete)
	w.list(facts.Doubts)
	w.number(len(facts.Items))
	for i := range facts.Items {
		w.item(&facts.Items[i])
	}
	w.number(len(facts.Paths))
	for i := range facts.Paths {
		w.path(&facts.Paths[i])
	}
}

func (w *inputWriter) method(method *v1.MethodFacts) {
	w.number(len(method.Peers))
	for i := range method.Peers {
		w.texts(method.Peers[i].ID)
		w.list(method.Peers[i].Capabilities)
	}
	terminal := &method.Terminal
	w.texts(terminal.Step, terminal.ID, terminal.Peer)
	w.truths(terminal.Known, method.Permission.Asks, method.Permission.RawInput)
}

func (w *inputWriter) item(item *v1.Item) {
	w.texts(item.Kind, item.Verb, item.Directory)
	w.form(item.Form)
	w.list(item.Touches)
	w.list(item.Caveats)
	w.list(item.Reaches)
	w.list(item.Within)
	w.number(item.Path)
	w.list(item.Risks)
	w.number(len(item.Values))
	for _, value := range item.Values {
		w.texts(value.Name)
		w.list(value.Texts)
	}
}

func (w *inputWriter) path(path *v1.Path) {
	w.texts(path.Raw, path.Real, path.Op, path.Space)
	w.number(path.Item)
	w.form(path.Class)
	w.list(path.Links)
	w.list(path.Caveats)
}

func (w *inputWriter) form(form v1.Form) {
	w.number(len(form))
	for _, entry := range form {
		w.texts(entry.Name, entry.Kind)
	}
}

func (w *inputWriter) list(texts []string) {
	w.number(len(texts))
	w.texts(texts...)
}

func (w *inputWriter) texts(texts ...string) {
	for _, text := range texts {
		w.number(len(text))
		w.out = append(w.out, text...)
	}
}

func (w *inputWriter) number(number int) { w.out = binary.AppendVarint(w.out, int64(number)) }

func (w *inputWriter) truths(truths ...bool) {
	for _, truth := range truths {
		bit := byte(0)
		if truth {
			bit = 1
		}
		w.out = append(w.out, bit)
	}
}
