package toolapprovals_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/toolapprovals"
)

var usual = toolapprovals.Defaults{Audience: v1.AudiencePersonal, Agent: "*"}

func in(directory string) *string { return &directory }

// TestVersion2IsRead checks A5 for both forms of the file.
func TestVersion2IsRead(t *testing.T) {
	tests := []struct {
		name, text string
		want       []toolapprovals.Entry
	}{
		{name: "empty list", text: `{"version":2,"approvals":[]}`},
		{name: "empty sections", text: `{"version": 2, "audiences": {}}`},
		{
			name: "list",
			text: `{"version":2,"approvals":[
				{"verb":"git push","directory":"/srv/repo"},
				{"verb":"gh pr view","directory":null},
				{"verb":"mcp:a/b","directory":null,"tool":"mcp","audience":"team","agent":"codex"},
				{"verb":"make","directory":"/srv/repo/"}]}`,
			want: []toolapprovals.Entry{
				{Pointer: "/approvals/0", Request: v1.ApprovalRequest{Audience: "personal", Agent: "*", Verb: "git push", Directory: in("/srv/repo")}},
				{Pointer: "/approvals/1", Request: v1.ApprovalRequest{Audience: "personal", Agent: "*", Verb: "gh pr view"}},
				{Pointer: "/approvals/2", Request: v1.ApprovalRequest{Audience: "team", Agent: "codex", Tool: "mcp", Verb: "mcp:a/b"}},
				{Pointer: "/approvals/3", Request: v1.ApprovalRequest{Audience: "personal", Agent: "*", Verb: "make", Directory: in("/srv/repo")}},
			},
		},
		{
			name: "sections",
			text: `{"version":2,"audiences":{
				"team":{"shell_execute":[{"verb":"git fetch","directory":"/srv/repo","createdAt":"2026-03-04T05:06:07.1234567+00:00"}]},
				"personal":{"web_search":[{"verb":"web_search"}],"shell_execute":[{"verb":"freshdesk"},{"verb":"ls","directory":null,"createdAt":null}]}}}`,
			want: []toolapprovals.Entry{
				{Pointer: "/audiences/personal/shell_execute/0", Request: v1.ApprovalRequest{Audience: "personal", Agent: "*", Tool: "shell", Verb: "freshdesk"}},
				{Pointer: "/audiences/personal/shell_execute/1", Request: v1.ApprovalRequest{Audience: "personal", Agent: "*", Tool: "shell", Verb: "ls"}},
				{Pointer: "/audiences/personal/web_search/0", Request: v1.ApprovalRequest{Audience: "personal", Agent: "*", Tool: "other", Verb: "web_search"}},
				{Pointer: "/audiences/team/shell_execute/0", Request: v1.ApprovalRequest{Audience: "team", Agent: "*", Tool: "shell", Verb: "git fetch", Directory: in("/srv/repo")}},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := toolapprovals.Parse([]byte(test.text), usual)
			require.NoError(t, err)
			if len(test.want) == 0 {
				assert.Empty(t, got)
				return
			}
			assert.Equal(t, test.want, got)
		})
	}
	got, err := toolapprovals.Parse([]byte(`{"version":2,"approvals":[{"verb":"ls","directory":null}]}`),
		toolapprovals.Defaults{Audience: v1.AudienceTeam, Agent: "codex"})
	require.NoError(t, err)
	assert.Equal(t, v1.ApprovalRequest{Audience: "team", Agent: "codex", Verb: "ls"}, got[0].Request)
}

func TestVersion1IsReported(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"version":1}`, `{"version":1,"approvals":[{"verb":"git push","directory":null}]}`,
		`{"audiences":{"personal":{"shell_execute":["git push"]}}}`,
	} {
		_, err := toolapprovals.Parse([]byte(text), usual)
		var old *toolapprovals.OldError
		require.ErrorAs(t, err, &old, text)
	}
}

// TestAFileIsInvalidAsAWhole checks that no entry becomes more than its text.
func TestAFileIsInvalidAsAWhole(t *testing.T) {
	good := `{"verb":"git push","directory":"/srv/repo"}`
	list := func(entry string) string { return `{"version":2,"approvals":[` + good + `,` + entry + `]}` }
	sections := func(inner string) string { return `{"version":2,"audiences":` + inner + `}` }
	many := strings.TrimSuffix(strings.Repeat(good+",", v1.MaxImport+1), ",")
	for _, test := range []struct{ text, pointer, reason string }{
		{``, "", "empty"},
		{`null`, "", "null"},
		{`[]`, "", "wrong type"},
		{`{"version":2`, "", "JSON"},
		{`{"version":2,"approvals":[]} x`, "", "text follows"},
		{`{"version":"2","approvals":[]}`, "/version", "whole number"},
		{`{"version":null,"approvals":[]}`, "/version", "whole number"},
		{`{"version":2.5,"approvals":[]}`, "/version", "whole number"},
		{`{"version":3,"approvals":[]}`, "/version", "version 3 is not known"},
		{`{"version":2,"version":2,"approvals":[]}`, "/version", "is repeated"},
		{`{"version":2}`, "", "either approvals or audiences"},
		{`{"version":2,"approvals":[],"audiences":{}}`, "", "either approvals or audiences"},
		{`{"version":2,"approvals":null}`, "/approvals", "null"},
		{`{"version":2,"approvals":{}}`, "/approvals", "wrong type"},
		{`{"version":2,"approvals":[],"more":1}`, "/more", "not a known key"},
		{list(`{"verb":"ls"}`), "/approvals/1", "directory is missing"},
		{list(`{"directory":null}`), "/approvals/1", "verb is empty"},
		{list(`{"verb":null,"directory":null}`), "/approvals/1/verb", "null"},
		{list(`{"verb":7,"directory":null}`), "/approvals/1/verb", "wrong type"},
		{list(`{"verb":"ls","directory":7}`), "/approvals/1/directory", "neither a string nor null"},
		{list(`{"verb":"ls","directory":"src"}`), "/approvals/1", "no absolute path"},
		{list(`{"verb":"ls","directory":""}`), "/approvals/1", "no absolute path"},
		{list(`{"verb":"ls","directory":"/"}`), "/approvals/1", "no absolute path"},
		{list(`{"verb":"ls","directory":"/etc"}`), "/approvals/1", "no absolute path"},
		{list(`{"verb":"ls","directory":"/srv/../etc/x"}`), "/approvals/1", "no absolute path"},
		{list(`{"verb":"ls","directory":"/srv//repo"}`), "/approvals/1", "separator too many"},
		{list(`{"verb":"git  push","directory":null}`), "/approvals/1", "blanks"},
		{list(`{"verb":"git\u001bpush","directory":null}`), "/approvals/1", "can't be seen"},
		{list(`{"verb":"ls","directory":null,"tool":"shel"}`), "/approvals/1", "no tool kind"},
		{list(`{"verb":"ls","directory":null,"audience":"world"}`), "/approvals/1", "not known"},
		{list(`{"verb":"ls","directory":null,"createdAt":null}`), "/approvals/1/createdAt", "not a known key"},
		{list(`{"verb":"ls","directory":null,"directory":"/srv/x"}`), "/approvals/1/directory", "is repeated"},
		{list(`{"Verb":"ls","directory":null}`), "/approvals/1/Verb", "not a known key"},
		{list(`null`), "/approvals/1", "null"},
		{`{"version":2,"approvals":[` + many + `]}`, "", "at most 10000"},
		{sections(`{"personal":{"shell_execute":["git push"]}}`), "/audiences/personal/shell_execute/0", "wrong type"},
		{sections(`{"world":{"shell_execute":[` + good + `]}}`), "/audiences/world/shell_execute/0", "not known"},
		{sections(`{"":{"shell_execute":[` + good + `]}}`), "/audiences/", "no name"},
		{sections(`{"personal":null}`), "/audiences/personal", "null"},
		{sections(`{"personal":{"directory":null}}`), "/audiences/personal/directory", "null"},
		{sections(`{"personal":{"a/b":[{"verb":"x","createdAt":"soon"}]}}`), "/audiences/personal/a~1b/0/createdAt", "no time"},
	} {
		_, err := toolapprovals.Parse([]byte(test.text), usual)
		var invalid *toolapprovals.InvalidError
		if assert.ErrorAs(t, err, &invalid, test.text) {
			assert.Equal(t, test.pointer, invalid.Pointer, test.text)
			assert.Contains(t, invalid.Reason, test.reason, test.text)
		}
	}
}

// FuzzParse checks that what is read is never wider than what is written: an entry without a directory comes
// of a null or, in a section, of nothing; and the same text is read the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"version":2,"approvals":[{"verb":"git push","directory":"/srv/repo"},{"verb":"ls","directory":null}]}`,
		`{"version":2,"audiences":{"personal":{"shell_execute":[{"verb":"ls"}]}}}`, `{"version":1}`, `[]`, ``,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := toolapprovals.Parse(data, usual)
		var old *toolapprovals.OldError
		var invalid *toolapprovals.InvalidError
		if err != nil {
			require.True(t, errors.As(err, &old) || errors.As(err, &invalid), "%v", err)
			return
		}
		for i, entry := range entries {
			request := entry.Request
			require.NotEmpty(t, request.Verb)
			require.NotEmpty(t, request.Audience)
			require.False(t, request.Force)
			if request.Directory != nil {
				require.Greater(t, len(*request.Directory), 3)
			} else if entry.Pointer == fmt.Sprintf("/approvals/%d", i) {
				require.Contains(t, string(data), "null")
			}
		}
		again, err := toolapprovals.Parse(data, usual)
		require.NoError(t, err)
		require.Equal(t, entries, again)
	})
}
