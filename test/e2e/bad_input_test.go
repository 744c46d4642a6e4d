package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// badBody is a request body that must be refused, and what the answer has to
// name: the key, and the byte where a byte is to blame.
type badBody struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Body   string   `json:"body"`
	Repeat int      `json:"repeat"`
	Status int      `json:"status"`
	Names  []string `json:"names"`
}

// TestBadInputIsRefusedWithKeyAndByte checks that bad input gets a clear error that denies, and is never an
// inner failure (D4).
func TestBadInputIsRefusedWithKeyAndByte(t *testing.T) {
	text, err := os.ReadFile("../testdata/bad_input.json")
	require.NoError(t, err)
	var cases []badBody
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	s := startServer(t)
	for _, bad := range cases {
		t.Run(bad.Name, func(t *testing.T) {
			path := bad.Path
			if path == "" {
				path = "/v1/decide"
			}
			body := strings.ReplaceAll(bad.Body, "<repeat>", strings.Repeat("[", bad.Repeat))
			body = strings.ReplaceAll(body, "<fill>", strings.Repeat("x", bad.Repeat))
			status, media, answer := s.post(t, path, body)
			require.Equalf(t, bad.Status, status, "%s", answer)
			assert.Contains(t, media, "application/problem+json")
			problem := refused(t, answer)
			for _, name := range bad.Names {
				assert.Contains(t, problem.Detail, name)
			}
		})
	}
}

// refused checks that an error answer denies and has a code.
func refused(t *testing.T, answer []byte) v1.Problem {
	t.Helper()
	var raw struct {
		Decision string `json:"decision"`
	}
	require.NoErrorf(t, json.Unmarshal(answer, &raw), "%s", answer)
	require.Equalf(t, "deny", raw.Decision, "%s", answer)
	var problem v1.Problem
	require.NoError(t, json.Unmarshal(answer, &problem))
	require.NotEmptyf(t, problem.Code, "%s", answer)
	return problem
}

func TestCredentialsAndOrigin(t *testing.T) {
	s := startServer(t)
	const body = `{"tool":"Read","args":{"file_path":"/x"},"session":{"id":"s"}}`
	for _, test := range []struct {
		name, header, value string
		status              int
	}{
		{"no token", "Authorization", "", http.StatusUnauthorized},
		{"wrong token", "Authorization", "Bearer nonsense", http.StatusUnauthorized},
		{"foreign origin", "Origin", "https://evil.example", http.StatusForbidden},
		{"foreign host", "Host", "evil.example", http.StatusForbidden},
		{"wrong content type", "Content-Type", "text/plain", http.StatusUnsupportedMediaType},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/decide", strings.NewReader(body))
			require.NoError(t, err)
			request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
			request.Header.Set("Content-Type", "application/json")
			if test.header == "Host" {
				request.Host = test.value
			} else {
				request.Header.Set(test.header, test.value)
			}
			status, _, answer := do(t, http.DefaultClient, request)
			require.Equalf(t, test.status, status, "%s", answer)
			refused(t, answer)
		})
	}
}

func TestStateIsPrivate(t *testing.T) {
	s := startServer(t)
	for path, mode := range map[string]os.FileMode{
		s.stateDir:                                  0o700,
		filepath.Join(s.stateDir, "agent.token"):    0o600,
		filepath.Join(s.stateDir, "operator.token"): 0o600,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equalf(t, mode, info.Mode().Perm(), "%s", path)
	}
}
