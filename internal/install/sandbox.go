package install

import (
	"path/filepath"
	"slices"
)

// Contained reports whether the installed hook lets command lines run contained.
func (r *Report) Contained() bool { return slices.Contains(r.Command, "--contain") }

// codexSandbox warns of Codex' own sandbox, in which no line runs contained. If the settings
// leave it open, it depends on the project and on the command line of codex.
func (r *Report) codexSandbox(o *Options) {
	if mode := o.codexSandboxMode(); mode != "danger-full-access" {
		r.warn("--contain works only where codex runs without its own sandbox, which lets no command reach policyd: sandbox_mode = \"danger-full-access\"")
	}
}

func (r *Report) claudeSandbox(o *Options) {
	for _, path := range o.claudeSettings() {
		var on bool
		if d := readDocument(path, false); d != nil && d.decode(&on, "sandbox", "enabled") && on {
			r.warn("sandbox.enabled in %s may keep contained lines from reaching policyd: they then end with status 126", path)
		}
	}
}

func (r *Report) geminiSandbox(*Options) {
	var how any
	if d := readDocument(r.Path, true); d != nil && d.decode(&how, "tools", "sandbox") && how != nil && how != false {
		r.warn("tools.sandbox keeps contained lines from reaching policyd: they end with status 126")
	}
}

// codexSandboxMode is the sandbox_mode of Codex' settings, a project's before the user's; empty for
// none.
func (o *Options) codexSandboxMode() string {
	var mode string
	for _, dir := range []string{o.place("CODEX_HOME", ".codex"), filepath.Join(o.Project, ".codex"), filepath.Join(o.Here, ".codex")} {
		if !filepath.IsAbs(dir) {
			continue
		}
		text, err := readSettings(filepath.Join(dir, "config.toml"))
		if err != nil {
			continue
		}
		values, err := readTOML(text)
		if said, ok := values["sandbox_mode"].(string); ok && err == nil {
			mode = said
		}
	}
	return mode
}
