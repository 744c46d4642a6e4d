package server

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
)

// AgentTerms are the settings of an agent whose client doesn't send them.
type AgentTerms struct {
	Audience    v1.Audience
	Interactive bool
}

// hookQuery is the host's part of a hook: it comes from the installed command line or from the environment of
// the hook's process, and never from the payload.
type hookQuery struct {
	project               string
	hold                  time.Duration
	autoApprove           bool
	interactive           bool
	audience              v1.Audience
	home, platform, shell string
	tools                 []string
	// rewrite is nil unless the hook accepts other arguments for a call.
	rewrite *gate.Rewrite
}

// hintTools are the tools that hints may name (D5).
func hintTools() []string { return []string{"request_read_access", "set_working_directory"} }

func (s *Server) readHookQuery(c echo.Context, agent string) (hookQuery, error) {
	query := readQuery(c.Request().URL)
	terms := AgentTerms{Audience: v1.AudiencePersonal, Interactive: true}
	if s.options.Agents != nil {
		terms = s.options.Agents(agent)
	}
	out := hookQuery{
		project:     query.directory("project"),
		hold:        query.duration("hold"),
		autoApprove: query.text("auto_approve", "true", "false") == "true",
		interactive: terms.Interactive,
		audience:    terms.Audience,
		home:        query.directory("home"),
		platform:    query.text("platform", "linux", "darwin", "windows"),
		shell:       query.text("shell"),
	}
	if text := query.text("interactive", "true", "false"); text != "" {
		out.interactive = text == "true"
	}
	audiences := []string{string(v1.AudiencePersonal), string(v1.AudienceTeam), string(v1.AudiencePublic)}
	if text := query.text("audience", audiences...); text != "" {
		out.audience = v1.Audience(text)
	}
	if strings.ContainsAny(out.shell, `/\`) {
		query.fail("shell", "the name of a program, such as bash")
	}
	if text := query.text("tools"); text != "" {
		out.tools = strings.Split(text, ",")
		for _, tool := range out.tools {
			if !slices.Contains(hintTools(), tool) {
				query.fail("tools", strings.Join(hintTools(), ", ")+", separated by commas")
			}
		}
	}
	out.rewrite = query.rewrite()
	return out, query.done()
}

// rewrite parses how the hook's calls are to be run contained. All of it becomes part of the line that the
// client runs.
func (q *query) rewrite() *gate.Rewrite {
	contain := q.text("contain", "true", "false") == "true"
	rewrite := &gate.Rewrite{Launcher: q.plainPath("launcher")}
	for _, place := range [...]struct{ name, flag, value string }{
		{"launcher_socket", "--socket", q.plainPath("launcher_socket")},
		{"launcher_state_dir", "--state-dir", q.plainPath("launcher_state_dir")},
		{"launcher_token_file", "--token-file", q.plainPath("launcher_token_file")},
		{"launcher_addr", "--addr", q.text("launcher_addr")},
	} {
		if strings.ContainsFunc(place.value, unicode.IsControl) {
			q.fail(place.name, "a text without control characters")
		}
		if place.value != "" {
			rewrite.Flags = append(rewrite.Flags, place.flag, place.value)
		}
	}
	switch {
	case !contain && (rewrite.Launcher != "" || rewrite.Flags != nil):
		q.fail("contain", "true, where launcher is given")
	case contain && rewrite.Launcher == "":
		q.fail("launcher", "the absolute path of the program that runs calls contained")
	case contain:
		return rewrite
	}
	return nil
}

// plainPath returns a parameter that is an absolute path without "." and "..", of a system on
// which runs can be contained.
func (q *query) plainPath(name string) string {
	text := q.text(name)
	if text != "" && (text[0] != '/' || path.Clean(text) != text || strings.ContainsFunc(text, unicode.IsControl)) {
		q.fail(name, "an absolute path without . and ..")
		return ""
	}
	return text
}

// directory returns a parameter that is an absolute path, of any platform.
func (q *query) directory(name string) string {
	text := q.text(name)
	drive := len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
	if text != "" && text[0] != '/' && text[0] != '\\' && !drive {
		q.fail(name, "an absolute path")
		return ""
	}
	return text
}
