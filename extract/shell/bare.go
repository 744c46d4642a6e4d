package shell

import "policyd/extract/argv/filter"

// dashlessLines is what the command prints, if that is lines without a dash: of a grep, or of a filter
// that such lines are piped to.
func (o *stdout) dashlessLines() *feed {
	if o.args == nil {
		return nil
	}
	piped := o.in != nil && o.in.bare && len(o.c.Accesses) == 0
	if o.c.Verb == "grep" && filter.MatchesBare(o.args) || piped && filter.KeepsBare(o.c.Verb, o.c.Form, o.args) {
		return &feed{dir: o.c.Dirs[0], bare: true}
	}
	return nil
}
