package bundles

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	v1 "policyd/api/v1"
)

// accountQuery evaluates all sets of the rules, and not the decision.
const accountQuery = `x = {
	"deny": data.policyd.rules.deny | {finding | some finding in data.site[_].deny},
	"prompt": data.policyd.rules.prompt | {finding | some finding in data.site[_].prompt},
	"cover": data.policyd.rules.cover | {pair | some pair in data.site[_].cover},
	"missing": {entry | some entry in data.policyd.explain.missing},
}`

// account is the result of accountQuery.
type account struct {
	Deny    []spoken    `json:"deny"`
	Prompt  []spoken    `json:"prompt"`
	Cover   [][2]any    `json:"cover"`
	Missing []missingOf `json:"missing"`
}

type spoken struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Item    int    `json:"item"`
}

type missingOf struct {
	Item int    `json:"item"`
	Text string `json:"text"`
}

// Account evaluates the rules once more and returns those that applied, with their positions. It costs many
// times a judgement, and is for people. A rule that fails is an error, as in Judge.
func (s *Snapshot) Account(ctx context.Context, in *v1.Input) (*v1.Account, error) {
	input, err := s.words.inputTerm(in)
	if err != nil {
		return nil, fmt.Errorf("write input: %w", err)
	}
	body, err := ast.ParseBodyWithOpts(accountQuery, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, fmt.Errorf("parse query: %w", err)
	}
	query, err := s.compiler.QueryCompiler().Compile(body)
	if err != nil {
		return nil, fmt.Errorf("compile query: %w", err)
	}
	trace := &ruleTrace{matched: map[*ast.Rule]bool{}}
	until := &deadline{}
	until.start(ctx, s.deadline)
	var result *ast.Term
	err = topdown.NewQuery(query).
		WithCompiler(s.compiler).WithStore(s.store).WithTransaction(s.txn).WithInput(input).WithCancel(until).
		WithQueryTracer(trace).WithStrictBuiltinErrors(true).
		Iter(ctx, func(found topdown.QueryResult) error {
			result = found[resultVar]
			return nil
		})
	if err != nil {
		return nil, s.codedEvaluation(ctx, err)
	}
	if result == nil {
		return nil, coded(CodePolicyUndefined, "evaluate policy: what the rules say is undefined")
	}
	var read account
	if err := convert(result, &read); err != nil {
		return nil, fmt.Errorf("read what the rules say: %w", err)
	}
	return s.summarize(&read, trace), nil
}

// convert turns a term of sets and objects into Go values.
func convert(term *ast.Term, out any) error {
	value, err := ast.JSON(term.Value)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// ruleTrace collects every rule whose body was true.
type ruleTrace struct{ matched map[*ast.Rule]bool }

var _ topdown.QueryTracer = (*ruleTrace)(nil)

// Enabled implements topdown.QueryTracer.
func (*ruleTrace) Enabled() bool { return true }

// Config implements topdown.QueryTracer.
func (*ruleTrace) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent implements topdown.QueryTracer.
func (t *ruleTrace) TraceEvent(event topdown.Event) {
	if rule, isRule := event.Node.(*ast.Rule); isRule && event.Op == topdown.ExitOp {
		t.matched[rule] = true
	}
}

// summarize joins the results with the rules that made them.
func (s *Snapshot) summarize(read *account, trace *ruleTrace) *v1.Account {
	said := &v1.Account{Missing: map[int][]string{}}
	for _, part := range []struct {
		says     string
		findings []spoken
	}{{"deny", read.Deny}, {"prompt", read.Prompt}, {"cover", coversAsFindings(read.Cover)}} {
		for _, rule := range groupByRule(part.findings) {
			rule.Says = part.says
			said.Rules = append(said.Rules, s.place(rule, trace)...)
		}
	}
	slices.SortStableFunc(said.Rules, func(a, b v1.SpokenRule) int {
		return cmp.Or(cmp.Compare(slices.Index(speaking, a.Says), slices.Index(speaking, b.Says)),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Row, b.Row))
	})
	for _, entry := range read.Missing {
		said.Missing[entry.Item] = append(said.Missing[entry.Item], entry.Text)
	}
	for _, texts := range said.Missing {
		slices.Sort(texts)
	}
	return said
}

// speaking is the order of rules in an account: that of their precedence.
var speaking = []string{"deny", "prompt", "cover"}

func coversAsFindings(pairs [][2]any) []spoken {
	findings := make([]spoken, 0, len(pairs))
	for _, pair := range pairs {
		item, isNumber := pair[0].(float64)
		rule, isText := pair[1].(string)
		if isNumber && isText {
			findings = append(findings, spoken{Rule: rule, Item: int(item)})
		}
	}
	return findings
}

// groupByRule makes one rule of all findings under its id.
func groupByRule(findings []spoken) []v1.SpokenRule {
	var rules []v1.SpokenRule
	at := map[string]int{}
	for _, finding := range findings {
		index, known := at[finding.Rule]
		if !known {
			index = len(rules)
			at[finding.Rule] = index
			rules = append(rules, v1.SpokenRule{Rule: finding.Rule, Items: []int{}, Messages: []string{}})
		}
		rule := &rules[index]
		if finding.Item >= 0 && !slices.Contains(rule.Items, finding.Item) {
			rule.Items = append(rule.Items, finding.Item)
		}
		if finding.Message != "" && !slices.Contains(rule.Messages, finding.Message) {
			rule.Messages = append(rule.Messages, finding.Message)
		}
	}
	for i := range rules {
		slices.Sort(rules[i].Items)
		slices.Sort(rules[i].Messages)
	}
	return rules
}

// place returns the clauses of a rule that applied: one entry each, since one file can have several. A rule
// whose id is not in its metadata has no position.
func (s *Snapshot) place(rule v1.SpokenRule, trace *ruleTrace) []v1.SpokenRule {
	var placed []v1.SpokenRule
	for clause := range trace.matched {
		if !adds(clause, rule.Says) {
			continue
		}
		annotations := s.annotationsOf(clause)
		if annotations == nil || annotations.Custom["id"] != rule.Rule {
			continue
		}
		entry := rule
		entry.Title = annotations.Title
		entry.Remedy, _ = annotations.Custom["remedy"].(string)
		if clause.Location != nil {
			entry.File, entry.Row = clause.Location.File, clause.Location.Row
		}
		placed = append(placed, entry)
	}
	if len(placed) == 0 {
		return []v1.SpokenRule{rule}
	}
	return placed
}

// adds reports whether a clause adds to the set of that name, in the built-in
// rules or an operator's.
func adds(clause *ast.Rule, set string) bool {
	if clause.Module == nil || ruleNameOf(clause) != set {
		return false
	}
	path := clause.Module.Package.Path.String()
	return path == "data.policyd.rules" || strings.HasPrefix(path, "data."+siteRoot+".")
}

func ruleNameOf(rule *ast.Rule) string {
	if ref := rule.Head.Ref(); len(ref) > 0 {
		if name, isVar := ref[0].Value.(ast.Var); isVar {
			return string(name)
		}
	}
	return ""
}

// annotationsOf are those right above a clause.
func (s *Snapshot) annotationsOf(clause *ast.Rule) *ast.Annotations {
	set := s.compiler.GetAnnotationSet()
	if set == nil {
		return nil
	}
	for _, annotations := range set.GetRuleScope(clause) {
		return annotations
	}
	return nil
}
