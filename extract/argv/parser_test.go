package argv

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// testWord is a word of a line: "$x" is any text, "$1" digits, and "--a=$x" an option with a value of one word.
type testWord string

func (w testWord) Argument() Argument {
	text := string(w)
	option, value, attached := strings.Cut(text, "=")
	switch {
	case text == "$1":
		return Argument{Text: text, Class: Digits}
	case strings.HasPrefix(text, "$"):
		return Argument{Text: text, MayBeNone: true}
	case attached && strings.HasPrefix(value, "$"):
		return Argument{Text: text, Class: OneWord, Option: option}
	}
	return Argument{Text: text, Class: Literal}
}

// recorder is a Host that writes down what it receives.
type recorder struct {
	parser Parser[testWord]
	events []string
}

func (r *recorder) note(words ...string)                  { r.events = append(r.events, strings.Join(words, " ")) }
func (r *recorder) Literal(text string) testWord          { return testWord(text) }
func (r *recorder) Tail(_ testWord, text string) testWord { return testWord(text) }
func (r *recorder) Value(known Option, kind string, word testWord) {
	r.note(known.Canonical, kind, string(word))
	r.parser.Form.Put(known.Canonical, kind)
}
func (r *recorder) Single(testWord)            {}
func (r *recorder) Operand(*Program, testWord) {}
func (r *recorder) MayLead(word testWord) bool {
	return word.Argument().Class == AnyText || strings.HasPrefix(string(word), "-")
}
func (r *recorder) Unlisted(option string, _ []testWord)    { r.note("unlisted", option) }
func (r *recorder) AnyPath(word testWord)                   { r.note("path", string(word)) }
func (r *recorder) BothWays(program *Program, w []testWord) { r.parser.AsOptions(program, w) }

var _ Host[testWord] = (*recorder)(nil)

// parsed is what a line is parsed to.
type parsed struct {
	Events, Operands, Caveats []string
	Verb                      string
	Roles                     []string
}

// parseLine parses a line by the entry of its first word.
func parseLine(t *testing.T, platform, line string) parsed {
	t.Helper()
	var words []testWord
	for _, word := range strings.Fields(line) {
		words = append(words, testWord(word))
	}
	name := string(words[0])
	program := newTable(t).On(platform, name)
	require.NotNil(t, program, name)
	r := &recorder{}
	var form v1.Form
	var caveats v1.Set
	r.parser = Parser[testWord]{Host: r, Platform: platform, Form: &form, Caveats: &caveats, Words: words[1:]}
	out := parsed{Verb: name}
	for program != nil && program.Commands != nil {
		command := r.parser.Subcommand(program)
		if command.Name != "" {
			out.Verb += " " + command.Name
		}
		program = command.Entry
	}
	if program != nil {
		r.parser.Begin(program)
		r.parser.Parse(program)
		rule, _ := program.Rule(r.parser.Form.Has)
		roles, fits := rule.Assign(len(r.parser.Operands))
		for _, role := range roles {
			out.Roles = append(out.Roles, role.Label+":"+role.Kind)
		}
		if !fits {
			out.Roles = append(out.Roles, "?")
		}
	}
	for _, word := range r.parser.Operands {
		out.Operands = append(out.Operands, string(word))
	}
	out.Events, out.Caveats = r.events, caveats
	return out
}

func TestParse(t *testing.T) {
	for line, want := range map[string]parsed{
		"head -n5 a b":          {Verb: "head", Events: []string{"-n value 5"}, Operands: []string{"a", "b"}, Roles: []string{"<file>:read", "<file>:read"}},
		"head -5 a":             {Verb: "head", Events: []string{"-NUM none 5"}, Operands: []string{"a"}, Roles: []string{"<file>:read"}},
		"grep -rn x src":        {Verb: "grep", Operands: []string{"x", "src"}, Roles: []string{"<pattern>:pattern", "<file>:read"}},
		"grep -e x src":         {Verb: "grep", Events: []string{"-e pattern x"}, Operands: []string{"src"}, Roles: []string{"<file>:read"}},
		"grep --include=$x a b": {Verb: "grep", Events: []string{"--include value $x"}, Operands: []string{"a", "b"}, Roles: []string{"<pattern>:pattern", "<file>:read"}},
		"grep --unheard=a b": {
			Verb: "grep", Events: []string{"unlisted --unheard=a", "path --unheard=a"}, Operands: []string{"b"}, Caveats: []string{"unknown_option"}, Roles: []string{"<pattern>:pattern"},
		},
		"sed -n 1p a":            {Verb: "sed", Operands: []string{"1p", "a"}, Roles: []string{"<script>:sed", "<file>:read"}},
		"dd if=a of=b":           {Verb: "dd", Events: []string{"if read a", "of write b"}},
		"tar cf a.tar b":         {Verb: "tar", Events: []string{"-f archive a.tar"}, Operands: []string{"b"}, Roles: []string{"<source>:read"}},
		"git -C d log --oneline": {Verb: "git log", Events: []string{"-C dir d"}},
		"git --unheard x log":    {Verb: "git", Events: []string{"unlisted --unheard", "path --unheard"}, Caveats: []string{"unknown_option", UnknownCommand}},
		"git unheard a":          {Verb: "git unheard"},
	} {
		got := parseLine(t, "linux", line)
		assert.Equal(t, want, got, line)
	}
}

// BSD's getopt(3) ends the options at the first operand.
func TestOptionsBehindOperandsOnMacOS(t *testing.T) {
	assert.Empty(t, parseLine(t, "linux", "head a -n 5").Caveats)
	assert.Equal(t, []string{"a", "-n", "5"}, parseLine(t, "darwin", "head a -n 5").Operands)
}

func TestSubcommandsAreFound(t *testing.T) {
	table := newTable(t)
	for line, want := range map[string]Found{"log -1": Listed, "unheard": Unlisted, "--unheard log": Unclear, "$x": Unclear, "": Unnamed, "--no-pager": Unnamed} {
		r := &recorder{}
		r.parser = Parser[testWord]{Host: r, Form: &v1.Form{}, Caveats: &v1.Set{}}
		for _, word := range strings.Fields(line) {
			r.parser.Words = append(r.parser.Words, testWord(word))
		}
		assert.Equal(t, want, r.parser.Subcommand(table.Program("git")).Found, line)
	}
}

func TestRolesAreAssigned(t *testing.T) {
	role := func(text string) (r Role) {
		require.NoError(t, r.UnmarshalText([]byte(text)))
		return r
	}
	copies := OperandRule{Roles: []Role{role("source:read*"), role("target:write")}}
	for n, want := range map[int]string{0: "false", 1: "target true", 2: "source,target true", 4: "source,source,source,target true"} {
		roles, fits := copies.Assign(n)
		var names []string
		for _, r := range roles {
			names = append(names, r.Name)
		}
		got := strings.TrimSpace(strings.Join(names, ",") + map[bool]string{true: " true", false: " false"}[fits])
		assert.Equal(t, want, got, n)
	}
}
