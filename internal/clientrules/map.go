package clientrules

import (
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/shellquote"
)

// Outcome is the result for a rule.
type Outcome string

// Outcomes of rules.
const (
	Maps     Outcome = "maps"
	Narrower Outcome = "maps narrower"
	None     Outcome = "doesn't map"
)

// Mapped is a rule and its result.
type Mapped struct {
	Rule
	Outcome Outcome `json:"result"`
	// Note states why a rule doesn't map, or what an approval leaves out.
	Note string `json:"note,omitempty"`
	// Approval is nil for a rule that doesn't map.
	Approval *v1.ApprovalRequest `json:"approval,omitempty"`
}

// Command is what a command line is to policyd.
type Command struct {
	Verb string
	// Risks are those that its options cause.
	Risks []string
	// RunsAnything is true if the verb runs its operands as commands.
	RunsAnything bool
	// Operand is true if the words after the verb are an operand or a target.
	Operand bool
}

// Commands reads command lines. ok is false unless a line is one command that an
// approval could name.
type Commands func(line string) (command Command, ok bool)

// Options are what rules are mapped with.
type Options struct {
	// Project is the directory of project rules; empty without one.
	Project  string
	Commands Commands
	// Agent, Audience and By are those of the approvals.
	Agent, By string
	Audience  v1.Audience
}

// probe is a word that no program has as a subcommand.
const probe = "policyd-probe"

// Map returns the result for each rule. rules must be all rules that the program reads.
func Map(rules []Rule, options Options) []Mapped {
	m := &mapper{rules: rules, options: options}
	out := make([]Mapped, len(rules))
	for i := range rules {
		out[i] = Mapped{Rule: rules[i], Outcome: None}
		m.one(&out[i])
	}
	return out
}

type mapper struct {
	rules   []Rule
	options Options
}

func (m *mapper) one(out *Mapped) {
	switch {
	case out.inert:
		out.Note = "a later rule for the same pattern replaces it"
	case out.Effect == Deny:
		out.Note = m.instead(&out.Rule)
	case out.Effect == Ask:
		out.Note = "policyd prompts for what nothing covers; for a prompt despite approvals write a prompt rule in Rego (docs/bundles.md)"
	case out.unfit != "":
		out.Note = out.unfit
	case out.kind == shell:
		m.shell(out)
	case out.kind == mcp, out.kind == fetch:
		m.anywhere(out)
	case out.kind == file:
		out.Note = "files in the project follow policyd's own rules; for a directory outside use policyd grants add"
	default:
		out.Note = "it allows a whole tool; an approval is for one verb, host or MCP tool"
	}
}

// instead states what to write in place of a rule that denies.
func (m *mapper) instead(r *Rule) string {
	if len(r.words) == 0 && r.kind != file || r.kind == mcp {
		return fmt.Sprintf("deny the tool with agents.%s.deny_tools in the settings", m.options.Agent)
	}
	return "an approval denies nothing; write it as a deny rule in Rego (docs/bundles.md)"
}

// place is the directory of approvals for a rule, nil for anywhere.
func (m *mapper) place(r *Rule) *string {
	if !r.project {
		return nil
	}
	return &m.options.Project
}

func (m *mapper) anywhere(out *Mapped) {
	tool, verb := out.approvalOf()
	switch blocker := m.blocker(&out.Rule, nil, nil); {
	case out.project:
		out.Note = "it holds in one project, and an approval of an MCP tool or host holds anywhere"
	case blocker != nil:
		out.Note = beaten(blocker)
	default:
		out.Outcome, out.Approval = Maps, m.approval(tool, verb, nil, nil)
	}
}

func (m *mapper) approval(tool, verb string, risks []string, directory *string) *v1.ApprovalRequest {
	return &v1.ApprovalRequest{
		Audience: m.options.Audience, Agent: m.options.Agent, Tool: tool, Verb: verb, Directory: directory, Risks: risks, By: m.options.By,
	}
}

func (m *mapper) shell(out *Mapped) {
	if len(out.words) == 0 {
		out.Note = "it allows every command; policyd approves one verb at a time"
		return
	}
	command, ok := m.options.Commands(strings.Join(out.words, " "))
	if !ok {
		out.Note = "it names no single program by its name; answer when policyd prompts for it"
		return
	}
	verb := strings.Fields(command.Verb)
	carrier := m.carrier(&out.Rule, verb)
	if carrier == nil {
		out.Note = tooWide(&out.Rule, &command)
		return
	}
	if blocker := m.blocker(carrier, verb, command.Risks); blocker != nil {
		out.Note = beaten(blocker)
		return
	}
	out.Outcome, out.Note = Maps, ""
	directory := m.place(&out.Rule)
	if !m.wholeVerb(out, &command) || !m.bound(out, &command, &directory) {
		return
	}
	out.Approval = m.approval(v1.ToolShell, command.Verb, command.Risks, directory)
}

// carrier is the strongest rule that allows every argument of a verb, wherever r applies; nil if there is
// none.
func (m *mapper) carrier(r *Rule, verb []string) *Rule {
	var found *Rule
	for i := range m.rules {
		known := &m.rules[i]
		if known.Effect != Allow || known.kind != shell || known.inert || known.project && !r.project || !known.covers(verb) {
			continue
		}
		if found == nil || known.rank > found.rank {
			found = known
		}
	}
	return found
}

// tooWide states what an approval of the verb would allow beyond the rule.
func tooWide(r *Rule, command *Command) string {
	entry := v1.ApprovalEntry{Verb: command.Verb, Risks: command.Risks}
	words, _ := strings.CutSuffix(entry.Words(), " anywhere")
	text := "an approval covers " + command.Verb + " with any operands, which is more than the rule"
	if !r.open {
		text = "it is for one exact line, and an approval covers " + command.Verb + " with any operands"
	}
	return text + "; if that is meant: policyd approvals trust-verb " + shellquote.Join([]string{words}) + " --dir DIR"
}

// wholeVerb refuses rules for a program whose next word is part of the verb.
func (m *mapper) wholeVerb(out *Mapped, command *Command) bool {
	longer, ok := m.options.Commands(command.Verb + " " + probe)
	if !ok || longer.Verb == command.Verb || !slices.Equal(out.words, strings.Fields(command.Verb)) {
		if out.glued {
			out.Outcome, out.Note = Narrower, "only "+command.Verb+", not other words that begin so"
		}
		return true
	}
	if !longer.Operand || command.RunsAnything {
		out.Outcome = None
		out.Note = "no approval covers every verb of " + command.Verb + "; each is approved by itself: policyd approvals trust-verb " + shellquote.Join([]string{command.Verb + " VERB"})
		return false
	}
	out.Outcome, out.Note = Narrower, "only "+command.Verb+" alone; a target behind it is approved by itself"
	return true
}

// bound keeps verbs that run anything to the project.
func (m *mapper) bound(out *Mapped, command *Command, directory **string) bool {
	if !command.RunsAnything || *directory != nil {
		return true
	}
	if m.options.Project == "" {
		out.Outcome = None
		out.Note = command.Verb + " runs anything, so it is not approved anywhere; --project DIR approves it in one directory"
		return false
	}
	*directory = &m.options.Project
	out.Outcome, out.Note = Narrower, "only in the project: "+command.Verb+" runs anything"
	return true
}

// blocker is a rule that asks about or denies a call that an approval would allow, nil if there is none.
func (m *mapper) blocker(r *Rule, verb, risks []string) *Rule {
	for i := range m.rules {
		against := &m.rules[i]
		if against.Effect == Allow || against.inert || against.rank < r.rank {
			continue
		}
		if m.meets(against, r, verb, risks) {
			return against
		}
	}
	return nil
}

func (m *mapper) meets(against, r *Rule, verb, risks []string) bool {
	switch {
	case against.kind == every:
		return true
	case against.kind != r.kind:
		return false
	case r.kind != shell:
		return against.beginsLike(r.words)
	case len(against.words) == 0:
		return true
	}
	command, ok := m.options.Commands(strings.Join(against.words, " "))
	own := strings.Fields(command.Verb)
	if !ok || slices.Equal(own, against.words) {
		return against.beginsLike(verb)
	}
	// The rule has options or operands. Policyd accepts options before the verb, too, and a risk that isn't
	// in the approval excludes other lines.
	shorter := min(len(own), len(verb))
	return slices.Equal(own[:shorter], verb[:shorter]) &&
		!slices.ContainsFunc(command.Risks, func(risk string) bool { return !slices.Contains(risks, risk) })
}

func beaten(by *Rule) string {
	verb := "denies"
	if by.Effect == Ask {
		verb = "asks about"
	}
	return fmt.Sprintf("%s (%s:%d) %s some of it", by.Text, by.File, by.Line, verb)
}
