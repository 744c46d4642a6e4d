package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Config is the active settings. It doesn't change after Load.
type Config struct {
	Addr         string
	AllowedHosts []string
	StateDir     string
	RunDir       string
	// Store is sqlite or a postgres:// address, which may hold a password.
	Store string
	// Bundle is a directory or a .tar.gz file; empty is the built-in bundle.
	Bundle string
	// Watch reloads Bundle when it changes.
	Watch       bool
	DecisionLog DecisionLog
	Prompts     Prompts
	// Worktrees is WorktreesOff or WorktreesMain.
	Worktrees string
	// DecisionCache is how many judgements are remembered; 0 means none.
	DecisionCache int
	// PolicyTimeout bounds the time to extract a call's facts, and the time to judge them.
	PolicyTimeout time.Duration
	// Retention is how long ended prompts and archived sessions are kept.
	Retention time.Duration
	// Bundles is OPA's own configuration of bundles, services and keys, without
	// TestOnActivate.
	Bundles map[string]any
	// TestOnActivate runs the tests in a bundle before it becomes active.
	TestOnActivate bool
	// MaxPolicyAge is how long ago services may have confirmed the policy; 0 is any time.
	MaxPolicyAge time.Duration
	// StalePolicy is StaleUnready or StaleDeny: what follows from an older policy.
	StalePolicy string
	// Contain is ContainAuto, ContainOff or ContainRequired.
	Contain string
	Operations
	// UnsafeDebugBroadcast allows the mode unsafe_debug (N4).
	UnsafeDebugBroadcast bool
	// SafeVerbsFile and CatalogFile add verbs and tools, as absolute paths; empty means none. Load doesn't
	// read them.
	SafeVerbsFile, CatalogFile string
	// Files are the files that were read, as absolute paths. They decide what
	// agents may do, so agents must not change them (P6).
	Files []string

	judging map[string]any
}

// Which calls are run contained, if their caller can do that.
const (
	// ContainAuto: those that the policy obliges to it.
	ContainAuto = "auto"
	// ContainOff: none.
	ContainOff = "off"
	// ContainRequired: command lines that can't be contained prompt.
	ContainRequired = "required"
)

// What happens if a policy is older than MaxPolicyAge.
const (
	// StaleUnready: /readyz fails, and calls are decided as before.
	StaleUnready = "unready"
	// StaleDeny: calls are denied as well.
	StaleDeny = "deny"
)

// DecisionLog configures where records go, and whether one is required.
type DecisionLog struct {
	File     string
	Required bool
	Stdout   bool
	// MaxSizeMB is in megabytes. Zero backups or days keep all.
	MaxSizeMB, MaxBackups, MaxAgeDays int
	// Overflow is block or drop, which Required excludes.
	Overflow string
	// Service also gets the records.
	Service Service
}

// Service is an HTTP service that accepts records in OPA's form. An empty URL means none; a Token is a
// secret.
type Service struct{ URL, Token string }

// Where an answer for a directory applies: in that directory alone, or at the same place in every work tree
// of its git repository.
const (
	WorktreesOff  = "off"
	WorktreesMain = "main"
)

// Prompts bounds open questions.
type Prompts struct {
	Expiry     time.Duration
	PerSession int
}

// UnsafeDebugFlag is the override that represents --unsafe-debug-broadcast. It is no setting: neither file
// nor environment can set it.
const UnsafeDebugFlag = "unsafe_debug_broadcast"

// defaultPolicyTimeout is thousands of times the usual time of a decision: a busy machine must not deny valid
// calls.
const defaultPolicyTimeout = 2 * time.Second

// defaultDecisionCache needs some 2 MB when it is full.
const defaultDecisionCache = 4096

// judgingKeys are the settings that policy judges by.
func judgingKeys() []string {
	return []string{"scope", "secrets", "path_classes", "shell", "contain", "namespaces", "agents"}
}

// Settings returns a copy of the judging settings, in the shape of data.policyd.settings and holding only
// what was set. Lists are the operator's additions to the built-in ones, except for scope.read_also, which
// replaces it.
func (c *Config) Settings() map[string]any {
	copied, _ := clone(c.judging).(map[string]any)
	return copied
}

// Load reads the file at path (none for ""), the environment through env, and overrides: command line flags
// by the dotted name of their setting. A later source overrides an earlier one. The error is an *Error, or
// the file can't be read.
func Load(path string, env func(string) (string, bool), overrides map[string]string) (*Config, error) {
	values := map[string]any{}
	lines, expanded := map[string]int{}, map[string]bool{}
	config := &Config{}
	if path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
		if values, err = (&reader{file: path, env: env, lines: lines, expanded: expanded}).read(data); err != nil {
			return nil, err
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
		config.Files = []string{absolute}
	}
	if err := config.overlay(values, env, overrides); err != nil {
		return nil, err
	}
	if err := config.fill(values, env); err != nil {
		return nil, err
	}
	if err := config.check(path, lines); err != nil {
		return nil, err
	}
	if key := plainCredential(config.Bundles, "bundles", expanded); key != "" {
		return nil, &Error{Source: path, Line: lines[key], Key: key, Message: advice}
	}
	return config, nil
}

// overlay lays environment and flags over the values of the file.
func (c *Config) overlay(values map[string]any, env func(string) (string, bool), overrides map[string]string) error {
	scalars := map[string]shape{}
	whole := settings()
	collect(&whole, "", scalars)
	for _, key := range slices.Sorted(maps.Keys(scalars)) {
		name := "POLICYD_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		if value, set := env(name); set && value != "" {
			if err := put(values, key, name, value, scalars[key]); err != nil {
				return err
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(overrides)) {
		flag := "--" + strings.NewReplacer(".", "-", "_", "-").Replace(key)
		if key == UnsafeDebugFlag {
			parsed, err := (&shape{kind: boolean}).parse(overrides[key])
			if err != nil {
				return &Error{Source: flag, Message: err.Error()}
			}
			c.UnsafeDebugBroadcast = parsed == true
			continue
		}
		wanted, known := scalars[key]
		if !known {
			return &Error{Source: flag, Key: key, Message: "is no setting that a flag can give"}
		}
		if err := put(values, key, flag, overrides[key], wanted); err != nil {
			return err
		}
	}
	return nil
}

// collect gathers the scalars that have one fixed name.
func collect(of *shape, key string, scalars map[string]shape) {
	for name, field := range of.fields {
		switch {
		case field.scalar():
			scalars[join(key, name)] = field
		case field.kind == object:
			collect(&field, join(key, name), scalars)
		}
	}
}

func put(values map[string]any, key, source, value string, wanted shape) error {
	parsed, err := wanted.parse(value)
	if err != nil {
		return &Error{Source: source, Key: key, Message: err.Error()}
	}
	names := strings.Split(key, ".")
	for _, parent := range names[:len(names)-1] {
		inner, ok := values[parent].(map[string]any)
		if !ok {
			inner = map[string]any{}
			values[parent] = inner
		}
		values = inner
	}
	values[names[len(names)-1]] = parsed
	return nil
}

// fill sets every field from the values or its default.
func (c *Config) fill(values map[string]any, env func(string) (string, bool)) error {
	c.Addr = get(values, "addr", "127.0.0.1:7483")
	c.Store = get(values, "store", "sqlite")
	c.Watch = get(values, "watch", false)
	for _, host := range get(values, "allowed_hosts", []any{}) {
		c.AllowedHosts = append(c.AllowedHosts, fmt.Sprint(host))
	}
	c.fillBundles(values)
	c.DecisionCache = get(get(values, "decision_cache", map[string]any{}), "entries", defaultDecisionCache)
	c.PolicyTimeout = get(values, "policy_timeout", defaultPolicyTimeout)
	c.Retention = get(values, "retention", 30*24*time.Hour)
	log := get(values, "decision_log", map[string]any{})
	c.DecisionLog = decisionLog(log)
	prompts := get(values, "prompts", map[string]any{})
	c.Prompts = Prompts{Expiry: get(prompts, "expiry", 24*time.Hour), PerSession: get(prompts, "per_session", 100)}
	c.Worktrees = get(get(values, "approvals", map[string]any{}), "worktrees", WorktreesOff)
	c.judging = map[string]any{}
	if c.UnsafeDebugBroadcast {
		c.judging[UnsafeDebugFlag] = true
	}
	for _, key := range judgingKeys() {
		if value, set := values[key]; set {
			c.judging[key] = value
		}
	}
	// The content of a file isn't the setting's own.
	if verbs := maps.Clone(get(values, "safe_verbs", map[string]any{})); len(verbs) > 0 {
		delete(verbs, "file")
		c.judging["safe_verbs"] = verbs
	}
	home, _ := env("HOME")
	if err := c.fillOperatorFiles(values, home); err != nil {
		return err
	}
	var err error
	if c.StateDir, err = expandHome(get(values, "state_dir", "~/.local/state/policyd"), home); err != nil {
		return fmt.Errorf("find state_dir: %w", err)
	}
	runDir := filepath.Join(c.StateDir, "run")
	if session, set := env("XDG_RUNTIME_DIR"); set && filepath.IsAbs(session) {
		runDir = filepath.Join(session, "policyd")
	}
	if c.RunDir, err = expandHome(get(values, "run_dir", runDir), home); err != nil {
		return fmt.Errorf("find run_dir: %w", err)
	}
	if c.DecisionLog.File, err = expandHome(get(log, "file", filepath.Join(c.StateDir, "decisions.jsonl")), home); err != nil {
		return fmt.Errorf("find decision_log.file: %w", err)
	}
	if c.Bundle, err = expandHome(get(values, "bundle", ""), home); err != nil {
		return fmt.Errorf("find bundle: %w", err)
	}
	return c.Operations.fill(values, home)
}

// fillOperatorFiles names the files that add to lists of policyd.
func (c *Config) fillOperatorFiles(values map[string]any, home string) error {
	for _, one := range []struct {
		key  string
		into *string
	}{{"safe_verbs", &c.SafeVerbsFile}, {"catalog", &c.CatalogFile}} {
		path, err := expandHome(get(get(values, one.key, map[string]any{}), "file", ""), home)
		if err != nil {
			return fmt.Errorf("find %s.file: %w", one.key, err)
		}
		*one.into = path
	}
	return nil
}

// decisionLog reads all but the file, which needs the home.
func decisionLog(log map[string]any) DecisionLog {
	service := get(log, "service", map[string]any{})
	return DecisionLog{
		Required: get(log, "required", true), Stdout: get(log, "stdout", false), MaxSizeMB: get(log, "max_size_mb", 100),
		MaxBackups: get(log, "max_backups", 10), MaxAgeDays: get(log, "max_age_days", 0),
		Overflow: get(log, "overflow", "block"), Service: Service{URL: get(service, "url", ""), Token: get(service, "token", "")},
	}
}

// check checks conditions between settings.
func (c *Config) check(path string, lines map[string]int) error {
	if err := c.checkLog(path, lines); err != nil {
		return err
	}
	namespaces := get(c.judging, "namespaces", map[string]any{})
	for _, name := range slices.Sorted(maps.Keys(namespaces)) {
		if namespaces[name] == "unsafe_debug" && !c.UnsafeDebugBroadcast {
			key := join("namespaces", name)
			return &Error{
				Source: path, Line: lines[key], Key: key,
				Message: "unsafe_debug also needs --unsafe-debug-broadcast on the command line",
			}
		}
	}
	return c.Operations.check(path, lines)
}

// checkLog refuses settings that require a record and then drop it, and a token without a service.
func (c *Config) checkLog(path string, lines map[string]int) error {
	for _, contradiction := range []struct {
		key, message string
		holds        bool
	}{
		{"decision_log.overflow", "drop leaves records out, and decision_log.required says that there has to be one; " +
			"set required to false, or overflow to block", c.DecisionLog.Overflow == "drop" && c.DecisionLog.Required},
		{"decision_log.service.token", "there is no decision_log.service.url to send it to", c.DecisionLog.Service.Token != "" && c.DecisionLog.Service.URL == ""},
	} {
		if !contradiction.holds {
			continue
		}
		source, line := path, lines[contradiction.key]
		if line == 0 {
			source = "settings" // environment or flags
		}
		return &Error{Source: source, Line: line, Key: contradiction.key, Message: contradiction.message}
	}
	return nil
}

// get returns a value that the shape has already checked.
func get[T any](values map[string]any, key string, usual T) T {
	if value, ok := values[key].(T); ok {
		return value
	}
	return usual
}

// expandHome replaces a leading ~ and makes the path absolute; empty stays empty.
func expandHome(path, home string) (string, error) {
	if path == "" {
		return "", nil
	}
	if path == "~" || strings.HasPrefix(path, "~/") {
		if !filepath.IsAbs(home) {
			return "", errors.New("~ is used and HOME is not an absolute path; set HOME or give the path in full")
		}
		path = filepath.Join(home, path[1:])
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("make path absolute: %w", err)
	}
	return absolute, nil
}

func clone(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, member := range value {
			copied[name] = clone(member)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, element := range value {
			copied[i] = clone(element)
		}
		return copied
	}
	return value
}
