package gate

import (
	"context"
	"slices"

	v1 "policyd/api/v1"
)

// Methods is a Snapshot that knows ACP methods.
type Methods interface {
	// Method makes the facts of a method without arguments; ok is false if it isn't a method.
	Method(session *v1.Session, name string) (facts v1.Facts, ok bool)
}

// Capabilities are what a host may advertise in a session. A method counts if a request for it would be
// served, in another mode than those without the host. A method that can't be judged doesn't count.
func (g *Gate) Capabilities(ctx context.Context, session *v1.Session, without ...string) v1.Capabilities {
	snapshot := g.options.Policy.Current()
	if snapshot == nil {
		return v1.Capabilities{}
	}
	served := func(method string) bool { return g.serves(ctx, snapshot, session, method, without) }
	return v1.Capabilities{
		FS: v1.FSCapabilities{
			ReadTextFile: served("fs/read_text_file"), WriteTextFile: served("fs/write_text_file"),
		},
		Terminal: served("terminal/create"),
	}
}

func (g *Gate) serves(ctx context.Context, snapshot Snapshot, session *v1.Session, method string, without []string) bool {
	methods, able := snapshot.(Methods)
	if !able {
		return false
	}
	facts, known := methods.Method(session, method)
	if !known {
		return false
	}
	g.options.Redactor.MaskFacts(&facts)
	in := &v1.Input{Facts: facts, Approvals: []v1.Approval{}}
	result, err := snapshot.Judge(ctx, in)
	if err != nil {
		code, _ := failure(ctx, err)
		g.options.Fault(code, err)
		return false
	}
	return result.Effect == v1.EffectAllow && inconsistency(in, &result) == "" && !slices.Contains(without, result.Route.Mode)
}
