package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// kind is the type of a setting.
type kind uint8

const (
	text kind = iota
	boolean
	number
	duration
	list
	object // fields has its keys
	table  // any keys, values of the shape each
	free   // anything; another package checks it
)

// shape states what a setting may be.
type shape struct {
	kind    kind
	fields  map[string]shape
	each    *shape
	allowed []string // for text; empty allows any
	// least and most bound numbers, and durations in seconds.
	least, most int
	// check looks further at text; its error states what is allowed.
	check func(string) error
	// needed is true for a key that a mapping must have.
	needed bool
	// short is the key of an object that a text alone represents; empty for none.
	short string
	// filled is true for a list that must have an element.
	filled bool
	// key looks at the keys of a table; its error states what is allowed.
	key func(string) error
	// distinct is the key of a list's mappings whose path must be unique.
	distinct string
}

func strs() shape { return shape{kind: list, each: &shape{kind: text, check: notEmpty}} }

// places are paths in full, or in the home.
func places() shape { return shape{kind: list, each: &shape{kind: text, check: place}} }

func globs() shape { return shape{kind: list, each: &shape{kind: text, check: glob}} }

func fixed(fields map[string]shape) shape { return shape{kind: object, fields: fields} }

// modes are the namespace modes (N1).
func modes() []string {
	return []string{"block", "collaborative", "single_pass_through", "self_handle", "unsafe_debug"}
}

// namespace accepts a namespace or one method of it.
func namespace(value string) error {
	known := []string{"fs", "terminal", "session"}
	name, method, single := strings.Cut(value, "/")
	if slices.Contains(known, name) && (!single || method != "" && strings.Trim(method, "abcdefghijklmnopqrstuvwxyz_") == "") {
		return nil
	}
	return fmt.Errorf("unknown key; allowed: %s, or one method of them, such as session/request_permission", strings.Join(known, ", "))
}

// settings is the shape of the whole file.
func settings() shape {
	mode := shape{kind: text, allowed: modes()}
	whole := fixed(map[string]shape{
		"addr":          {kind: text, check: hostPort},
		"allowed_hosts": strs(),
		"state_dir":     {kind: text, check: notEmpty},
		"run_dir":       {kind: text, check: notEmpty},
		"store":         {kind: text, check: storeName},
		"bundle":        {kind: text},
		"watch":         {kind: boolean},
		"scope":         scopeShape(),
		"secrets":       fixed(map[string]shape{"names": globs(), "directories": globs(), "except": globs()}),
		"path_classes":  {kind: table, each: classShape(), key: className},
		"shell":         fixed(map[string]shape{"workspace_writes": {kind: boolean}, "remote_readers": {kind: boolean}, "project_verbs": strs()}),
		"contain":       {kind: text, allowed: []string{ContainAuto, ContainOff, ContainRequired}},
		"namespaces":    {kind: table, each: &mode, key: namespace},
		"safe_verbs":    safeVerbsShape(),
		"catalog":       catalogShape(),
		"agents":        {kind: table, each: agentShape()},
		"approvals":     fixed(map[string]shape{"worktrees": {kind: text, allowed: []string{WorktreesOff, WorktreesMain}}}),
		"prompts": fixed(map[string]shape{
			"expiry":      {kind: duration, least: 60, most: 30 * 24 * 3600},
			"per_session": {kind: number, least: 1, most: 10_000},
		}),
		"decision_cache": fixed(map[string]shape{"entries": {kind: number, least: 0, most: 1_000_000}}),
		"bundles":        bundlesShape(),
		"max_policy_age": {kind: duration, least: 10, most: 365 * 24 * 3600},
		"stale_policy":   {kind: text, allowed: []string{StaleUnready, StaleDeny}},
		"decision_log": fixed(map[string]shape{
			"file":         {kind: text, check: notEmpty},
			"required":     {kind: boolean},
			"stdout":       {kind: boolean},
			"max_size_mb":  {kind: number, least: 1, most: 10_240},
			"max_backups":  {kind: number, least: 0, most: 1_000},
			"max_age_days": {kind: number, least: 0, most: 3_650},
			"overflow":     {kind: text, allowed: []string{"block", "drop"}},
			"service":      fixed(map[string]shape{"url": {kind: text, check: webAddress}, "token": {kind: text, check: oneLine}}),
		}),
		"policy_timeout": {kind: duration, least: 1, most: 60},
		"retention":      {kind: duration, least: 3600, most: 10 * 365 * 24 * 3600},
	})
	maps.Copy(whole.fields, operationsShapes())
	return whole
}

func scopeShape() shape {
	mapping := fixed(map[string]shape{
		"agent": {kind: text, check: absolute, needed: true}, "sidecar": {kind: text, check: absolute, needed: true},
	})
	return fixed(map[string]shape{
		"outside":          {kind: text, allowed: []string{"prompt", "request"}},
		"projects":         places(),
		"whitelist":        places(),
		"read_also":        places(),
		"protected":        strs(),
		"protected_always": strs(),
		"delete_allow":     strs(),
		"path_map":         {kind: list, each: &mapping, distinct: "agent"},
	})
}

// classShape is a class of paths, and the effect of an access to one.
func classShape() *shape {
	class := fixed(map[string]shape{
		"paths":   {kind: list, each: &shape{kind: text, check: glob}, needed: true},
		"effect":  {kind: text, allowed: []string{"deny", "prompt", "none"}},
		"message": {kind: text, check: notEmpty},
	})
	return &class
}

// className accepts the name of a path class: a word that no built-in class has.
func className(name string) error {
	switch {
	case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
		return errors.New("the name of a class holds small letters, digits, _ and - alone")
	case slices.Contains(v1.ReservedClasses(), name):
		return errors.New("the name is one of policyd's own classes; choose another")
	}
	return nil
}

func agentShape() *shape {
	grant := fixed(map[string]shape{
		"path": {kind: text, check: place}, "mode": {kind: text, allowed: []string{"read", "read_write"}},
	})
	agent := fixed(map[string]shape{
		"audience":    {kind: text, allowed: []string{"personal", "team", "public"}},
		"interactive": {kind: boolean},
		"deny_tools":  strs(),
		"peers":       strs(),
		"grants":      {kind: list, each: &grant},
	})
	return &agent
}

// parse reads a scalar from its text.
func (s *shape) parse(value string) (any, error) {
	switch s.kind {
	case text:
		return s.parseText(value)
	case boolean:
		return parseBoolean(value)
	case number:
		return s.parseNumber(value)
	case duration:
		return s.parseLimited(value)
	case list, object, table, free:
	}
	return nil, fmt.Errorf("wrong type: %s belongs here", s.wanted())
}

func (s *shape) parseText(value string) (any, error) {
	if len(s.allowed) > 0 && !slices.Contains(s.allowed, value) {
		return nil, fmt.Errorf("%q is not known; allowed: %s", value, strings.Join(s.allowed, ", "))
	}
	if s.check != nil {
		if err := s.check(value); err != nil {
			return nil, err
		}
	}
	return value, nil
}

func parseBoolean(value string) (any, error) {
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, fmt.Errorf("%q is not a boolean; allowed: true, false", value)
}

func (s *shape) parseNumber(value string) (any, error) {
	parsed, err := strconv.Atoi(value)
	if err != nil || parsed < s.least || parsed > s.most {
		return nil, fmt.Errorf("%q is not allowed; a whole number from %d to %d", value, s.least, s.most)
	}
	return parsed, nil
}

// parseLimited parses a duration between the limits of the shape, which are seconds.
func (s *shape) parseLimited(value string) (any, error) {
	parsed, err := parseDuration(value)
	if err != nil || parsed.Seconds() < float64(s.least) || parsed.Seconds() > float64(s.most) {
		return nil, fmt.Errorf("%q is not allowed; a duration from %s to %s, such as 90m, 24h or 30d",
			value, time.Duration(s.least)*time.Second, time.Duration(s.most)*time.Second)
	}
	return parsed, nil
}

// parseDuration also takes whole days.
func parseDuration(value string) (time.Duration, error) {
	const most = 100 * 365 // days, so that no number is too large
	if days, found := strings.CutSuffix(value, "d"); found {
		if number, err := strconv.ParseUint(days, 10, 16); err == nil && number <= most {
			return time.Duration(number) * 24 * time.Hour, nil
		}
	}
	return time.ParseDuration(value)
}

func (s *shape) scalar() bool { return s.kind <= duration }

func (s *shape) wanted() string {
	switch s.kind {
	case text:
		return "text"
	case boolean:
		return "true or false"
	case number:
		return "a whole number"
	case duration:
		return "a duration"
	case list:
		return "a list"
	case object, table:
		return "a mapping"
	case free:
	}
	return "any value"
}

// names lists the keys of an object for an error message.
func (s *shape) names() string {
	names := make([]string, 0, len(s.fields))
	for name := range s.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func notEmpty(value string) error {
	if strings.TrimSpace(value) == "" {
		return fmt.Errorf("%q is empty; leave the key out or give it a value", value)
	}
	return nil
}

func glob(value string) error {
	if err := notEmpty(value); err != nil {
		return err
	}
	if _, err := path.Match(value, ""); err != nil {
		return fmt.Errorf("%q is no pattern; * and ? are wildcards, and a [ needs its ], or a \\ before it", value)
	}
	return nil
}

// place accepts an absolute path, one that begins with ~/, and one with a drive letter, for agents on
// Windows.
func place(value string) error {
	drive := len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/')
	if filepath.IsAbs(value) || value == "~" || strings.HasPrefix(value, "~/") || drive {
		return nil
	}
	return fmt.Errorf("%q is relative; a path in full, or one that begins with ~/, belongs here", value)
}

func absolute(value string) error {
	if !filepath.IsAbs(value) {
		return fmt.Errorf("%q is relative; an absolute path belongs here", value)
	}
	if slices.Contains(strings.Split(filepath.ToSlash(value), "/"), "..") {
		return fmt.Errorf("%q holds \"..\"; write the path out", value)
	}
	if strings.IndexByte(value, 0) >= 0 {
		return fmt.Errorf("%q holds a NUL", value)
	}
	return nil
}

func hostPort(value string) error {
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		var n int
		if n, err = strconv.Atoi(port); err == nil && n >= 0 && n <= math.MaxUint16 {
			return nil
		}
	}
	return fmt.Errorf("%q is no address; host:port with a port from 0 to 65535, such as 127.0.0.1:7483", value)
}

// webAddress accepts an address that a token can be sent to. The error doesn't repeat the address, since it
// may contain a password.
func webAddress(value string) error {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return fmt.Errorf("no address of a service; http://… or https://… without query, such as https://logs.example.org")
	}
	return nil
}

// oneLine accepts a value for a header. The error doesn't repeat it: it is a secret.
func oneLine(value string) error {
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("empty, or with characters that a header can't hold")
	}
	return nil
}

func storeName(value string) error {
	if value == "sqlite" {
		return nil
	}
	parsed, err := url.Parse(value)
	if err == nil && (parsed.Scheme == "postgres" || parsed.Scheme == "postgresql") {
		return nil
	}
	// The value isn't repeated: it may contain a password.
	return fmt.Errorf("not a known store; allowed: sqlite, postgres://…")
}
