// Package approvalbundle makes a bundle of approvals, so that a team can commit and review
// them.
//
// It trusts the approvals that it is given. It guarantees that the rules of the bundle
// cover an item under the same conditions as a remembered approval, that the same
// approvals give the same bytes, and that no directory with other files is written to.
package approvalbundle

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

//go:embed rules/*.rego
var rules embed.FS

// roots are what the bundle owns.
var roots = []string{"site/approvals", "site_data/approvals"}

// approval is one approval as the rules read it. Relative directories count from the
// project of each session.
type approval struct {
	Tool      string          `json:"tool"`
	Audience  v1.Audience     `json:"audience"`
	Agent     string          `json:"agent"`
	Directory string          `json:"directory"`
	Relative  bool            `json:"relative"`
	Anywhere  bool            `json:"anywhere"`
	Risks     map[string]bool `json:"risks"`
}

// kinds are the tool kinds whose approvals rules can represent. An approval to read is absent: it becomes a
// grant before the rules run.
var kinds = append(v1.ToolKinds(), v1.ToolProject)

// Fits reports whether an approval can be in a bundle. Rules have no clock and no sessions, so an approval
// that ends or holds for one session can't. An approval for a public audience can't either.
func Fits(entry *v1.ApprovalEntry) bool {
	return entry.Session == "" && entry.ExpiresAt == nil && entry.Audience != v1.AudiencePublic && slices.Contains(kinds, entry.Tool)
}

// Files returns the files of a bundle of these approvals by their slashed names. Approvals in the project or
// below it become relative and hold in the project of every session. With an empty project all stay absolute.
func Files(entries []v1.ApprovalEntry, project string) (map[string][]byte, error) {
	verbs := map[string][]approval{}
	for i := range entries {
		if Fits(&entries[i]) {
			verbs[entries[i].Verb] = append(verbs[entries[i].Verb], newApproval(&entries[i], project))
		}
	}
	for _, list := range verbs {
		slices.SortFunc(list, func(a, b approval) int { return strings.Compare(order(&a), order(&b)) })
	}
	data, err := indented(map[string]any{"verbs": verbs})
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"site_data/approvals/data.json": data}
	for _, name := range []string{"approvals.rego", "approvals_test.rego"} {
		if files["site/approvals/"+name], err = rules.ReadFile("rules/" + name); err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
	}
	digest := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, _ = digest.Write(files[name]) // a hash never fails
	}
	manifest := map[string]any{"roots": roots, "rego_version": 1, "revision": "approvals-" + hex.EncodeToString(digest.Sum(nil))[:12]}
	files[".manifest"], err = indented(manifest)
	return files, err
}

func newApproval(entry *v1.ApprovalEntry, project string) approval {
	out := approval{Tool: entry.Tool, Audience: entry.Audience, Agent: entry.Agent, Anywhere: entry.Directory == nil, Risks: map[string]bool{}}
	for _, risk := range entry.Risks {
		out.Risks[risk] = true
	}
	if entry.Directory == nil {
		return out
	}
	out.Directory = *entry.Directory
	if below, found := strings.CutPrefix(*entry.Directory, project); found && project != "" && (below == "" || below[0] == '/') {
		out.Directory, out.Relative = strings.TrimPrefix(below, "/"), true
	}
	return out
}

// order is a text by which approvals of one verb are sorted.
func order(a *approval) string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%t\x00%s\x00%v", a.Tool, a.Audience, a.Agent, a.Anywhere, a.Directory, slices.Sorted(maps.Keys(a.Risks)))
}

func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode bundle: %w", err)
	}
	return append(text, '\n'), nil
}

// ErrOccupied means that the directory contains other files.
var ErrOccupied = errors.New("holds something else than a bundle of approvals")

// Write writes the files of a bundle into a directory that is empty, missing, or has a
// bundle of approvals already. The error wraps ErrOccupied for any other.
func Write(directory string, files map[string][]byte) error {
	if err := free(directory); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(directory, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a bundle is committed and read by others
			return fmt.Errorf("write bundle: %w", err)
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil { //nolint:gosec // a bundle is committed and read by others
			return fmt.Errorf("write bundle: %w", err)
		}
	}
	return nil
}

func free(directory string) error {
	entries, err := os.ReadDir(directory)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("write bundle: %w", err)
	}
	var manifest struct {
		Roots []string `json:"roots"`
	}
	text, err := os.ReadFile(filepath.Join(directory, ".manifest"))
	if err != nil || json.Unmarshal(text, &manifest) != nil || !slices.Equal(manifest.Roots, roots) {
		return fmt.Errorf("%s %w", directory, ErrOccupied)
	}
	return nil
}
