package install

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// codexHook is what Codex hashes of a hook, in the order of its keys: found with
// 0.169 by asking its app server for the hash.
type codexHook struct {
	Event   string       `json:"event_name"`
	Hooks   [1]codexLine `json:"hooks"`
	Matcher *string      `json:"matcher,omitempty"`
}

type codexLine struct {
	Async         bool   `json:"async"`
	Command       string `json:"command"`
	StatusMessage string `json:"statusMessage,omitempty"`
	Timeout       int    `json:"timeout"`
	Type          string `json:"type"`
}

// codexHash is the hash by which Codex trusts a hook.
func codexHash(event string, matcher *string, e *entry) (string, error) {
	text, err := marshal(codexHook{snake(event), [1]codexLine{{e.Async, e.Command, e.StatusMessage, int(e.Timeout), e.Type}}, matcher}, "", "")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// trust reports whether Codex would run the hook: it silently skips a hook that it doesn't trust.
func (r *Report) trust(path, event string, group, position int, matcher *string, e *entry) {
	hash, err := codexHash(event, matcher, e)
	if err != nil {
		r.fault("%s: %v", event, err)
		return
	}
	key := fmt.Sprintf("%s:%s:%d:%d", path, snake(event), group, position)
	trusted, enabled := codexState(filepath.Join(r.trustDir, "config.toml"), key)
	switch {
	case !enabled:
		r.fault("%s: codex has the hook disabled; enable it in /hooks", event)
	case trusted == "":
		r.fault("%s: codex does not trust the hook and skips it in silence; start codex and trust it in /hooks", event)
	case trusted != hash:
		r.fault("%s: codex trusts an older form of the hook and skips this one in silence; trust it anew in /hooks", event)
	}
}

// codexState reads what Codex keeps about one hook.
func codexState(path, key string) (trusted string, enabled bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", true
	}
	values, err := readTOML(text)
	if err != nil {
		return "", true
	}
	hooks, _ := values["hooks"].(map[string]any)
	states, _ := hooks["state"].(map[string]any)
	state, _ := states[key].(map[string]any)
	trusted, _ = state["trusted_hash"].(string)
	on, set := state["enabled"].(bool)
	return trusted, !set || on
}

// snake writes PreToolUse as pre_tool_use.
func snake(event string) string {
	var out strings.Builder
	for i, r := range event {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
