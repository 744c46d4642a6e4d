package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/patch"
	"policyd/extract/shell"
)

// patch makes an item of every file that a patch names.
func (e *extraction) patch(text string) {
	changes, ok := patch.Parse(text)
	if !ok {
		e.doubt("patch_unreadable")
	}
	none := &catalog.Tool{}
	for _, change := range changes {
		e.filePath(change.Path, change.Op, none)
		if before, _, ok := strings.Cut(change.Path, ":"); ok && before != "" {
			// Some readers end the path at a second colon.
			e.filePath(before, change.Op, none)
		}
	}
}

// patchers are commands that apply a patch, and the format that each reads.
// What is no patch of that format it skips, as a comment.
var patchers = map[string]patch.Format{
	"apply_patch": patch.ParseEnvelope, "applypatch": patch.ParseEnvelope, "patch": patch.ParseUnified, "git apply": patch.ParseUnified, "git am": patch.ParseUnified,
}

// maxPatch bounds how much is read of a file that holds a patch.
const maxPatch = 1 << 20

// patched adds what the patch of a command changes to what the command
// touches. The patch stands in the line or in a file that the command reads;
// one that is elsewhere, or can't be read wholly, is a caveat.
func (e *extraction) patched(t *touched, item *v1.Item, c *shell.Command, line string) {
	format := patchers[c.Verb]
	if format == nil {
		format = patchers[c.Program]
	}
	if format == nil {
		return
	}
	dirs := c.Dirs
	if c.Unknown || len(dirs) == 0 {
		dirs = append(slices.Clip(dirs), "")
	}
	envelope := c.Program == "apply_patch" || c.Program == "applypatch"
	texts := patch.InLine(line, envelope)
	known := patch.HandedTo(c.Verb[strings.LastIndexByte(c.Verb, ' ')+1:], line)
	for _, access := range c.Accesses {
		if access.Op == v1.OpRead && !access.Dynamic && !access.Glob {
			texts = append(texts, e.patchFile(e.view.Absolute(access.Text, dirs[0])))
			known = true
		}
	}
	known = known && len(texts) > 0 &&
		(envelope || !slices.ContainsFunc(c.Form, func(option v1.Entry) bool { return !patchOptions[option.Name] }))
	for _, text := range texts {
		changes, ok := format(text)
		known = known && ok
		for _, change := range changes {
			known = known && !strings.ContainsAny(change.Path, "$`\\'\"")
			e.patchedPath(t, change, dirs, !envelope)
		}
	}
	if !known {
		item.Caveats.Add("patch_unread")
	}
}

// patchedPath adds a path that a patch changes, and where an option may strip
// leading segments what is left of it.
func (e *extraction) patchedPath(t *touched, change patch.Change, dirs []string, strips bool) {
	for path, more := change.Path, true; more && path != ""; {
		for _, dir := range dirs {
			e.touch(t, path, dir, change.Op)
		}
		_, path, more = strings.Cut(path, "/")
		more = more && strips
	}
}

// patchOptions are the options and operands of those commands that don't change
// where a patch leads, but by stripping segments.
var patchOptions = map[string]bool{
	"<patch>": true, "-i": true, "-p": true, "-R": true, "--reverse": true, "-N": true, "--forward": true, "-v": true, "--verbose": true,
	"-q": true, "--quiet": true, "-s": true, "--silent": true, "--check": true, "--stat": true, "--numstat": true, "--summary": true,
	"--index": true, "--cached": true, "-3": true, "--3way": true, "--reject": true, "--whitespace": true, "--dry-run": true,
}

// patchFile is the text of a file; empty, which is no patch, where it can't be
// read.
func (e *extraction) patchFile(path string) string {
	if info, err := e.view.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxPatch {
		return ""
	}
	text, err := e.view.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
