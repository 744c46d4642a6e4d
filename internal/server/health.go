package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"policyd/api"
)

// status is the answer of the probes.
type status struct {
	Status  string  `json:"status"`
	Version string  `json:"version"`
	Checks  []Check `json:"checks,omitempty"`
}

func (s *Server) live(c echo.Context) error {
	return answer(c, status{Status: "ok", Version: s.options.Version})
}

// ready answers 503 while the server drains or a collaborator isn't ready. The
// checks are listed on ?verbose, the failed ones always.
func (s *Server) ready(c echo.Context) error {
	readiness := s.options.Ready()
	checks := append([]Check{}, readiness.Checks...)
	if s.draining.Load() {
		readiness.Ready = false
		checks = append(checks, Check{Name: "serving", OK: false, Detail: "draining"})
	}
	_, verbose := c.QueryParams()["verbose"]
	if !readiness.Ready {
		refusal := newProblem(http.StatusServiceUnavailable, "not_ready", "not ready"+failed(checks))
		if verbose {
			refusal.Checks = checks
		}
		return refusal
	}
	if !verbose {
		checks = slices.DeleteFunc(checks, func(check Check) bool { return check.OK })
	}
	return answer(c, status{Status: "ready", Version: s.options.Version, Checks: checks})
}

func failed(checks []Check) string {
	reasons := []string{}
	for _, check := range checks {
		if !check.OK {
			reasons = append(reasons, check.Name+" ("+check.Detail+")")
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return ": " + strings.Join(reasons, ", ")
}

// about is what a server states that is looked at with a browser.
type about struct {
	Name    string `json:"name"`
	What    string `json:"what"`
	Version string `json:"version"`
	OpenAPI string `json:"openapi"`
	Ready   string `json:"ready"`
	Decide  string `json:"decide"`
	Docs    string `json:"docs"`
}

// about states what listens here, to anybody, as the description does.
func (s *Server) about(c echo.Context) error {
	return answer(c, &about{
		Name: "policyd", What: "a policy decision point for the tool calls of AI agents", Version: s.options.Version,
		OpenAPI: "/openapi.json", Ready: "/readyz", Decide: "POST /v1/decide",
		Docs: "the folder docs of policyd's source; policyd --help lists the commands",
	})
}

func (s *Server) openAPI(c echo.Context) error {
	return c.Blob(http.StatusOK, "application/json", api.OpenAPI())
}

func decimal(number int64) string { return strconv.FormatInt(number, 10) }
