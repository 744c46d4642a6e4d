package api

import (
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// AgentTerms are what the settings say of an agent whose client doesn't say it.
type AgentTerms struct {
	Audience    v1.Audience
	Interactive bool
}

// hookQuery is what the host's side says of a hook: it comes from the command line
// that was installed or from the surroundings of the hook's process, and never
// from the payload.
type hookQuery struct {
	project               string
	hold                  time.Duration
	autoApprove           bool
	interactive           bool
	audience              v1.Audience
	home, platform, shell string
	tools                 []string
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
	return out, query.done()
}

// directory returns a parameter that is an absolute path, of whatever platform.
func (q *query) directory(name string) string {
	text := q.text(name)
	drive := len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
	if text != "" && text[0] != '/' && text[0] != '\\' && !drive {
		q.fail(name, "an absolute path")
		return ""
	}
	return text
}
