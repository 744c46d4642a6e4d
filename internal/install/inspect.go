package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"policyd/internal/shellquote"
)

// Report is what is found of an install.
type Report struct {
	Client, Path string
	// Command starts the hook, in words.
	Command []string
	// Faults let tools run ungated, or keep the hook from firing.
	Faults []string
	// Warnings are what the person should know.
	Warnings []string
	// trustDir is where Codex stores what it trusts: in the user's directory, never in a project's.
	trustDir string
	client   *Client
}

// Inspect looks at what is installed for a client, and changes nothing. It is nil if nothing of policyd's is.
func Inspect(o *Options) (*Report, error) {
	files, err := o.files()
	if err != nil {
		return nil, err
	}
	client, _ := ByName(o.Client) // it has files
	f := &files[0]                // the first contains the hook that gates
	text, err := readSettings(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Report{Client: o.Client, client: client, Path: f.path, trustDir: o.place("CODEX_HOME", ".codex")}
	if f.format == plugin {
		return r.plugin(o, string(text)), nil
	}
	d, err := parseDocument(text, f.format == commentedJSON)
	if err != nil {
		if !strings.Contains(string(text), "policyd") {
			return nil, nil // not ours to judge
		}
		r.fault("%v; the client does not load it", err)
		return r, nil
	}
	if d.ownHook() == nil {
		return nil, nil
	}
	for _, hook := range f.hooks {
		r.event(d, f, hook.event)
	}
	if client.switches != nil {
		client.switches(r, o, d)
	}
	if client.sandbox != nil && r.Contained() {
		client.sandbox(r, o)
	}
	return r, nil
}

func (r *Report) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// entry is a hook as it is in a file, of any client.
type entry struct {
	Type       string  `json:"type"`
	Command    string  `json:"command"`
	Bash       string  `json:"bash"`
	Timeout    float64 `json:"timeout"`
	TimeoutSec float64 `json:"timeoutSec"`
	OnFailure  string  `json:"onFailure"`
	FailClosed bool    `json:"failClosed"`
	Async      bool    `json:"async"`
	// StatusMessage is part of what Codex trusts.
	StatusMessage string `json:"statusMessage"`
}

func (e *entry) line() string { return e.Command + e.Bash }

// event checks the hook of one event, which an install writes.
func (r *Report) event(d *document, f *file, event string) {
	var list []struct {
		entry
		Matcher *string `json:"matcher"`
		Hooks   []entry `json:"hooks"`
	}
	if !d.decode(&list, "hooks", event) {
		r.missing(event)
		return
	}
	for number, group := range list {
		for position, one := range append([]entry{group.entry}, group.Hooks...) {
			if !ours(one.line()) {
				continue
			}
			r.judge(event, &one)
			if group.Matcher != nil && !slices.Contains([]string{"", "*", ".*"}, *group.Matcher) {
				r.fault("%s: the matcher %q leaves tools out; install again", event, *group.Matcher)
			}
			if r.client.trust != nil {
				r.client.trust(r, f.path, event, number, position-1, group.Matcher, &one)
			}
			return
		}
	}
	r.missing(event)
}

// missing: a session event that is not hooked costs the project, and no safety.
func (r *Report) missing(event string) {
	if strings.HasPrefix(strings.ToLower(event), "session") {
		r.warn("%s is not hooked: sessions have no project", event)
		return
	}
	r.fault("%s is not hooked; install again", event)
}

// judge checks one entry against what an install writes.
func (r *Report) judge(event string, e *entry) {
	r.Command = shellquote.Split(e.line())
	if client := clientOf(r.Command); client != r.Client {
		r.fault("%s: the hook answers for %q, which this client does not take; install again", event, client)
	}
	if slices.Contains(r.Command, "--contain") && !Contains(r.Client) {
		r.warn("%s: --contain does nothing, since this client takes no rewritten command line", event)
	}
	if gates := !strings.HasPrefix(strings.ToLower(event), "session"); gates && r.client.judge != nil {
		r.client.judge(r, event, e)
	}
	if e.Async {
		r.fault("%s: an asynchronous hook blocks nothing; install again", event)
	}
	unit := r.client.timeout
	if unit == 0 {
		unit = time.Second
	}
	waits := time.Duration((e.Timeout + e.TimeoutSec) * float64(unit))
	if hold := holdOf(r.Command); waits <= (&Options{Hold: hold}).patience() {
		r.fault("%s: the client waits %s, less than the hook may take; install again", event, waits)
	}
}

func (r *Report) claudeHook(event string, e *entry) {
	if e.OnFailure != "block" {
		r.fault("%s: without onFailure \"block\" the tool runs when the hook fails; install again", event)
	}
}

func (r *Report) cursorHook(event string, e *entry) {
	if !e.FailClosed {
		r.fault("%s: without failClosed the tool runs when the hook fails; install again", event)
	}
}

// clientOf is the client that a hook's command line names. It is one of ours.
func clientOf(words []string) string {
	if filepath.Base(words[0]) == "policyd" {
		return words[2]
	}
	return words[1]
}

// holdOf is the hold that a hook's command line asks for.
func holdOf(words []string) time.Duration {
	if at := slices.Index(words, "--hold"); at >= 0 && at+1 < len(words) {
		if hold, err := time.ParseDuration(words[at+1]); err == nil {
			return hold
		}
	}
	return 0
}

func (r *Report) claudeSwitches(o *Options, _ *document) {
	for _, path := range o.claudeSettings() {
		d := readDocument(path, false)
		var off bool
		if d != nil && d.decode(&off, "disableAllHooks") && off {
			r.fault("disableAllHooks in %s turns every hook off", path)
		}
	}
}

func (r *Report) geminiSwitches(_ *Options, own *document) {
	enabled := true
	if own.decode(&enabled, "hooksConfig", "enabled") && !enabled {
		r.fault("hooksConfig.enabled is false: no hook fires")
	}
	var off []string
	if own.decode(&off, "hooksConfig", "disabled") && (slices.Contains(off, hookName) || slices.Contains(off, whereToAnswer)) {
		r.fault("hooksConfig.disabled names policyd")
	}
}

func (r *Report) codexSwitches(o *Options, _ *document) {
	if o.Project != "" {
		r.warn("a project's hooks count only where codex trusts the project")
	}
}

// claudeSettings are the files that can turn Claude Code's hooks off.
func (o *Options) claudeSettings() []string {
	paths := []string{
		"/etc/claude-code/managed-settings.json", filepath.Join(o.place("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
	}
	project := o.Project
	if project == "" {
		project = o.Here
	}
	if project != "" {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			paths = append(paths, filepath.Join(project, ".claude", name))
		}
	}
	return paths
}

func readDocument(path string, comments bool) *document {
	text, err := readSettings(path)
	if err != nil {
		return nil
	}
	d, err := parseDocument(text, comments)
	if err != nil {
		return nil
	}
	return d
}

// plugin checks that OpenCode's plugin is the one that this policyd writes.
func (r *Report) plugin(o *Options, text string) *Report {
	if !strings.HasPrefix(text, pluginMark) {
		return nil
	}
	var deadline int64
	for line := range strings.Lines(text) {
		if encoded, found := strings.CutPrefix(line, "const COMMAND = "); found {
			_ = json.Unmarshal([]byte(encoded), &r.Command) // unreadable settings are reported below
		}
		if encoded, found := strings.CutPrefix(line, "const DEADLINE = "); found {
			_ = json.Unmarshal([]byte(encoded), &deadline)
		}
	}
	want, err := OpenCodePlugin(r.Command, time.Duration(deadline)*time.Millisecond)
	if err != nil || want != text {
		r.fault("the plugin is not what this policyd writes; install again")
	}
	info, err := os.Stat(filepath.Join(o.place("XDG_CACHE_HOME", ".cache"), "policyd", "opencode-loaded.json"))
	own, ownErr := os.Stat(r.Path)
	switch {
	case err != nil:
		r.warn("opencode has not loaded the plugin yet; a plugin that does not load leaves a session ungated without a word")
	case ownErr == nil && info.ModTime().Before(own.ModTime()):
		r.warn("opencode has not loaded the plugin since it was installed")
	}
	return r
}
