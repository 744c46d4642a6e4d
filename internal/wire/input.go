package wire

import v1 "policyd/api/v1"

func (w *writer) input(in *v1.Input) {
	if in == nil {
		w.raw("null")
		return
	}
	w.facts(&in.Facts)
	w.raw(`,"approvals":`)
	each(w, in.Approvals, func(approval *v1.Approval) {
		w.text(`{"id":`, approval.ID)
		w.text(`,"tool":`, approval.Tool)
		w.text(`,"verb":`, approval.Verb)
		w.text(`,"directory":`, approval.Directory)
		w.truth(`,"anywhere":`, approval.Anywhere)
		w.truth(`,"once":`, approval.Once)
		w.set(`,"risks":`, approval.Risks)
		w.raw("}")
	})
	w.raw("}")
}

// facts writes facts as the beginning of an object.
func (w *writer) facts(facts *v1.Facts) {
	w.number(`{"schema":`, int64(facts.Schema))
	w.tool(&facts.Tool)
	w.session(&facts.Session)
	w.method(&facts.Method)
	w.texts(`,"about":`, facts.About)
	w.texts(`,"verbs":`, facts.Verbs)
	w.texts(`,"names":`, facts.Names)
	w.text(`,"cwd":`, facts.Cwd)
	w.truth(`,"messy":`, facts.Messy)
	w.truth(`,"complete":`, facts.Complete)
	w.texts(`,"doubts":`, facts.Doubts)
	w.raw(`,"items":`)
	each(w, facts.Items, w.item)
	w.raw(`,"paths":`)
	each(w, facts.Paths, w.path)
}

func (w *writer) tool(tool *v1.ToolFacts) {
	w.text(`,"tool":{"name":`, tool.Name)
	w.text(`,"kind":`, tool.Kind)
	w.text(`,"client":`, tool.Client)
	w.text(`,"protocol":`, tool.Protocol)
	w.text(`,"namespace":`, tool.Namespace)
	w.truth(`,"known":`, tool.Known)
	w.text(`,"act":`, tool.Act)
	w.raw("}")
}

func (w *writer) session(session *v1.SessionFacts) {
	w.text(`,"session":{"id":`, session.ID)
	w.text(`,"agent":`, session.Agent)
	w.text(`,"audience":`, string(session.Audience))
	w.truth(`,"interactive":`, session.Interactive)
	w.text(`,"platform":`, session.Platform)
	w.text(`,"project_dir":`, session.ProjectDir)
	w.text(`,"session_dir":`, session.SessionDir)
	w.set(`,"tools":`, session.Tools)
	w.set(`,"enforces":`, session.Enforces)
	w.set(`,"profiles":`, session.Profiles)
	w.raw("}")
}

func (w *writer) method(method *v1.MethodFacts) {
	w.raw(`,"method":{"peers":`)
	each(w, method.Peers, func(peer *v1.PeerFacts) {
		w.text(`{"id":`, peer.ID)
		w.set(`,"capabilities":`, peer.Capabilities)
		w.raw("}")
	})
	w.text(`,"terminal":{"step":`, method.Terminal.Step)
	w.text(`,"id":`, method.Terminal.ID)
	w.truth(`,"known":`, method.Terminal.Known)
	w.text(`,"peer":`, method.Terminal.Peer)
	w.truth(`},"permission":{"asks":`, method.Permission.Asks)
	w.truth(`,"raw_input":`, method.Permission.RawInput)
	w.raw("}}")
}

func (w *writer) item(item *v1.Item) {
	w.text(`{"kind":`, item.Kind)
	w.text(`,"verb":`, item.Verb)
	w.text(`,"directory":`, item.Directory)
	w.form(`,"form":`, item.Form)
	w.set(`,"touches":`, item.Touches)
	w.set(`,"caveats":`, item.Caveats)
	w.set(`,"reaches":`, item.Reaches)
	w.set(`,"within":`, item.Within)
	w.number(`,"path":`, int64(item.Path))
	w.set(`,"risks":`, item.Risks)
	w.values(`,"values":`, item.Values)
	w.raw("}")
}

func (w *writer) path(path *v1.Path) {
	w.text(`{"raw":`, path.Raw)
	w.text(`,"real":`, path.Real)
	w.text(`,"op":`, path.Op)
	w.text(`,"space":`, path.Space)
	w.number(`,"item":`, int64(path.Item))
	w.form(`,"class":`, path.Class)
	w.texts(`,"links":`, path.Links)
	w.set(`,"caveats":`, path.Caveats)
	w.raw("}")
}
