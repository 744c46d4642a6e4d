package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"slices"

	v1 "policyd/api/v1"
)

// Digest implements v1.Digester. Facts have to be there.
func (e *evaluation) Digest() [sha256.Size]byte { return e.key(e.snapshot) }

var _ v1.Digester = (*evaluation)(nil)

// key digests what makes two calls the same question (A10): the session, the tool, its arguments except for
// the inert ones, its directory, and the accesses in its facts.
func (e *evaluation) key(snapshot Snapshot) [sha256.Size]byte {
	d := digest{sha256.New()}
	call, facts := e.call, &e.input.Facts
	d.texts(call.Session.ID, call.Session.Agent, string(facts.Session.Audience), call.Tool, call.Protocol, facts.Cwd)
	d.arguments(call.Args, snapshot.Inert(call))
	d.number(len(facts.Items))
	for i := range facts.Items {
		item := &facts.Items[i]
		d.texts(item.Kind, item.Verb, item.Directory)
		d.form(item.Form)
		d.set(item.Touches)
		d.set(item.Caveats)
		d.set(item.Risks)
		d.number(len(item.Values))
		for _, value := range item.Values {
			d.texts(value.Name)
			d.number(len(value.Texts))
			d.texts(value.Texts...)
		}
	}
	d.number(len(facts.Paths))
	for i := range facts.Paths {
		path := &facts.Paths[i]
		d.texts(path.Real, path.Op, path.Space)
		d.form(path.Class)
	}
	return [sha256.Size]byte(d.Sum(nil))
}

// digest writes parts that are each preceded by their length, so that no part
// can pose as two.
type digest struct{ hash.Hash }

func (d digest) number(n int) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(n)) //nolint:gosec // a length
	_, _ = d.Write(length[:])                        // a hash never fails
}

func (d digest) texts(texts ...string) {
	for _, text := range texts {
		d.number(len(text))
		_, _ = d.Write([]byte(text))
	}
}

func (d digest) set(set []string) {
	sorted := slices.Clone(set)
	slices.Sort(sorted)
	d.number(len(sorted))
	d.texts(sorted...)
}

func (d digest) form(form v1.Form) {
	names := make([]string, 0, len(form))
	for _, entry := range form {
		names = append(names, entry.Name+"\x00"+entry.Kind)
	}
	d.set(names)
}

// arguments digests the arguments by name. Arguments that aren't an object are digested as they are.
func (d digest) arguments(args json.RawMessage, inert []string) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(args, &members); err != nil {
		d.texts(string(args))
		return
	}
	names := make([]string, 0, len(members))
	for name := range members {
		if !slices.Contains(inert, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	d.number(len(names))
	for _, name := range names {
		d.texts(name, string(members[name]))
	}
}
