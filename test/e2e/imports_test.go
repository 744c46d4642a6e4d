package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func (s *server) approvals(t *testing.T) []v1.ApprovalEntry {
	t.Helper()
	return must[v1.ApprovalList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/approvals?limit=1000", nil)).Approvals
}

// none is the list of an import that takes everything.
var none = []v1.RefusedApproval{}

// TestImportsAreAllOrNothing checks A5 over HTTP.
func TestImportsAreAllOrNothing(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	send := func(body any) answer { return s.as(t, "operator", http.MethodPost, "/v1/approvals/import", body) }
	push := v1.ApprovalRequest{Verb: "git push", Directory: &tree.Project}

	for wrong, code := range map[*v1.ApprovalRequest]string{
		{Verb: ""}: "invalid_request",
		{Verb: "git fetch", Directory: new("/etc")}:          "invalid_request",
		{Verb: "git fetch", Directory: new("src")}:           "invalid_request",
		{Verb: "git fetch", Directory: new("/srv/x/")}:       "invalid_request",
		{Verb: "git fetch", Tool: "shel"}:                    "invalid_request",
		{Verb: "git fetch", Audience: "world"}:               "invalid_request",
		{Verb: "git fetch", TTL: "soon"}:                     "invalid_request",
		{Verb: "bash"}:                                       "force_needed",
		{Verb: "git\u202efetch", Directory: new("/srv/r/x")}: "invalid_request",
	} {
		said := refuses(t, send(v1.ApprovalImport{Approvals: []v1.ApprovalRequest{push, *wrong}}), http.StatusBadRequest, code)
		assert.Contains(t, said, "approvals[1]: ")
	}
	refuses(t, send(`{"approvals":[{"verb":"ls","directory":null}]}`), http.StatusBadRequest, "null_value")
	refuses(t, s.as(t, "agent", http.MethodPost, "/v1/approvals/import", v1.ApprovalImport{}), http.StatusForbidden, "role_not_allowed")
	assert.Empty(t, s.approvals(t))
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push").Effect)

	done := func(body any) v1.ApprovalImported { return must[v1.ApprovalImported](t, http.StatusOK, send(body)) }
	assert.Equal(t, v1.ApprovalImported{Added: 1, Refused: none}, done(v1.ApprovalImport{Approvals: []v1.ApprovalRequest{push}, DryRun: true}))
	assert.Empty(t, s.approvals(t))
	assert.Equal(t, v1.ApprovalImported{Added: 1, Unchanged: 1, Refused: none}, done(v1.ApprovalImport{Approvals: []v1.ApprovalRequest{push, push}}))
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	before := s.approvals(t)
	assert.Equal(t, v1.ApprovalImported{Unchanged: 1, Refused: none}, done(v1.ApprovalImport{Approvals: []v1.ApprovalRequest{push}}))
	assert.Equal(t, before, s.approvals(t))
	assert.Equal(t, v1.ApprovalImported{Refused: none}, done(v1.ApprovalImport{Approvals: []v1.ApprovalRequest{}}))
}

// TestLargeImports checks that as many fit into a request as may be imported.
func TestLargeImports(t *testing.T) {
	s := startServer(t)
	many := v1.ApprovalImport{Approvals: make([]v1.ApprovalRequest, v1.MaxImport)}
	for i := range many.Approvals {
		many.Approvals[i] = v1.ApprovalRequest{
			Verb: "git push", By: "ada", Directory: new(fmt.Sprintf("/srv/%s%05d", strings.Repeat("directory/", 8), i)),
		}
	}
	send := func() answer { return s.as(t, "operator", http.MethodPost, "/v1/approvals/import", many) }
	assert.Equal(t, v1.ApprovalImported{Added: v1.MaxImport, Refused: none}, must[v1.ApprovalImported](t, http.StatusOK, send()))
	assert.Equal(t, v1.ApprovalImported{Unchanged: v1.MaxImport, Refused: none}, must[v1.ApprovalImported](t, http.StatusOK, send()))
	many.Approvals = append(many.Approvals, many.Approvals[0])
	assert.Contains(t, refuses(t, send(), http.StatusBadRequest, "invalid_request"), "at most 10000")
	s = s.restart(t)
	assert.Len(t, s.approvals(t), 1000, "a page of what is there after a restart")
}

// TestCoveredApprovalsAreShown checks covered_by, which changes when the wider one goes.
func TestCoveredApprovalsAreShown(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	src := filepath.Join(tree.Project, "src")
	ids := map[string]string{}
	for _, request := range []v1.ApprovalRequest{
		{Verb: "git push", Directory: &src},
		{Verb: "git push", Directory: &tree.Project},
		{Verb: "git push"},
		{Verb: "git push", Audience: v1.AudienceTeam, Directory: &src},
	} {
		kept := must[v1.ApprovalEntry](t, http.StatusCreated, s.as(t, "operator", http.MethodPost, "/v1/approvals", request))
		require.Empty(t, kept.CoveredBy)
		ids[describe(&kept)] = kept.ID
	}
	covered := func() map[string]string {
		out := map[string]string{}
		for _, entry := range s.approvals(t) {
			out[describe(&entry)] = entry.CoveredBy
		}
		return out
	}
	anywhere := ids["personal -"]
	assert.Equal(t, map[string]string{
		"personal " + src: anywhere, "personal " + tree.Project: anywhere, "personal -": "", "team " + src: "",
	}, covered())
	require.Equal(t, http.StatusNoContent, s.as(t, "operator", http.MethodDelete, "/v1/approvals/"+anywhere, nil).status)
	assert.Equal(t, map[string]string{
		"personal " + src: ids["personal "+tree.Project], "personal " + tree.Project: "", "team " + src: "",
	}, covered())
}

func describe(entry *v1.ApprovalEntry) string {
	if entry.Directory == nil {
		return string(entry.Audience) + " -"
	}
	return string(entry.Audience) + " " + *entry.Directory
}
