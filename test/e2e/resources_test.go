package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// answer is what came back of a request.
type answer struct {
	status int
	media  string
	body   []byte
}

// as sends a request in a role and returns the answer. A body that is text is
// sent as it is.
func (s *server) as(t *testing.T, role, method, path string, body any) answer {
	t.Helper()
	got, err := s.send(t.Context(), s.token(t, role), method, path, body)
	require.NoError(t, err)
	return got
}

// send is as for goroutines.
func (s *server) send(ctx context.Context, token, method, path string, body any) (answer, error) {
	content, isText := body.(string)
	if body != nil && !isText {
		text, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		content = string(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(content))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if content != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header.Get("Content-Type"), text}, err
}

// must decodes an answer that has a status.
func must[T any](t *testing.T, status int, got answer) T {
	t.Helper()
	require.Equalf(t, status, got.status, "%s", got.body)
	var value T
	if len(got.body) > 0 {
		require.NoErrorf(t, json.Unmarshal(got.body, &value), "%s", got.body)
	}
	return value
}

// refuses checks that an answer is an error with a code and a deny, and returns what it says.
func refuses(t *testing.T, got answer, status int, code string) string {
	t.Helper()
	problem := must[v1.Problem](t, status, got)
	require.Equalf(t, code, problem.Code, "%s", got.body)
	require.Equal(t, "application/problem+json", got.media)
	require.Equal(t, v1.EffectDeny, problem.Decision)
	require.NotEmpty(t, problem.Detail)
	return problem.Detail
}

func sessionPath(id string, rest ...string) string {
	return "/v1/sessions/" + url.PathEscape(id) + strings.Join(rest, "")
}

// register keeps a personal, attended session in the tree's project.
func (s *server) register(t *testing.T, tree project.Tree, id string, change ...func(*v1.Session)) v1.Session {
	t.Helper()
	session := session(tree, "claude-code")
	session.ID = id
	for _, apply := range change {
		apply(&session)
	}
	must[v1.SessionInfo](t, http.StatusCreated, s.as(t, "agent", http.MethodPut, sessionPath(id), session))
	return session
}

// file decides one call of a file tool in a session that is known.
func (s *server) file(t *testing.T, id, tool, path string) v1.Decision {
	t.Helper()
	args := map[string]string{"file_path": path}
	if tool == "Write" {
		args["content"] = "x"
	}
	text, err := json.Marshal(args)
	require.NoError(t, err)
	return s.decide(t, v1.Call{Tool: tool, Args: text, Session: v1.Session{ID: id}})
}

func (s *server) shell(t *testing.T, id, command string) v1.Decision {
	t.Helper()
	text, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	return s.decide(t, v1.Call{Tool: "Bash", Args: text, Session: v1.Session{ID: id}})
}

// give gives a path grant as an operator.
func (s *server) give(t *testing.T, id, path, mode string) answer {
	t.Helper()
	return s.as(t, "operator", http.MethodPost, sessionPath(id, "/grants"), v1.GrantRequest{Path: path, Mode: mode})
}

// reply answers a prompt as an operator.
func (s *server) reply(t *testing.T, prompt *v1.Prompt, choice string) v1.AnswerResponse {
	t.Helper()
	require.NotNil(t, prompt)
	return must[v1.AnswerResponse](t, http.StatusOK, s.as(t, "operator", http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer",
		v1.AnswerRequest{Choice: choice, By: "ada"}))
}

func codes(decision v1.Decision) []string {
	var out []string
	for _, reason := range decision.Reasons {
		out = append(out, reason.Code)
	}
	return out
}

// cli runs a command line of policyd, as a person would paste it into a shell, on
// the server's state.
func (s *server) cli(t *testing.T, line string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-c", `"$0" `+line+` --state-dir "$1"`, program, s.stateDir)
	command.Env = environment(t.TempDir())
	out, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}
