package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/extract"
	"policyd/extract/shell/command"
	"policyd/internal/approvals"
	"policyd/internal/config"
	"policyd/internal/gate"
	"policyd/internal/record"
	"policyd/internal/sessions"
	"policyd/policies"
)

// Policy joins the engine with the extraction that its data configures. Both belong to one snapshot, so that
// lists of secrets and rules never come from two policies.
type Policy struct {
	engine  *bundles.Engine
	base    *extract.Base
	current atomic.Pointer[Snapshot]
	// files are what the operator adds.
	files *operatorFiles
	// redactor masks by the names of secret variables of the active policy.
	redactor *record.Redactor
	// scratch is a temporary directory of the policy, empty for none.
	scratch string
	// limit bounds one step of a decision.
	limit time.Duration
	// denyStale denies what a policy would allow that no service has confirmed for too long.
	denyStale bool
	// activated gets the revision of every policy that becomes active.
	activated atomic.Pointer[func(revision string)]
}

var _ gate.Policy = (*Policy)(nil)

// Snapshot is an active policy, as the gate needs it.
type Snapshot struct {
	*bundles.Snapshot
	extractor *extract.Extractor
	scope     *scope
	records   preparedRules
	// limit bounds the extraction of one call.
	limit time.Duration
}

var (
	_ gate.Snapshot = (*Snapshot)(nil)
	_ gate.Methods  = (*Snapshot)(nil)
)

// prepared is what the parts outside of the engine make of one policy's data.
type prepared struct {
	extractor *extract.Extractor
	scope     *scope
	// secretVariables are globs of names of variables with secrets.
	secretVariables []string
}

// Extract makes the facts of a call.
func (s *Snapshot) Extract(ctx context.Context, call *v1.Call, grants []v1.PathGrant) (v1.Facts, error) {
	return s.extractor.ExtractContext(ctx, call, grants, s.limit)
}

// Moves implements gate.Snapshot.
func (s *Snapshot) Moves(call *v1.Call) bool { return s.extractor.Moves(call) }

// Contain makes the obligation that a duty means for a call.
func (s *Snapshot) Contain(ctx context.Context, call *v1.Call, grants []v1.PathGrant, duty v1.Duty) (v1.Containment, error) {
	return s.extractor.Contain(ctx, call, grants, duty)
}

// Method makes the facts of an ACP method without arguments.
func (s *Snapshot) Method(session *v1.Session, name string) (v1.Facts, bool) {
	return s.extractor.Method(session, name)
}

// Inert names the arguments of a call that change nothing of what it does.
func (s *Snapshot) Inert(call *v1.Call) []string { return s.extractor.Inert(call) }

// Describe returns what extraction reads in a command line, by the active policy.
func (p *Policy) Describe(session *v1.Session, cwd, line string) command.Description {
	return p.current.Load().extractor.Describe(session, cwd, line)
}

// CheckTables reports what of the built-in tables of extraction can't be used, of some programs or of all if none is named.
func (p *Policy) CheckTables(programs ...string) error { return p.base.Check(programs...) }

// NewPolicy loads the policy that the settings name, and keeps what services send in a
// directory for the next start. The caller closes it.
func NewPolicy(ctx context.Context, s *Settings, kept string, logger *slog.Logger) (*Policy, error) {
	p := &Policy{denyStale: s.StalePolicy == config.StaleDeny, limit: s.PolicyTimeout}
	// The tables of extraction are read while the rules are.
	tables := sync.OnceValues(func() (*extract.Base, error) {
		base, err := extract.NewBase(extract.Options{
			Home: s.Home, Own: s.own(), Protected: s.protected(), Address: s.Addr, ConsoleAddress: s.ConsoleAddress(), Hostnames: hostnames(), Platform: s.Platform,
			Now: s.Now, LookupEnv: s.Env, Watch: true,
		})
		if err == nil {
			p.base = base
			p.redactor = record.NewRedactor(base.ContentArguments(), nil)
		}
		return base, err
	})
	go func() { _, _ = tables() }() // the next caller gets the error
	p.files = newOperatorFiles(s, tables, logger)
	engine, err := bundles.New(ctx, bundles.Options{
		Source: s.Bundle, FS: policies.FS, Schema: policies.Schema, Ahead: s.Ahead, Settings: s.Settings(), Additions: p.files.settings, Watch: s.Watch, Logger: logger, Now: s.Now,
		TestOnActivate: s.TestOnActivate, Services: s.Bundles, PersistDir: kept,
		MaxAge: s.MaxPolicyAge, Deadline: s.PolicyTimeout, Remembered: s.DecisionCache,
		Prepare: func(policyd map[string]any) (any, error) {
			base, err := tables()
			if err != nil {
				return nil, err
			}
			return prepare(base, policyd, s.Home)
		},
		OnActivate: p.activate,
	})
	if _, unread := tables(); unread != nil {
		if engine != nil {
			engine.Close()
		}
		return nil, unread
	}
	if err != nil {
		p.base.Close()
		return nil, refusedPolicy(err)
	}
	p.engine = engine
	return p, nil
}

// refusedPolicy states what to do about a policy that was refused.
func refusedPolicy(err error) error {
	var refusal *bundles.RefusalError
	if !errors.As(err, &refusal) {
		return failed(err, "docs/bundles.md says how bundles are configured")
	}
	return failed(fmt.Errorf("bundle %s refused by the check %q: %w", refusal.Bundle, refusal.Check, refusal.Err), refusal.Hint)
}

// prepare makes what the parts outside of the engine need of a policy's data.
func prepare(base *extract.Base, policyd map[string]any, home string) (prepared, error) {
	extractor, err := base.With(policyd)
	if err != nil {
		return prepared{}, err
	}
	scope, err := newScope(extractor, policyd, home)
	if err != nil {
		return prepared{}, err
	}
	return prepared{extractor: extractor, scope: scope, secretVariables: secretVariables(policyd)}, nil
}

// activate activates a snapshot. A snapshot without extraction can't be: Prepare made it.
func (p *Policy) activate(activated *bundles.Snapshot) {
	made, ok := activated.Prepared().(prepared)
	if !ok {
		panic(fmt.Sprintf("snapshot %s was not prepared", activated.Revision()))
	}
	p.redactor.SetSecretNames(made.secretVariables)
	p.redactor.SetContentArguments(made.extractor.ContentArguments())
	p.current.Store(&Snapshot{Snapshot: activated, extractor: made.extractor, scope: made.scope, records: prepareRules(activated), limit: p.limit})
	if tell := p.activated.Load(); tell != nil {
		(*tell)(activated.Revision())
	}
}

// ReloadFiles reads the operator's files again, and activates their content. It reports whether anything
// changed; on error the old content stays active.
func (p *Policy) ReloadFiles(ctx context.Context) (bool, error) {
	if !p.files.reload() {
		return false, nil
	}
	err := p.engine.Renew(ctx)
	p.files.refuse(err)
	return true, err
}

// Revision is that of the active policy, empty for none.
func (p *Policy) Revision() string { return p.engine.Status().Revision }

// Reloads returns when the active policy was activated, how many reloads and fetches were refused since the
// start, and the reasons of current refusals.
func (p *Policy) Reloads() (activated time.Time, refused int, refusals []string) {
	status := p.engine.Status()
	if status.LastError != "" {
		refusals = append(refusals, status.LastError)
	}
	return status.ActivatedAt, status.Failures, append(refusals, p.bundleWarnings()...)
}

// InForce is the active snapshot, nil while there is none.
func (p *Policy) InForce() *Snapshot { return p.current.Load() }

// Notices are remarks on the safe verbs in the settings.
func (p *Policy) Notices() []string { return p.files.checkInline().notices }

// Warnings are parts of the policy that have no effect, or that were refused.
func (p *Policy) Warnings() []string {
	return slices.Concat(p.ScopeWarnings(), p.bundleWarnings(), p.files.warnings())
}

// Hide keeps texts out of records and prompts.
func (p *Policy) Hide(texts []string) { p.redactor.SetOwn(texts) }

// watchActivation sets who gets policies that become active from now on.
func (p *Policy) watchActivation(tell func(revision string)) { p.activated.Store(&tell) }

// secretVariables reads config.secrets.variables out of data.policyd. The extractor checked that it is a list
// of texts.
func secretVariables(policyd map[string]any) []string {
	config, _ := policyd["config"].(map[string]any)
	secrets, _ := config["secrets"].(map[string]any)
	list, _ := secrets["variables"].([]any)
	globs := make([]string, 0, len(list))
	for _, entry := range list {
		if glob, ok := entry.(string); ok {
			globs = append(globs, glob)
		}
	}
	return globs
}

// Current implements gate.Policy.
func (p *Policy) Current() gate.Snapshot {
	current := p.current.Load()
	switch {
	case current == nil:
		return nil
	case p.denyStale && p.engine.Stale():
		return &stale{current}
	}
	return current
}

// codePolicyStale denies if no service has confirmed the policy for too long.
const codePolicyStale = "policy_stale"

// stale is a policy that is too old to decide by.
type stale struct{ *Snapshot }

var _ gate.Snapshot = (*stale)(nil)

// Judge denies.
func (*stale) Judge(context.Context, *v1.Input) (v1.Judgement, error) {
	return v1.Judgement{}, &v1.CodedError{
		Code: codePolicyStale, Err: errors.New("no service has confirmed the policy for longer than max_policy_age; see /readyz"),
	}
}

// Scope is the active policy's view of paths, nil while there is none.
func (p *Policy) Scope() sessions.Scope {
	if current := p.current.Load(); current != nil {
		return current.scope
	}
	return nil
}

// ScopeWarnings are settings of the active policy without effect.
func (p *Policy) ScopeWarnings() []string {
	if current := p.current.Load(); current != nil {
		return current.scope.warnings
	}
	return nil
}

// runsAnything reports whether a verb of a tool kind runs its operands as commands, by extracting a line that
// is the verb alone (A1).
func (p *Policy) runsAnything(tool, verb string) bool {
	return slices.ContainsFunc(p.Commands(tool, verb), func(item v1.Item) bool { return item.Caveats.Has("runs_anything") })
}

// chain is the verb chain of a line that is a verb alone: the verb of a matching approval. It is empty for a
// line without a command.
func (p *Policy) chain(tool, verb string) string {
	if items := p.Commands(tool, verb); len(items) == 1 {
		if items[0].Caveats.Has("named_by_path") || items[0].Caveats.Has("named_by_system_path") {
			return "" // no approval covers a file of that name
		}
		return items[0].Verb
	}
	return ""
}

// place is a directory as facts have it. A name with a drive or of a share is one of Windows, on every
// system.
func (p *Policy) place(directory string) (approvals.Place, error) {
	current := p.current.Load()
	if current == nil {
		return approvals.Place{Real: directory}, nil
	}
	session := &v1.Session{}
	if WindowsName(directory) {
		session.Platform = "windows"
	}
	place, err := current.extractor.Place(session, nil, directory)
	if err != nil {
		return approvals.Place{}, err
	}
	return approvals.Place{
		Real: place.Real, Sensitive: place.Sensitive || place.Own, Missing: place.Visible && !place.Dir,
	}, nil
}

// workTree is the work tree that contains a directory, and the main one of its repository.
func (p *Policy) workTree(directory string) (top, main string, ok bool) {
	current := p.current.Load()
	if current == nil {
		return "", "", false
	}
	found, ok := current.extractor.WorkTree(directory)
	return found.Top, found.Main, ok
}

// WindowsName reports whether a name begins with a drive or names a share.
func WindowsName(name string) bool {
	return len(name) > 2 && name[1] == ':' && strings.ContainsAny(name[2:3], `/\`) || strings.HasPrefix(name, `\\`) || strings.HasPrefix(name, "//")
}

// Commands are the items of a shell line.
func (p *Policy) Commands(tool, line string) []v1.Item {
	current := p.current.Load()
	if tool != v1.ToolShell || current == nil {
		return nil
	}
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return nil
	}
	return current.extractor.Extract(&v1.Call{Tool: "Bash", Args: args, Session: v1.Session{Agent: "claude-code"}}, nil).Items
}

// Close ends watches and polls.
func (p *Policy) Close() {
	p.engine.Close()
	p.base.Close()
	if p.scratch != "" {
		_ = os.RemoveAll(p.scratch) // the system empties its scratch directory too
	}
}

// hostnames are the names of this machine: the full one, and its first label.
func hostnames() []string {
	name, err := os.Hostname()
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(name, ".")
	return []string{name, first}
}

// OptionRisks are the risks of a command that its options cause, without those of its operands or repository.
func (p *Policy) OptionRisks(item *v1.Item) []string {
	var risks []string
	for _, entry := range item.Form {
		name, kind := entry.Name, entry.Kind
		if !strings.HasPrefix(name, "-") {
			continue
		}
		own := p.base.FormRisk("common", item.Verb, name, kind)
		for _, risk := range item.Risks {
			class, _, _ := strings.Cut(risk, " ")
			if class == own || risk == name || class == strings.TrimLeft(name, "-") {
				risks = append(risks, risk)
			}
		}
	}
	slices.Sort(risks)
	return slices.Compact(risks)
}
