package gate

import (
	"context"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// projectNote explains the effect of trusting a project's tools.
const projectNote = "agents may build, test, lint, format, run, edit and stage files in the project without a question, which runs the project's code"

// messyNote ends the title of a prompt for a messy command (A2).
const messyNote = " complex command: only one-shot approval available"

// question makes the question that the judgement asks, without a key.
func (e *evaluation) question(ctx context.Context) *v1.Question {
	shown := exposure{mask: e.gate.options.Redactor.Shown}
	call := e.call
	items := e.concerned()
	verbs, directory, several := e.subject(items)
	for i := range verbs {
		verbs[i] = shown.line(verbs[i])
	}
	prompt := &v1.Prompt{
		State: v1.PromptPending, Verbs: verbs, Directory: shown.line(directory), Messy: e.input.Messy,
		Call: v1.PromptCall{
			Tool: shown.line(call.Tool), Text: shown.expose(callText(call, e.input.Tool.Kind)), Cwd: shown.line(e.input.Cwd),
			Agent: shown.line(call.Session.Agent), SessionID: call.Session.ID, Paths: []string{},
		},
	}
	for _, item := range items {
		if path := e.input.Items[item].Path; path >= 0 && path < len(e.input.Paths) {
			prompt.Call.Paths = append(prompt.Call.Paths, shown.line(e.input.Paths[path].Real))
		}
	}
	place := prompt.Directory
	if several {
		place = prompt.Call.Cwd
	}
	prompt.Title = e.subjectOf(items, &shown).title(place)
	prompt.Reasons = e.why(&shown)
	prompt.Warnings = lookalikes(prompt.Call.Text, verbs)
	if prompt.Messy {
		prompt.Title += messyNote
	}
	scope, opened := e.scope(ctx)
	offered := e.effective(ctx, &scope, opened)
	saves := make(map[string]string, len(offered))
	for _, key := range offered {
		saves[key] = shown.line(scope.Saves(key))
	}
	prompt.Call.Altered = shown.altered
	prompt.Choices = choices(offered, prompt.Messy || shown.altered || len(prompt.Warnings) > 0)
	for i := range prompt.Choices {
		prompt.Choices[i].Saves = saves[prompt.Choices[i].Key]
	}
	return &v1.Question{Prompt: *prompt, Kind: v1.PromptKindCall, Scope: scope}
}

// scope is what an answer to this call would be remembered for: the items that
// nothing covers, as they are and not as a person is shown them. Of a call that changes files
// outside it also returns what is judged once these may be changed.
func (e *evaluation) scope(ctx context.Context) (v1.PromptScope, *v1.Input) {
	scope := v1.PromptScope{
		Caller: e.options.Caller.Asker(), Agent: e.call.Session.Agent, Audience: e.input.Session.Audience, Tool: e.input.Tool.JudgedAs(),
	}
	if project := e.input.Session.ProjectDir; !v1.Shallow(project) {
		scope.Project = project
	}
	scope.Items = promptItems(&e.input, e.result.Uncovered)
	if slices.Contains(e.result.Choices, v1.ChoiceReadChat) {
		scope.Roots = e.readingRoots(nil)
	}
	if e.changesOutside() {
		opened := e.open(ctx, &scope)
		e.addWorktrees(&scope)
		return scope, opened
	}
	e.addWorktrees(&scope)
	return scope, nil
}

// addWorktrees adds what the directories of a scope are called in the main work tree.
func (e *evaluation) addWorktrees(scope *v1.PromptScope) {
	if !e.gate.options.Worktrees || e.gate.options.Approvals == nil {
		return
	}
	directories := []string{scope.Project}
	for i := range scope.Items {
		directories = append(directories, scope.Items[i].Directory)
	}
	for _, directory := range directories {
		main, ok := e.gate.options.Approvals.InMain(directory)
		if !ok {
			continue
		}
		if scope.Worktrees == nil {
			scope.Worktrees = map[string]string{}
		}
		scope.Worktrees[directory] = main
	}
}

// promptItems are items of an input as an answer would name them, each once.
func promptItems(in *v1.Input, uncovered []int) []v1.PromptItem {
	items := []v1.PromptItem{}
	for _, index := range uncovered {
		item := &in.Items[index]
		entry := v1.PromptItem{
			Kind: item.Kind, Verb: item.Verb, Directory: item.Directory, Shallow: item.Caveats.Has("shallow"),
			Risks: slices.Sorted(slices.Values(item.Risks)),
		}
		if !slices.ContainsFunc(items, func(known v1.PromptItem) bool { return sameItem(&known, &entry) }) {
			items = append(items, entry)
		}
	}
	return items
}

// maxRoots bounds the directories in one question.
const maxRoots = 3

// readingRoots are the directories that would have to be read for the paths outside that
// nothing covers, without those below places that are opened anyway; none unless there is one
// for each.
func (e *evaluation) readingRoots(opened []string) []string {
	if e.gate.options.Sessions == nil {
		return nil
	}
	roots := e.roots(e.gate.options.Sessions.ReadingRoot, func(path *v1.Path) bool {
		return !slices.ContainsFunc(opened, func(root string) bool { return within(path.Real, root) })
	})
	return slices.DeleteFunc(roots, func(root string) bool { return slices.Contains(opened, root) })
}

// roots are the places that a person could open for the paths outside that nothing covers, of
// those that are wanted; none unless there is one for each, and they are few.
func (e *evaluation) roots(rootOf func(session *v1.Session, path string) string, wanted func(path *v1.Path) bool) []string {
	var roots []string
	for _, index := range e.result.Uncovered {
		path := e.outside(index)
		if path == nil || !wanted(path) {
			continue
		}
		root := rootOf(&e.call.Session, path.Real)
		if root == "" || v1.Shallow(root) {
			return nil
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
		if len(roots) > maxRoots {
			return nil
		}
	}
	return slices.Sorted(slices.Values(roots))
}

// outside is the path of an item that is outside every space, nil for any other item.
func (e *evaluation) outside(index int) *v1.Path {
	item := &e.input.Items[index]
	if item.Kind != v1.ItemPath || item.Path < 0 || item.Path >= len(e.input.Paths) {
		return nil
	}
	if path := &e.input.Paths[item.Path]; path.Space == v1.SpaceOutside {
		return path
	}
	return nil
}

func within(name, root string) bool {
	return name == root || strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/")
}

func sameItem(a, b *v1.PromptItem) bool {
	return a.Kind == b.Kind && a.Verb == b.Verb && a.Directory == b.Directory && a.Shallow == b.Shallow && slices.Equal(a.Risks, b.Risks)
}

// concerned are the items of the question, ascending: those that nothing covers (V10), and covered ones for
// which a rule prompts.
func (e *evaluation) concerned() []int {
	items := slices.Clone(e.result.Uncovered)
	for i := range e.result.Reasons {
		reason := &e.result.Reasons[i]
		if reason.Effect == v1.EffectPrompt && reason.Item >= 0 {
			items = append(items, reason.Item)
		}
	}
	slices.Sort(items)
	items = slices.Compact(items)
	if len(items) > 0 {
		return items
	}
	for i := range e.input.Items {
		items = append(items, i)
	}
	return items
}

// subject returns the distinct verbs, the directory that they share (for a path item its path) or else the
// call's, and whether there are several verbs.
func (e *evaluation) subject(items []int) (verbs []string, directory string, several bool) {
	verbs = []string{}
	shared := true
	for n, index := range items {
		item := &e.input.Items[index]
		if !slices.Contains(verbs, item.Verb) {
			verbs = append(verbs, item.Verb)
		}
		place := e.place(item)
		if n == 0 {
			directory = place
		}
		shared = shared && place == directory
	}
	if !shared {
		directory = e.input.Cwd
	}
	return verbs, directory, len(verbs) > 1
}

func (e *evaluation) place(item *v1.Item) string {
	if item.Kind == v1.ItemPath && item.Path >= 0 && item.Path < len(e.input.Paths) {
		if resolved := e.input.Paths[item.Path].Real; resolved != "" {
			return resolved
		}
		return e.input.Paths[item.Path].Raw
	}
	return item.Directory
}

// choices adds labels to the offered answers. Text that isn't shown to the person as it is can be approved
// once at most (A11), and so can a messy command (V8). Denying is always possible.
func choices(keys []string, onceOnly bool) []v1.Choice {
	offered := make([]v1.Choice, 0, len(keys)+1)
	for _, key := range keys {
		if key == v1.ChoiceDeny || (onceOnly && key != v1.ChoiceOnce) {
			continue
		}
		if known, ok := choice(key); ok {
			offered = append(offered, known)
		}
	}
	no, _ := choice(v1.ChoiceDeny)
	return append(offered, no)
}

func choice(key string) (v1.Choice, bool) {
	switch key {
	case v1.ChoiceOnce:
		return v1.Choice{Key: key, Label: "Once", Style: "primary"}, true
	case v1.ChoiceSession:
		return v1.Choice{Key: key, Label: "This chat", Style: "default"}, true
	case v1.ChoiceProject:
		return v1.Choice{Key: key, Label: "This project's tools", Style: "default", Note: projectNote}, true
	case v1.ChoiceReadChat:
		return v1.Choice{Key: key, Label: "Read in this chat", Style: "default"}, true
	case v1.ChoiceReadHere:
		return v1.Choice{Key: key, Label: "Read in this project", Style: "default"}, true
	case v1.ChoiceAlwaysHere:
		return v1.Choice{Key: key, Label: "Always here", Style: "default"}, true
	case v1.ChoiceAlwaysAnywhere:
		return v1.Choice{Key: key, Label: "Always anywhere", Style: "danger"}, true
	case v1.ChoiceDeny:
		return v1.Choice{Key: key, Label: "Deny", Style: "danger"}, true
	}
	return v1.Choice{}, false
}
