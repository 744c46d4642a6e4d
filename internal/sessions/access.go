package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// Limits of an access request (P7, contract).
const (
	maxReason = 500
)

// Results that the agent's tool returns (P7, P8).
const (
	resultGranted   = "granted: "
	resultDenied    = "denied"
	resultRefused   = "denied: "
	refusedOutside  = "path outside permitted scope"
	refusedNobody   = "nobody attends this session"
	readAccessTool  = "request_read_access"
	directoryTool   = "set_working_directory"
	outsideCode     = "outside_scope"
	unattendedCode  = "approval_required_unattended"
	readingVerb     = "read"
	questionReading = "Allow reading "
)

// RequestAccess is the tool request_read_access: it asks a person for a grant that contains the path, if
// there is one that may be requested (P7).
func (r *Registry) RequestAccess(
	ctx context.Context, id string, request v1.AccessRequest, caller v1.Caller,
) (v1.AccessResponse, error) {
	wait, err := checkAccess(&request)
	if err != nil {
		return v1.AccessResponse{}, err
	}
	found, err := r.active(ctx, id, caller)
	if err != nil {
		return v1.AccessResponse{}, err
	}
	session := &found.row.Session
	place, scope, err := r.look(session, request.Path)
	if err != nil {
		return v1.AccessResponse{}, err
	}
	inScope, refusal := r.alreadyReadable(ctx, session, place, caller)
	if inScope {
		return v1.AccessResponse{State: v1.AccessGranted, Result: resultGranted + r.rootOf(ctx, scope, session, place.Real)}, nil
	}
	root, found2 := "", false
	if refusal == "" {
		if root, found2 = grantUnit(scope, session, place); !found2 {
			refusal = refusedOutside
		}
	}
	if refusal == "" && !session.Attended() {
		refusal = refusedNobody
	}
	if refusal != "" {
		return v1.AccessResponse{State: v1.AccessRefused, Result: resultRefused + refusal}, nil
	}
	prompt, err := r.ask(ctx, session, caller, v1.PromptKindAccess, place.Real, root, request.Reason)
	if err != nil {
		return v1.AccessResponse{}, err
	}
	return r.await(ctx, prompt, wait)
}

// checkAccess checks the request against P7, and parses how long to wait.
func checkAccess(request *v1.AccessRequest) (time.Duration, error) {
	length := utf8.RuneCountInString(strings.TrimSpace(request.Reason))
	switch {
	case length == 0:
		return 0, coded(CodeInvalid, "reason is empty; say why the path is needed, in at most %d characters", maxReason)
	case utf8.RuneCountInString(request.Reason) > maxReason:
		return 0, coded(CodeInvalid, "reason is longer than %d characters", maxReason)
	}
	if _, altered := visible.Text(request.Reason); altered {
		return 0, coded(CodeInvalid, "reason holds control or invisible characters; send plain text")
	}
	if request.Wait == "" {
		return 0, nil
	}
	wait, err := v1.ParseWait(request.Wait)
	if err != nil {
		return 0, coded(CodeInvalid, "wait is %q; %w", request.Wait, err)
	}
	return wait, nil
}

// look resolves the path that an agent named.
func (r *Registry) look(session *v1.Session, name string) (Place, Scope, error) {
	scope := r.options.Scope()
	if scope == nil {
		return Place{}, nil, coded(CodeUnavailable, "no policy is active; see /readyz")
	}
	if _, altered := visible.Text(name); altered || strings.ContainsAny(name, "\n\t") {
		return Place{}, nil, coded(CodeInvalidPath, "path %q is too long or holds control or invisible characters", name)
	}
	place, err := scope.Place(session, r.Grants(session), name)
	if err != nil {
		return Place{}, nil, coded(CodeInvalidPath, "path %q can't be used: %v; give an absolute path", name, err)
	}
	return place, scope, nil
}

// alreadyReadable returns whether a session may read a place already, and otherwise why nobody may be asked. Both
// follow from the policy for such a read.
func (r *Registry) alreadyReadable(ctx context.Context, session *v1.Session, place Place, caller v1.Caller) (inScope bool, refusal string) {
	decision := r.options.Reads(ctx, session, place.Real, caller)
	if decision.Effect == v1.EffectAllow {
		return true, ""
	}
	for _, reason := range decision.Reasons {
		if reason.Effect == v1.EffectDeny && reason.Code != outsideCode && reason.Code != unattendedCode {
			return false, reason.Message
		}
	}
	// A public session's safe space is its session directory, whatever its grants.
	if session.Audience == v1.AudiencePublic || place.Sensitive || !place.Visible {
		return false, refusedOutside
	}
	return false, ""
}

// rootOf is the directory by which a path is in scope already, or the path itself.
func (r *Registry) rootOf(ctx context.Context, scope Scope, session *v1.Session, real string) string {
	roots := append([]string{session.SessionDir, session.ProjectDir}, session.ExtraDirs...)
	for _, grant := range r.Grants(session) {
		roots = append(roots, grant.Root)
	}
	roots = slices.DeleteFunc(roots, func(root string) bool { return root == "" })
	places, err := scope.Places(ctx, session, nil, roots)
	if err != nil {
		return real
	}
	best := ""
	for i := range places {
		place := &places[i]
		if place.Err == nil && len(place.Real) > len(best) && scope.Under(real, place.Real, session) {
			best = place.Real
		}
	}
	if best == "" {
		return real
	}
	return best
}

// grantUnit is the grant for a path: the nearest registered project above it, else the nearest directory with
// the form of a project under a whitelisted root (P7).
func grantUnit(scope Scope, session *v1.Session, place Place) (string, bool) {
	if project := registered(scope, session, place.Real); project != "" {
		return project, true
	}
	for _, root := range scope.Whitelist() {
		top, err := scope.Place(session, nil, root)
		if err != nil || !scope.Under(place.Real, top.Real, session) {
			continue
		}
		if unit := walkUp(scope, session, place, top.Real); unit != "" {
			return unit, true
		}
	}
	return "", false
}

// ReadingRoot is the directory that a person could let a session read for a path outside. It is the grant for
// the path (P7), else the nearest directory with the form of a project, else the directory itself or the one
// that contains the file. It is the file alone if that directory is a home or too far up. It is empty for
// places that no session may have, and if the path can't be read.
func (r *Registry) ReadingRoot(session *v1.Session, name string) string {
	scope := r.options.Scope()
	if scope == nil {
		return ""
	}
	place, ok := open(scope, session, name)
	if !ok || !place.Visible {
		return ""
	}
	unit, found := grantUnit(scope, session, place)
	switch {
	case found:
		return unit
	case place.file() && place.Temporary != "":
		return place.Temporary
	}
	dir := place.Real
	if place.file() {
		dir = path.Dir(dir)
	}
	named, err := scope.Place(session, nil, dir)
	switch {
	case err != nil || !named.directory(dir):
		return ""
	case place.file() && (named.closed() || v1.Shallow(dir)):
		return place.Real
	case named.closed():
		return ""
	}
	return projectAbove(scope, session, named, dir)
}

// projectAbove is the nearest directory above a place with the form of a project, else the directory itself.
func projectAbove(scope Scope, session *v1.Session, place Place, dir string) string {
	if unit := walkUp(scope, session, place, "/"); unit != "" && !v1.Shallow(unit) {
		return unit
	}
	return dir
}

// closed reports whether no session may have a place by an answer.
func (p *Place) closed() bool { return p.Sensitive || p.Own }

// directory reports whether a place is the directory of this real path, or one that could be
// made there.
func (p *Place) directory(real string) bool { return p.Real == real && (p.Dir || !p.Exists) }

// open resolves a real path that a session may have by an answer.
func open(scope Scope, session *v1.Session, real string) (Place, bool) {
	place, err := scope.Place(session, nil, real)
	return place, err == nil && place.Real == real && !place.closed()
}

// ChangingRoot is the place that a person could let a session change for the sake of a path
// outside: the directory itself or the one that holds the file, and the file alone where that
// directory is too far up, or may hold settings. It is empty for places that no session may change by an answer.
func (r *Registry) ChangingRoot(session *v1.Session, name string) string {
	scope := r.options.Scope()
	if scope == nil {
		return ""
	}
	place, ok := open(scope, session, name)
	if !ok || !place.Visible || !place.Changeable {
		return ""
	}
	if !place.file() {
		return name
	}
	dir := path.Dir(name)
	switch {
	case place.Temporary != "":
		return place.Temporary
	case v1.Shallow(dir):
		return name
	}
	named, ok := open(scope, session, dir)
	switch {
	case !ok || !named.directory(dir):
		return ""
	case named.Changeable:
		return dir
	case place.Data:
		return name
	}
	return ""
}

// file reports whether a place isn't a directory, or is missing and has the name of a file (V3): one with an
// extension.
func (p *Place) file() bool {
	if p.Exists {
		return !p.Dir
	}
	return path.Ext(strings.TrimLeft(path.Base(p.Real), ".")) != ""
}

// registered is the nearest registered project that contains a path, or empty.
func registered(scope Scope, session *v1.Session, real string) string {
	best := ""
	for _, project := range scope.Projects() {
		place, err := scope.Place(session, nil, project)
		if err != nil || place.Sensitive || !place.Dir || !scope.Under(real, place.Real, session) {
			continue
		}
		if len(place.Real) > len(best) {
			best = place.Real
		}
	}
	return best
}

// walkUp searches for the form of a project from a path up to the whitelisted root, which contains projects
// and isn't one. Each directory is resolved again, so that no link leads the walk out.
func walkUp(scope Scope, session *v1.Session, place Place, top string) string {
	dir := place.Real
	if !place.Dir {
		dir = path.Dir(dir)
	}
	for dir != top {
		here, err := scope.Place(session, nil, dir)
		if err != nil || here.Real != dir || !scope.Under(here.Real, top, session) {
			return ""
		}
		if here.Dir && !here.Sensitive && scope.RepositoryShaped(dir) {
			return dir
		}
		if dir == path.Dir(dir) {
			return ""
		}
		dir = path.Dir(dir)
	}
	return ""
}

// ask opens the question for a grant, or joins the open one.
func (r *Registry) ask(ctx context.Context, session *v1.Session, caller v1.Caller, kind, real, root, reason string) (v1.Prompt, error) {
	tool := readAccessTool
	if kind == v1.PromptKindDirectory {
		tool = directoryTool
	}
	prompt, _, err := r.asker.Open(ctx, &v1.Question{
		Kind: kind, Key: questionKey(kind, session.ID, root),
		Scope: v1.PromptScope{Caller: caller.Asker(), Agent: session.Agent, Audience: session.Audience, Items: []v1.PromptItem{}},
		Prompt: v1.Prompt{
			State: v1.PromptPending, Title: questionReading + root + "?", Verbs: []string{readingVerb}, Directory: root,
			Call: v1.PromptCall{
				Tool: tool, Text: real, Agent: session.Agent, SessionID: session.ID, Paths: []string{real},
				Reason: reason, GrantRoot: root,
			},
			Choices: []v1.Choice{
				{Key: v1.ChoiceAllow, Label: "Allow", Style: "primary"}, {Key: v1.ChoiceDeny, Label: "Deny", Style: "danger"},
			},
		},
	})
	return prompt, err
}

// questionKey makes questions for one grant the same question. Each part is
// preceded by its length, so that no part can pose as two.
func questionKey(parts ...string) [sha256.Size]byte {
	hash := sha256.New()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// await holds the answer until a person answers, or for the requested time.
func (r *Registry) await(ctx context.Context, prompt v1.Prompt, wait time.Duration) (v1.AccessResponse, error) {
	if wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		ended, err := r.asker.Wait(waiting, prompt.ID)
		if err != nil {
			return v1.AccessResponse{}, err
		}
		prompt = ended
	}
	response := v1.AccessResponse{State: v1.AccessDenied, Result: resultDenied, Prompt: &prompt}
	switch {
	case prompt.State == v1.PromptPending:
		response.State, response.Result = v1.AccessPending, ""
	case prompt.Answer != nil && prompt.Answer.Decision == v1.EffectAllow:
		response.State, response.Result = v1.AccessGranted, resultGranted+prompt.Call.GrantRoot
	case prompt.Answer != nil && prompt.Answer.Choice == v1.ChoiceAllow:
		_, reason, _ := strings.Cut(prompt.Answer.Resolution, ": ")
		response.Result = resultRefused + reason
	}
	return response, nil
}

// Resolve makes the grant that a person approved. The disk may have changed since the question was asked, so
// everything is checked again; a refusal gives what changed (P8).
func (r *Registry) Resolve(ctx context.Context, prompt *v1.Prompt, kind string) (grant v1.Grant, refusal string) {
	found, err := r.active(ctx, prompt.Call.SessionID, v1.Caller{Operator: true})
	if err != nil {
		return v1.Grant{}, "the session has ended"
	}
	session := &found.row.Session
	root := prompt.Call.GrantRoot
	real, err := r.grantable(session, root)
	switch {
	case err != nil:
		return v1.Grant{}, reasonOf(err)
	case real != root:
		return v1.Grant{}, root + " leads to " + real + " by now"
	}
	origin := v1.OriginRequest
	if kind == v1.PromptKindDirectory {
		origin = v1.OriginWorkingDirectory
	}
	scope := r.options.Scope()
	for _, asked := range prompt.Call.Paths {
		place, err := scope.Place(session, nil, asked)
		if err != nil || !scope.Under(place.Real, root, session) {
			return v1.Grant{}, asked + " doesn't lie in " + root + " any more"
		}
		if kind != v1.PromptKindAccess {
			continue
		}
		switch unit, found := grantUnit(scope, session, place); {
		case !found:
			return v1.Grant{}, root + " is no registered project any more, and holds no project's file under a whitelisted root"
		case unit != root:
			return v1.Grant{}, "the project of " + asked + " is " + unit + " by now; it has to be asked for anew"
		}
	}
	return r.newGrant(v1.Holder{Session: session.ID}, root, v1.GrantRead, origin), ""
}

// Remember adds grants to memory that an answer wrote into the store. It waits for a running reading, which
// may have missed them.
func (r *Registry) Remember(grants []v1.Grant) {
	if len(grants) == 0 {
		return
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	for _, grant := range grants {
		r.remember(grant)
	}
}

// Lineage returns a session and its ancestors, itself first: an approval of any of them applies to it (C5).
func (r *Registry) Lineage(id string) []string {
	out := []string{}
	for id != "" && len(out) < maxLineage && !slices.Contains(out, id) {
		out = append(out, id)
		session := r.remembered(context.Background(), id)
		if session == nil {
			break
		}
		id = session.row.ParentID
	}
	return out
}

// maxLineage bounds how deep sub-agents start sub-agents.
const maxLineage = 8
