package git

import (
	"strings"
)

// traits are what a repository's configuration says of the repository.
type traits struct {
	objectSize int
	promisor   bool
	hooksPaths []string
	workTree   string
	hasTree    bool
	lazy       []setting // count only if git may fetch
	files      []string  // that git reads, and whose lines it may print
}

const (
	sha1Size   = 20
	sha256Size = 32
)

// judgeSettings holds every setting of one file to the table. All values count,
// not only the last: which one git uses can change with the order of files.
func (in *inspection) judgeSettings(file string, settings []setting, t *traits) error {
	for _, s := range settings {
		c := in.table.classOf(s)
		if c == classInclude {
			return refuse(CodeConfigInclude, s.name()+" in "+file)
		}
		if !in.record(c, s, t) && !in.harmless(c, s, t) {
			return refuse(CodeConfigKey, s.name()+" in "+file)
		}
	}
	return nil
}

// record takes the settings that describe the repository.
func (in *inspection) record(c class, s setting, t *traits) bool {
	switch c {
	case classObjectFormat:
		switch s.value {
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
		t.files = append(t.files, s.value)
	case classHooksPath:
		t.hooksPaths = append(t.hooksPaths, s.value)
	case classWorkTree:
		if t.hasTree && t.workTree != s.value {
			return false
		}
		t.workTree, t.hasTree = s.value, true
	default:
		return false
	}
	return true
}

func (in *inspection) harmless(c class, s setting, t *traits) bool {
	switch c {
	case classHarmless:
		return true
	case classFilter, classSignature:
		return in.table.allows(c, s.value) || !in.runs.fires(c)
	case classDiff, classTextconv, classLFS, classMerge:
		return !in.runs.fires(c)
	case classNetwork:
		t.lazy = append(t.lazy, s)
		return in.runs.reader
	case classTool:
		return in.runs.reader
	case classRemoteURL:
		if knownTransport(s.value) {
			return true
		}
		t.lazy = append(t.lazy, s)
		return in.runs.reader
	case classAlias:
		return in.runs.reader && !strings.EqualFold(aliasName(s), in.runs.verb)
	case classMonitor:
		return isBoolean(s)
	case classPager:
		return isBoolean(s) || plainPager(s.value)
	case classOff:
		return isBoolean(s) && isFalse(s.value) && s.hasValue
	case classSubmoduleFormat, classSubmoduleUpdate:
		return in.table.allows(c, s.value)
	default:
		return false
	}
}

func aliasName(s setting) string {
	if s.hasSubsection {
		return s.subsection
	}
	return s.key
}

func isBoolean(s setting) bool {
	if !s.hasValue || isFalse(s.value) {
		return true
	}
	switch strings.ToLower(s.value) {
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
