package gates

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/coder/acp-go-sdk"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
)

// Members of a client's capabilities, in the order in which they are looked for.
const (
	capabilities    = "clientCapabilities"
	capabilityFS    = "fs"
	capabilityRead  = "readTextFile"
	capabilityWrite = "writeTextFile"
	capabilityTerm  = "terminal"
)

// advertise returns the client's initialize for the agent: the client's capabilities that the policy serves
// (N3). If the policy can't be reached, there are none. Only the capabilities are rewritten, and only if they
// change.
func (g *ACP) advertise(ctx context.Context, line []byte, m *jsonrpc.Message) []byte {
	params, err := jsonrpc.Object(m.Params)
	if err != nil {
		return line // it has no capabilities
	}
	for _, member := range params {
		if member.Name != capabilities {
			continue
		}
		g.setPeer(member.Value)
		cut := cutCapabilities(member.Value, g.served(ctx))
		if bytes.Equal(cut, member.Value) {
			return line
		}
		at := m.At + member.At
		return bytes.Join([][]byte{line[:at], cut, line[at+len(member.Value):]}, nil)
	}
	return line
}

// setPeer stores the client's capabilities.
func (g *ACP) setPeer(value []byte) {
	var said acp.ClientCapabilities
	if err := json.Unmarshal(value, &said); err != nil {
		return // it can do nothing that is known
	}
	peer := v1.Peer{ID: clientPeer, Capabilities: []string{}}
	if said.Fs.ReadTextFile {
		peer.Capabilities = append(peer.Capabilities, acp.ClientMethodFsReadTextFile)
	}
	if said.Fs.WriteTextFile {
		peer.Capabilities = append(peer.Capabilities, acp.ClientMethodFsWriteTextFile)
	}
	if said.Terminal {
		peer.Capabilities = append(peer.Capabilities, capabilityTerm)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.peers = []v1.Peer{peer}
}

// served is what policy serves in sessions of this gate.
func (g *ACP) served(ctx context.Context) v1.Capabilities {
	template := g.template("")
	g.mu.Lock()
	if g.base == nil {
		g.base = &own{sidecar: g.sidecar, session: template, note: g.note}
	}
	base := g.base
	g.mu.Unlock()
	session, err := base.current(ctx)
	if err == nil {
		var out *v1.Capabilities
		if out, err = g.sidecar.Capabilities(ctx, session.ID); err == nil {
			return *out
		}
	}
	g.note(fmt.Sprintf("nothing is advertised to the agent: %v", err))
	return v1.Capabilities{}
}

// cutCapabilities returns capabilities without what isn't served. What policy
// doesn't know of stays as it is.
func cutCapabilities(value []byte, served v1.Capabilities) []byte {
	return rewrite(value, func(name string, value []byte) []byte {
		switch jsonrpc.Fold(name) {
		case jsonrpc.Fold(capabilityFS):
			return rewrite(value, func(name string, value []byte) []byte {
				switch jsonrpc.Fold(name) {
				case jsonrpc.Fold(capabilityRead):
					return both(value, served.FS.ReadTextFile)
				case jsonrpc.Fold(capabilityWrite):
					return both(value, served.FS.WriteTextFile)
				}
				return value
			})
		case jsonrpc.Fold(capabilityTerm):
			return both(value, served.Terminal)
		}
		return value
	})
}

func both(value []byte, served bool) []byte {
	if served {
		return value
	}
	return []byte("false")
}

// rewrite returns an object with other values. Anything that isn't an object becomes an empty one.
func rewrite(object []byte, change func(name string, value []byte) []byte) []byte {
	members, err := jsonrpc.Object(object)
	if err != nil {
		return []byte("{}")
	}
	out, from := []byte{}, 0
	for _, member := range members {
		out = append(out, object[from:member.At]...)
		out = append(out, change(member.Name, member.Value)...)
		from = member.At + len(member.Value)
	}
	return append(out, object[from:]...)
}
