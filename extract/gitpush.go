package extract

import (
	v1 "policyd/api/v1"
	"policyd/extract/git"
	"policyd/extract/shell"
)

// gitPush adds that a push may go anywhere, where settings of git have a say in where it
// goes and they say so, or can't be read.
func (e *extraction) gitPush(item *v1.Item, c *shell.Command) {
	if c.Git.Mapped && !e.pushesPlainly(c) {
		item.Form.Put(shell.PushAnywhere, shell.PushForces)
		item.Risks.Add("force")
	}
}

// gitPaths adds the risk of a path where a word that may name a revision is that of a file or a
// directory. git refuses a word that is both.
func (e *extraction) gitPaths(item *v1.Item, c *shell.Command) {
	if c.Git.PathRisk == "" {
		return
	}
	for i := range c.Accesses {
		a := &c.Accesses[i]
		if a.Op != v1.OpWrite || a.Dynamic || a.Landing != nil {
			continue
		}
		for _, dir := range c.Dirs {
			if full := e.view.Absolute(a.Text, dir); full != "" && e.view.Exists(full) {
				item.Risks.Add(c.Git.PathRisk)
			}
		}
	}
}

// pushesPlainly reports whether settings leave a push to git's own defaults in every
// directory that the command may run in. Settings of the line and of the environment
// are not read. Hooks have no say: settings are known where only a hook isn't trusted.
func (e *extraction) pushesPlainly(c *shell.Command) bool {
	if c.Caveats.Has("assigns") || c.Caveats.Has("executes") {
		return false
	}
	for _, dir := range c.Dirs {
		resolved, err := e.view.Resolve(dir)
		if err != nil || resolved.Unseen {
			return false
		}
		if verdict := e.inspect(resolved.Real, "push"); verdict.MapsPushes || !verdict.Trusted && verdict.Code() != git.CodeHook {
			return false
		}
	}
	return len(c.Dirs) > 0 && !c.Unknown
}
