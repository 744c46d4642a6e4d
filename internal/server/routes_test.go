package server

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/api"
)

// TestEveryRouteIsDescribed checks that the description names what the server takes, and nothing else.
func TestEveryRouteIsDescribed(t *testing.T) {
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(api.OpenAPI(), &document))
	described := []string{}
	for path, methods := range document.Paths {
		for method := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	router, isEcho := (&Server{}).router().(*echo.Echo)
	require.True(t, isEcho)
	parameter := regexp.MustCompile(`:([a-z]+)`)
	served := []string{}
	for _, route := range router.Routes() {
		if route.Method != http.MethodHead && route.Method != echo.RouteNotFound {
			served = append(served, route.Method+" "+parameter.ReplaceAllString(route.Path, "{$1}"))
		}
	}
	slices.Sort(described)
	slices.Sort(served)
	assert.Equal(t, described, served)
}
