package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract"
	"policyd/internal/sessions"
)

// scope is one policy's view of paths, for making grants.
type scope struct {
	extractor *extract.Extractor
	// warnings are settings without effect, and the reasons.
	warnings  []string
	projects  []string
	whitelist []string
	standing  map[string][]v1.PathGrant
}

var _ sessions.Scope = (*scope)(nil)

// scopeData is the part of data.policyd.settings that grants depend on.
type scopeData struct {
	Settings struct {
		Scope struct {
			Projects  []string `json:"projects"`
			Whitelist []string `json:"whitelist"`
		} `json:"scope"`
		Agents map[string]struct {
			Grants []struct {
				Path string `json:"path"`
				Mode string `json:"mode"`
			} `json:"grants"`
		} `json:"agents"`
	} `json:"settings"`
}

func newScope(extractor *extract.Extractor, policyd map[string]any, home string) (*scope, error) {
	raw, err := json.Marshal(map[string]any{"settings": policyd["settings"]})
	if err != nil {
		return nil, fmt.Errorf("read scope settings: %w", err)
	}
	var data scopeData
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, fmt.Errorf("read scope settings: %w", err)
	}
	expand := func(path string) string {
		if rest, below := strings.CutPrefix(path, "~"); below && (rest == "" || rest[0] == '/') {
			return home + rest
		}
		return path
	}
	made := &scope{extractor: extractor, standing: map[string][]v1.PathGrant{}}
	for _, project := range data.Settings.Scope.Projects {
		made.projects = append(made.projects, expand(project))
	}
	for _, root := range data.Settings.Scope.Whitelist {
		made.whitelist = append(made.whitelist, expand(root))
	}
	for agent, its := range data.Settings.Agents {
		for _, grant := range its.Grants {
			mode := grant.Mode
			if mode == "" {
				mode = v1.GrantRead
			}
			// A grant applies to the path's target at the time when the settings were read.
			root, useless := made.settle(expand(grant.Path), agent)
			if useless != "" {
				made.warnings = append(made.warnings, fmt.Sprintf("agents.%s.grants: %s gives nothing: it %s", agent, grant.Path, useless))
				continue
			}
			made.standing[agent] = append(made.standing[agent], v1.PathGrant{ID: v1.OriginSettings, Root: root, Mode: mode})
		}
	}
	made.check()
	slices.Sort(made.warnings)
	return made, nil
}

// settle returns the real path of what settings grant, or why it can't be granted
// (P6).
func (s *scope) settle(root, agent string) (real, useless string) {
	place, err := s.extractor.Place(&v1.Session{Agent: agent}, nil, root)
	switch {
	case err != nil:
		return "", fmt.Sprintf("can't be used: %v", err)
	case place.Sensitive || place.Own:
		return "", "is a sensitive directory or holds one"
	case place.Visible && !place.Exists:
		return "", "doesn't exist"
	}
	return place.Real, ""
}

// check adds warnings for registered projects and whitelisted roots without effect.
func (s *scope) check() {
	for _, list := range []struct {
		name  string
		paths []string
	}{{"scope.projects", s.projects}, {"scope.whitelist", s.whitelist}} {
		for _, path := range list.paths {
			place, err := s.extractor.Place(&v1.Session{}, nil, path)
			switch {
			case err != nil:
				s.warnings = append(s.warnings, fmt.Sprintf("%s: %s can't be used: %v", list.name, path, err))
			case list.name == "scope.projects" && place.Sensitive:
				s.warnings = append(s.warnings, fmt.Sprintf("%s: %s gives nothing: it is a sensitive directory or holds one", list.name, path))
			case place.Visible && !place.Dir:
				s.warnings = append(s.warnings, fmt.Sprintf("%s: %s is no directory", list.name, path))
			}
		}
	}
}

// Place implements sessions.Scope.
func (s *scope) Place(session *v1.Session, grants []v1.PathGrant, path string) (sessions.Place, error) {
	place, err := s.extractor.Place(session, grants, path)
	return sessions.Place(place), err
}

// Places implements sessions.Scope.
func (s *scope) Places(ctx context.Context, session *v1.Session, grants []v1.PathGrant, names []string) ([]sessions.Located, error) {
	found, err := s.extractor.Places(ctx, session, grants, names)
	if err != nil {
		return nil, err
	}
	located := make([]sessions.Located, len(found))
	for i := range found {
		located[i] = sessions.Located{Place: sessions.Place(found[i].Place), Err: found[i].Err}
	}
	return located, nil
}

// RepositoryShaped implements sessions.Scope.
func (s *scope) RepositoryShaped(dir string) bool { return s.extractor.RepositoryShaped(dir) }

// Under implements sessions.Scope.
func (s *scope) Under(path, root string, session *v1.Session) bool {
	return s.extractor.Under(path, root, session)
}

// Projects implements sessions.Scope.
func (s *scope) Projects() []string { return s.projects }

// Whitelist implements sessions.Scope.
func (s *scope) Whitelist() []string { return s.whitelist }

// Standing implements sessions.Scope.
func (s *scope) Standing(agent string) []v1.PathGrant { return s.standing[agent] }
