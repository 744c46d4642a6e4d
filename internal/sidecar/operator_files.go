package sidecar

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"policyd/extract"
	"policyd/extract/argv"
	"policyd/internal/config"
	"policyd/internal/server"
)

// operatorFiles are the files with which an operator adds safe verbs, programs and tools. An unusable file
// adds nothing: the built-in entries, and those of the settings, apply without it. They are safe for
// concurrent use.
type operatorFiles struct {
	files []*operatorFile
	// inline is the setting safe_verbs without its file.
	inline map[string]any
	// agents is the setting agents, which tools must be consistent with.
	agents any
	env    func(string) (string, bool)
	tables func() (*extract.Base, error)
	logger *slog.Logger
	// refused states why the policy couldn't become active with what the files add now.
	refused atomic.Pointer[string]
	// loads counts the reads of a file, and checked is the result of checking inline since then.
	loads   atomic.Int64
	checked atomic.Pointer[inlineFindings]
}

// inlineFindings are what to know of the safe verbs that are in the settings.
type inlineFindings struct {
	loads int64
	// warnings are forms that no call can match, notices forms that may change something.
	warnings, notices []string
}

// refuse notes that the policy couldn't become active with the files, or that it could.
func (f *operatorFiles) refuse(err error) {
	text := ""
	if err != nil {
		text = OneLine(err) + "; the policy before it stays in force"
	}
	f.refused.Store(&text)
}

// refusal is the reason that refuse stored, empty if the policy became active.
func (f *operatorFiles) refusal() string {
	if text := f.refused.Load(); text != nil {
		return *text
	}
	return ""
}

// operatorFile is one of them. key is the setting that names it.
type operatorFile struct {
	key, path string
	parse     func(path string, content []byte, env func(string) (string, bool)) (*config.OperatorFile, error)

	mu sync.Mutex
	// read is false until the file was read once, content and missing are what was read.
	read    bool
	content []byte
	missing string
	// values are what it adds, nil if it can't be used, and fault states why. notices are what to know of
	// what it adds.
	values  map[string]any
	fault   string
	notices []string
}

// newOperatorFiles returns the files that the settings name. tables are those of extraction,
// by which entries are checked.
func newOperatorFiles(s *Settings, tables func() (*extract.Base, error), logger *slog.Logger) *operatorFiles {
	settings := s.Settings()
	inline, _ := settings["safe_verbs"].(map[string]any)
	f := &operatorFiles{inline: inline, agents: settings["agents"], env: s.Env, tables: tables, logger: logger}
	if f.env == nil {
		f.env = func(string) (string, bool) { return "", false }
	}
	if s.SafeVerbsFile != "" {
		f.files = append(f.files, &operatorFile{key: "safe_verbs", path: s.SafeVerbsFile, parse: config.ParseSafeVerbs})
	}
	if s.CatalogFile != "" {
		f.files = append(f.files, &operatorFile{key: "catalog", path: s.CatalogFile, parse: config.ParseCatalog})
	}
	return f
}

// settings returns what the files add to data.policyd.settings. It reads those that were
// not read yet.
func (f *operatorFiles) settings() map[string]any {
	added := map[string]any{}
	for _, file := range f.files {
		file.mu.Lock()
		if !file.read {
			f.load(file)
		}
		if file.values != nil {
			added[file.key] = f.overlay(file.key, file.values)
		}
		file.mu.Unlock()
	}
	return added
}

// reload reads the files again, and reports whether they add something else than before.
func (f *operatorFiles) reload() bool {
	changed := false
	for _, file := range f.files {
		file.mu.Lock()
		changed = f.load(file) || changed
		file.mu.Unlock()
	}
	return changed
}

// load reads a file, and reports whether its content changed. The caller holds its lock.
func (f *operatorFiles) load(file *operatorFile) bool {
	content, err := config.ReadOperatorFile(file.path)
	missing := ""
	if err != nil {
		missing = err.Error()
	}
	if file.read && missing == file.missing && bytes.Equal(content, file.content) {
		return false
	}
	before := file.fault
	file.read, file.content, file.missing = true, content, missing
	file.values, file.notices, file.fault = nil, nil, missing
	if err == nil {
		if file.values, file.notices, err = f.check(file, content); err != nil {
			file.values, file.notices, file.fault = nil, nil, err.Error()
		}
	}
	f.loads.Add(1)
	for _, notice := range file.notices {
		f.logger.Warn("setting to know of", "warning", file.key+".file: "+notice)
	}
	switch {
	case file.fault != "" && file.fault != before:
		f.logger.Warn("file of the operator is not used", "setting", file.key, "warning", file.warning())
	case file.fault == "" && before != "":
		f.logger.Info("file of the operator is used again", "setting", file.key, "file", file.path)
	}
	return true
}

// check returns what a file adds, and remarks on it. The error gives file, line and entry.
func (f *operatorFiles) check(file *operatorFile, content []byte) (values map[string]any, notices []string, err error) {
	parsed, err := file.parse(file.path, content, f.env)
	if err != nil {
		return nil, nil, err
	}
	base, err := f.tables()
	if err != nil {
		return nil, nil, err
	}
	err = base.CheckAdditions(map[string]any{file.key: parsed.Values, "agents": f.agents})
	var refused *argv.EntryError
	if errors.As(err, &refused) {
		return nil, nil, &config.Error{Source: file.path, Line: parsed.Line(refused.Entry), Key: refused.Entry, Message: refused.Message}
	}
	if err != nil {
		return nil, nil, &config.Error{Source: file.path, Message: err.Error()}
	}
	if file.key != "safe_verbs" {
		return parsed.Values, nil, nil
	}
	found, err := formNotices(base, parsed.Values)
	for _, one := range found {
		text := config.Error{Source: file.path, Line: parsed.Line(one.entry), Key: one.entry, Message: one.message}
		notices = append(notices, text.Error())
	}
	return parsed.Values, notices, err
}

// overlay joins what a file adds with what is in the settings: a verb has the forms of both.
func (f *operatorFiles) overlay(key string, values map[string]any) map[string]any {
	if key != "safe_verbs" {
		return values
	}
	joined := maps.Clone(values)
	for platform, value := range values {
		verbs, _ := value.(map[string]any)
		inline, _ := f.inline[platform].(map[string]any)
		if len(inline) == 0 {
			continue
		}
		both := maps.Clone(verbs)
		for verb, forms := range verbs {
			mine, _ := forms.([]any)
			theirs, _ := inline[verb].([]any)
			both[verb] = slices.Concat(theirs, mine)
		}
		joined[platform] = both
	}
	return joined
}

// warning describes what is wrong with a file, and the consequence. The caller holds its lock.
func (o *operatorFile) warning() string {
	return OneLine(errors.New(o.fault)) + "; the whole file is left out, and the built-in list decides until it is mended"
}

// warnings are what is wrong with the files.
func (f *operatorFiles) warnings() []string {
	var found []string
	for _, file := range f.files {
		file.mu.Lock()
		if file.fault != "" {
			found = append(found, file.key+".file: "+file.warning())
		}
		for _, notice := range file.notices {
			found = append(found, file.key+".file: "+notice)
		}
		file.mu.Unlock()
	}
	if refusal := f.refusal(); refusal != "" {
		found = append(found, refusal)
	}
	inline := f.checkInline()
	return slices.Concat(found, inline.warnings, inline.notices)
}

// checkInline checks the safe verbs of the settings once after each load, since a file may declare
// their programs.
func (f *operatorFiles) checkInline() *inlineFindings {
	loads := f.loads.Load()
	if known := f.checked.Load(); known != nil && known.loads == loads {
		return known
	}
	found := &inlineFindings{loads: loads}
	if len(f.inline) > 0 {
		if base, err := f.tables(); err == nil { // the policy doesn't load without them
			verbs := f.withPrograms()
			found.warnings, found.notices = inlineWarnings(base, verbs), inlineNotices(base, verbs)
		}
	}
	f.checked.Store(found)
	return found
}

// inlineNotices names the safe verbs of the settings that may change something.
func inlineNotices(base *extract.Base, verbs map[string]any) []string {
	found, err := formNotices(base, verbs)
	if err != nil {
		return []string{err.Error()}
	}
	texts := make([]string, len(found))
	for i, one := range found {
		texts[i] = "safe_verbs." + one.entry + ": " + one.message
	}
	return texts
}

// withPrograms are the safe verbs of the settings beside the programs that the file declares.
func (f *operatorFiles) withPrograms() map[string]any {
	verbs := maps.Clone(f.inline)
	for _, file := range f.files {
		if programs, there := file.program(); there {
			verbs["programs"] = programs
		}
	}
	return verbs
}

// inlineWarnings names the safe verbs of the settings that no call can match.
func inlineWarnings(base *extract.Base, verbs map[string]any) []string {
	var refused *argv.EntryError
	if errors.As(base.CheckAdditions(map[string]any{"safe_verbs": verbs}), &refused) {
		return []string{"safe_verbs." + refused.Entry + ": " + refused.Message + "; no call matches this form"}
	}
	return nil
}

// program are the programs that a file declares.
func (o *operatorFile) program() (programs any, there bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	programs, there = o.values["programs"]
	return programs, there
}

// checks report the result for each file.
func (f *operatorFiles) checks() []server.Check {
	checks := make([]server.Check, 0, len(f.files))
	for _, file := range f.files {
		file.mu.Lock()
		check := server.Check{Name: file.key, OK: file.fault == "", Detail: file.path + " is in force"}
		if !check.OK {
			check.Detail = file.warning()
		}
		file.mu.Unlock()
		checks = append(checks, check)
	}
	if refusal := f.refusal(); refusal != "" {
		checks = append(checks, server.Check{Name: "safe_verbs", Detail: refusal})
	}
	if inline := f.checkInline(); len(inline.warnings) > 0 {
		checks = append(checks, server.Check{Name: "safe_verbs", Detail: strings.Join(inline.warnings, "; ")})
	}
	return checks
}

// CheckInlineForms refuses safe verbs of the settings that can never be safe.
func CheckInlineForms(settings map[string]any) error {
	verbs, _ := settings["safe_verbs"].(map[string]any)
	for _, platform := range slices.Sorted(maps.Keys(verbs)) {
		table, _ := verbs[platform].(map[string]any)
		for _, verb := range slices.Sorted(maps.Keys(table)) {
			forms, _ := table[verb].([]any)
			for i, one := range forms {
				form := safeForm(one)
				if err := form.Check(fmt.Sprintf("safe_verbs.%s.%s[%d]", platform, verb, i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// safeForm decodes a form whose shape was checked.
func safeForm(value any) *argv.SafeForm {
	members, _ := value.(map[string]any)
	texts := func(key string) map[string]string {
		given, there := members[key].(map[string]any)
		if !there {
			return nil
		}
		read := make(map[string]string, len(given))
		for name, kind := range given {
			read[name] = fmt.Sprint(kind)
		}
		return read
	}
	readsOnly, _ := members["reads_only"].(bool)
	return &argv.SafeForm{Form: texts("form"), Needs: texts("needs"), ReadsOnly: readsOnly}
}
