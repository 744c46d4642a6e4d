package git

import (
	"strings"

	"policyd/extract/git/syntax"
)

// traits are what a repository's configuration says of the repository.
type traits struct {
	objectSize int
	promisor   bool
	hooksPaths []string
	workTree   string
	hasTree    bool
	lazy       []syntax.Setting // count only if git may fetch
	files      []string         // that git reads, and whose lines it may print
}

const (
	sha1Size   = 20
	sha256Size = 32
)

// judgeSettings holds every setting of one file to the table. All values count,
// not only the last: which one git uses can change with the order of files.
func (in *inspection) judgeSettings(file string, settings []syntax.Setting, t *traits) error {
	for _, s := range settings {
		c := in.table.classOf(s)
		if c == classInclude {
			return refuse(CodeConfigInclude, s.Name()+" in "+file)
		}
		if !in.record(c, s, t) && !in.harmless(c, s, t) {
			return refuse(CodeConfigKey, s.Name()+" in "+file)
		}
	}
	return nil
}

// record takes the settings that describe the repository.
func (in *inspection) record(c class, s syntax.Setting, t *traits) bool {
	switch c {
	case classObjectFormat:
		switch s.Value {
		case "sha1":
			t.objectSize = sha1Size
		case "sha256":
			t.objectSize = sha256Size
		default:
			return false
		}
	case classPromisor:
		t.promisor = true
	case classFile:
		t.files = append(t.files, s.Value)
	case classHooksPath:
		t.hooksPaths = append(t.hooksPaths, s.Value)
	case classWorkTree:
		if t.hasTree && t.workTree != s.Value {
			return false
		}
		t.workTree, t.hasTree = s.Value, true
	default:
		return false
	}
	return true
}

func (in *inspection) harmless(c class, s syntax.Setting, t *traits) bool {
	switch c {
	case classHarmless:
		return true
	case classFilter, classSignature:
		return in.table.allows(c, s.Value) || !in.runs.fires(c)
	case classDiff, classTextconv, classLFS, classMerge:
		return !in.runs.fires(c)
	case classNetwork:
		t.lazy = append(t.lazy, s)
		return in.runs.reader
	case classTool:
		return in.runs.reader
	case classRemoteURL:
		if knownTransport(s.Value) {
			return true
		}
		t.lazy = append(t.lazy, s)
		return in.runs.reader
	case classAlias:
		return in.runs.reader && !strings.EqualFold(aliasName(s), in.runs.verb)
	case classMonitor:
		return isBoolean(s)
	case classPager:
		return isBoolean(s) || plainPager(s.Value)
	case classOff:
		return isBoolean(s) && isFalse(s.Value) && s.HasValue
	case classSubmoduleFormat, classSubmoduleUpdate:
		return in.table.allows(c, s.Value)
	default:
		return false
	}
}

func aliasName(s syntax.Setting) string {
	if s.HasSubsection {
		return s.Subsection
	}
	return s.Key
}

func isBoolean(s syntax.Setting) bool {
	if !s.HasValue || isFalse(s.Value) {
		return true
	}
	switch strings.ToLower(s.Value) {
	case "true", "yes", "on", "1":
		return true
	default:
		return false
	}
}

func isFalse(value string) bool {
	switch strings.ToLower(value) {
	case "false", "no", "off", "0", "":
		return true
	default:
		return false
	}
}

// plainPager accepts cat, and less with options that name no file: some of
// less's long and capital options read key files or write logs.
func plainPager(value string) bool {
	words := strings.Fields(value)
	if len(words) == 0 || len(words) == 1 && words[0] == "cat" {
		return true
	}
	if words[0] != "less" {
		return false
	}
	for _, word := range words[1:] {
		letters, dashed := strings.CutPrefix(word, "-")
		if !dashed || letters == "" || strings.Trim(letters, "EeFIiKMmNRSX") != "" {
			return false
		}
	}
	return true
}

// knownTransport accepts the transports that are git's own. "helper::address"
// and unknown schemes name a program.
func knownTransport(url string) bool {
	if strings.Contains(url, "::") || strings.HasPrefix(url, "-") {
		return false
	}
	scheme, _, hasScheme := strings.Cut(url, "://")
	if !hasScheme {
		return true
	}
	switch scheme {
	case "http", "https", "git", "ssh", "git+ssh", "ssh+git", "file", "ftp", "ftps":
		return true
	default:
		return false
	}
}
