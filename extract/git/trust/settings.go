package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

const maxConfigBytes = 1 << 20

// traits are what a repository's configuration holds of the repository.
type traits struct {
	hashSize   int
	promisor   bool
	hooksPaths []string
	workTree   string
	hasTree    bool
	lazy       []syntax.Setting // count only if git may fetch
	files      []string         // that git reads, and whose lines it may print
}

// settings reads configuration files for one command, and sums up what is in force.
type settings struct {
	probe       *probe
	table       *keyTable
	runs        runs
	effects     Effects
	formats     syntax.PrettyFormats
	credentials []string
}

// ofRepository judges the configuration of a repository.
func (c *settings) ofRepository(place repository) (*traits, error) {
	t := &traits{hashSize: object.SHA1Size}
	for _, file := range []string{filepath.Join(place.commonDir, "config"), filepath.Join(place.gitDir, "config.worktree")} {
		settings, err := c.read(file)
		if err != nil {
			return nil, err
		}
		if err := c.judge(file, settings, t); err != nil {
			return nil, err
		}
	}
	if t.promisor && len(t.lazy) > 0 {
		return nil, refuse(CodeConfigKey, t.lazy[0].Name()+" with a partial clone")
	}
	return t, nil
}

func (c *settings) read(file string) ([]syntax.Setting, error) {
	content, err := c.probe.read(file, maxConfigBytes)
	if err != nil {
		return nil, err
	}
	settings, err := syntax.ParseConfig(content)
	if err != nil {
		return nil, refuse(CodeConfigSyntax, file+": "+err.Error())
	}
	c.credentials = append(c.credentials, credentials(settings)...)
	c.effects |= EffectsOf(settings)
	for _, s := range settings {
		c.formats.Add(s)
	}
	return settings, nil
}

// judge holds every setting of one file to the table. All values count,
// not only the last: which one git uses can change with the order of files.
func (c *settings) judge(file string, settings []syntax.Setting, t *traits) error {
	for _, s := range settings {
		class := c.table.classOf(s)
		if class == classInclude {
			return refuse(CodeConfigInclude, s.Name()+" in "+file)
		}
		if !t.record(class, s) && !c.harmless(class, s, t) {
			return refuse(CodeConfigKey, s.Name()+" in "+file)
		}
	}
	return nil
}

// hashSizes are the values of extensions.objectFormat.
var hashSizes = map[string]int{"sha1": object.SHA1Size, "sha256": object.SHA256Size}

// record takes the settings that describe the repository.
func (t *traits) record(c class, s syntax.Setting) bool {
	switch c {
	case classObjectFormat:
		size, known := hashSizes[s.Value]
		if !known {
			return false
		}
		t.hashSize = size
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

// rule is when settings of a class make git run nothing: with values of the table, and with those
// that it accepts. Others are harmless if the subcommand doesn't use the class.
type rule struct {
	accepts func(s syntax.Setting, r runs) bool
	// always is true if every subcommand uses the class.
	always bool
	// fetches is true if git uses the class when it fetches, which a partial clone may make it do.
	fetches bool
}

// rules has no row for what is unknown, or judged elsewhere: that is never harmless.
var rules = map[class]rule{
	classHarmless:        {accepts: func(syntax.Setting, runs) bool { return true }},
	classDiff:            {},
	classTextconv:        {},
	classFilter:          {},
	classLFS:             {},
	classMerge:           {},
	classSignature:       {},
	classTool:            {},
	classNetwork:         {fetches: true},
	classRemoteURL:       {accepts: hasKnownTransport, fetches: true},
	classAlias:           {accepts: isOtherAlias, always: true},
	classMonitor:         {accepts: isBoolean, always: true},
	classPager:           {accepts: isKnownPager, always: true},
	classOff:             {accepts: isOff, always: true},
	classSubmoduleFormat: {always: true},
	classSubmoduleUpdate: {always: true},
}

func (c *settings) harmless(class class, s syntax.Setting, t *traits) bool {
	rule, known := rules[class]
	if !known {
		return false
	}
	if c.table.allows(class, s.Value) || rule.accepts != nil && rule.accepts(s, c.runs) {
		return true
	}
	if rule.fetches {
		t.lazy = append(t.lazy, s)
	}
	return !rule.always && !c.runs.fires(class)
}

// isOtherAlias reports whether an alias isn't what a reader runs.
func isOtherAlias(s syntax.Setting, r runs) bool {
	name := s.Key
	if s.HasSubsection {
		name = s.Subsection
	}
	return r.reader && !strings.EqualFold(name, r.verb)
}

func isBoolean(s syntax.Setting, _ runs) bool {
	return !s.HasValue || isFalse(s.Value) || isOneOf("true", "yes", "on", "1")(s)
}

func isOff(s syntax.Setting, _ runs) bool { return s.HasValue && isFalse(s.Value) }

func isFalse(value string) bool {
	return slices.Contains([]string{"false", "no", "off", "0", ""}, strings.ToLower(value))
}

// isKnownPager accepts booleans, cat, and less with options that name no file: some of
// less's long and capital options read key files or write logs.
func isKnownPager(s syntax.Setting, r runs) bool {
	words := strings.Fields(s.Value)
	if isBoolean(s, r) || len(words) == 0 || len(words) == 1 && words[0] == "cat" {
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

// hasKnownTransport accepts the transports that are git's own. "helper::address"
// and unknown schemes name a program.
func hasKnownTransport(s syntax.Setting, _ runs) bool {
	if strings.Contains(s.Value, "::") || strings.HasPrefix(s.Value, "-") {
		return false
	}
	scheme, _, hasScheme := strings.Cut(s.Value, "://")
	known := []string{"http", "https", "git", "ssh", "git+ssh", "ssh+git", "file", "ftp", "ftps"}
	return !hasScheme || slices.Contains(known, scheme)
}
