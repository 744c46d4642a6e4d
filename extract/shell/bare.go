package shell

import "policyd/extract/argv/filter"

// dashlessLines is what the command prints if no line of it, and nothing that is cut out of one, can be an option: what
// such an expression of grep -o matches, or what a filter keeps of such lines.
func (o *stdout) dashlessLines() *NameStream {
	if o.args == nil {
		return nil
	}
	piped := o.in != nil && o.in.bare && len(o.c.Accesses) == 0
	if o.c.Verb == "grep" && filter.MatchesBare(o.args) || piped && filter.KeepsBare(o.c.Verb, o.c.Form, o.args) {
		return &NameStream{dir: o.c.Cwd.Known[0], bare: true}
	}
	return nil
}
