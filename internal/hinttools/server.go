package hinttools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	v1 "policyd/api/v1"
	"policyd/internal/pep"
)

// Sidecar is what the tools call. It is used concurrently.
type Sidecar interface {
	Sessions
	RequestAccess(ctx context.Context, id, path, reason string, wait time.Duration) (*v1.AccessResponse, error)
	AddDirectory(ctx context.Context, id, dir string) (*v1.SessionPatchResponse, error)
	Prompt(ctx context.Context, id string, wait time.Duration) (*v1.Prompt, error)
}

var _ Sidecar = (*pep.Sidecar)(nil)

// Options are what a server needs.
type Options struct {
	Sidecar Sidecar
	Binding Binding
	// Wait is how long a call waits for a person.
	Wait    time.Duration
	Version string
}

// Results that the model reads, as the sidecar words them.
const (
	granted = "granted: "
	denied  = "denied"
	pending = "pending: nobody has answered yet; call the tool again with the same arguments to go on waiting"
)

// accessInput are the arguments of request_read_access.
type accessInput struct {
	Path   string `json:"path" jsonschema:"absolute path of the file or directory to read"`
	Reason string `json:"reason" jsonschema:"why it is needed, in 1 to 500 characters; a person reads it"`
}

// directoryInput are the arguments of set_working_directory.
type directoryInput struct {
	Path string `json:"path" jsonschema:"absolute path of the directory"`
}

// NewServer returns the MCP server. It may serve one connection.
func NewServer(options Options) *mcp.Server {
	t := &tools{options: options}
	server := mcp.NewServer(&mcp.Implementation{Name: "policyd", Title: "policyd", Version: options.Version}, nil)
	mcp.AddTool(server, &mcp.Tool{
		Name: "request_read_access",
		Description: "Ask a person for permission to read a file or directory outside of this session's directories. " +
			"Use it when a call was denied with this hint. Answers granted: <directory> or denied.",
	}, t.requestAccess)
	mcp.AddTool(server, &mcp.Tool{
		Name: "set_working_directory",
		Description: "Add a directory to those that this session works in, to read. A person is asked where it lies outside " +
			"of them. Answers granted: <directory> or denied.",
	}, t.setDirectory)
	return server
}

type tools struct{ options Options }

func (t *tools) requestAccess(ctx context.Context, request *mcp.CallToolRequest, in accessInput) (*mcp.CallToolResult, any, error) {
	id, err := t.session(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	answer, err := t.options.Sidecar.RequestAccess(ctx, id, in.Path, in.Reason, t.options.Wait)
	if err != nil {
		return nil, nil, unreached(err)
	}
	switch answer.State {
	case v1.AccessPending:
		return textResult(pending)
	case v1.AccessGranted:
		// Anything may answer on a socket; only this is a grant.
		if strings.HasPrefix(answer.Result, granted) {
			return textResult(answer.Result)
		}
	case v1.AccessDenied, v1.AccessRefused:
		if strings.HasPrefix(answer.Result, denied) {
			return textResult(answer.Result)
		}
	}
	return nil, nil, fmt.Errorf("policyd answered in a way that can't be read (state %q); take it as denied", answer.State)
}

func (t *tools) setDirectory(ctx context.Context, request *mcp.CallToolRequest, in directoryInput) (*mcp.CallToolResult, any, error) {
	id, err := t.session(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	answer, err := t.options.Sidecar.AddDirectory(ctx, id, in.Path)
	var refused *pep.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Status == statusForbidden:
		return textResult(denied + ": " + refused.Detail)
	case err != nil:
		return nil, nil, unreached(err)
	case answer.Prompt == nil && (answer.State == v1.AccessGranted || answer.State == v1.ChangeUnchanged):
		return textResult(granted + in.Path)
	case answer.Prompt == nil:
		return nil, nil, fmt.Errorf("policyd answered in a way that can't be read (state %q); take it as denied", answer.State)
	}
	prompt, err := t.options.Sidecar.Prompt(ctx, answer.Prompt.ID, t.options.Wait)
	if err != nil {
		return nil, nil, unreached(err)
	}
	return textResult(outcome(prompt))
}

const statusForbidden = 403

// outcome is the result line of a question.
func outcome(prompt *v1.Prompt) string {
	switch {
	case prompt.State == v1.PromptPending:
		return pending
	case prompt.State != v1.PromptAnswered || prompt.Answer == nil:
		return denied
	case prompt.Answer.Decision == v1.EffectAllow:
		return granted + prompt.Call.GrantRoot
	case prompt.Answer.Choice == v1.ChoiceAllow: // a yes that couldn't be kept (P8)
		_, reason, _ := strings.Cut(prompt.Answer.Resolution, ": ")
		return denied + ": " + reason
	}
	return denied
}

// session names the session of a call.
func (t *tools) session(ctx context.Context, request *mcp.CallToolRequest) (string, error) {
	id, err := t.options.Binding.Resolve(ctx, t.options.Sidecar, request.Params.Meta)
	var without *unboundError
	if errors.As(err, &without) {
		return "", fmt.Errorf("nothing was asked for: %w", err)
	}
	if err != nil {
		return "", unreached(err)
	}
	return id, nil
}

// unreached explains an error to the model. It returns the result of a failed tool.
func unreached(err error) error {
	var refused *pep.RefusedError
	if errors.As(err, &refused) {
		return fmt.Errorf("nothing was asked for: %w", err)
	}
	return fmt.Errorf("nothing was granted: %w; tell the person that policyd serve has to run", err)
}

// textResult is the result that the model reads.
func textResult(text string) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}
