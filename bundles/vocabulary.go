package bundles

import (
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// vocabulary has the terms that inputs and results share. Building a term costs two allocations and a hash;
// nearly every key and half of the values come from here. Except for its pool it is immutable: all judgements
// share the terms.
type vocabulary struct {
	words map[string]*ast.Term
	// builders pools unused *inputBuilder.
	builders sync.Pool
	// singles are the sets of one word, most of all that sets are.
	singles map[string]*ast.Term

	names inputNames
	// line has the names of the members of v1.LineFacts.
	line []*ast.Term
	// untold is the line of most calls: of those that have one command.
	untold *ast.Term
	// noMethod is the method of calls that aren't ACP methods.
	noMethod *ast.Term
	// The keys of each kind of result object, in the order in which they are read.
	decision, reason, route, rpcError, rpcData, duty []*ast.Term
}

func newVocabulary() *vocabulary {
	w := &vocabulary{words: map[string]*ast.Term{}, singles: map[string]*ast.Term{}}
	w.names = w.inputNames()
	w.line = w.terms("told", "touches", "caveats", "forms")
	w.untold = ast.NewTerm(w.lineObject(false, ast.InternedEmptyObject, ast.InternedEmptyObject, ast.InternedEmptyObject))

	w.decision = w.terms("effect", "reasons", "covered", "uncovered", "choices", "hint", "refusal_hint", "route", "jsonrpc_error", "obligations")
	w.duty = w.terms("kind", "profile", "reads")
	w.reason = w.terms("rule", "code", "effect", "message", "item")
	w.route = w.terms("mode", "peer", "select")
	w.rpcError = w.terms("code", "message", "data")
	w.rpcData = w.terms("namespace", "mode", "method", "reason")

	w.terms(commonWords()...)
	for _, op := range operations() {
		for _, space := range spaces() {
			w.terms(op + "." + space)
		}
	}
	w.noMethod = ast.NewTerm((&inputBuilder{vocabulary: w}).methodFactsObject(&v1.MethodFacts{}))
	for word, term := range w.words {
		w.singles[word] = ast.ObjectTerm([2]*ast.Term{term, ast.InternedBooleanTrue})
	}
	return w
}

// terms interns words, and returns their terms in order.
func (w *vocabulary) terms(words ...string) []*ast.Term {
	terms := make([]*ast.Term, len(words))
	for i, word := range words {
		term, known := w.words[word]
		if !known {
			term = ast.StringTerm(word)
			w.words[word] = term
		}
		terms[i] = term
	}
	return terms
}

func operations() []string {
	return []string{v1.OpRead, v1.OpWrite, v1.OpDelete, v1.OpExecute, v1.OpList}
}

func spaces() []string {
	return []string{
		v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantRead, v1.SpaceGrantReadWrite, v1.SpaceRepository, v1.SpaceReadAlso,
		v1.SpaceNone, v1.SpaceOutside, v1.SpaceUnknown,
	}
}

// commonWords are values that calls repeat. A missing word costs time, and nothing else.
func commonWords() []string {
	words := []string{
		"", "linux", "darwin", "windows", "acp", "mcp", "bash",
		string(v1.AudiencePersonal), string(v1.AudienceTeam), string(v1.AudiencePublic),
		v1.ItemCommand, v1.ItemPath, v1.ItemTool, v1.ItemMethod, v1.ItemFetch,
		"claude-code", "codex", "gemini-cli", "cursor", "copilot-cli", "opencode", "Bash", "Read", "Write", "Edit",
		"secret", "secret_directory", "protected", "protected_always", "delete_allow", "sensitive", "environment",
		"unknown_program", "unknown_option", "dynamic_word", "dynamic_option", "named_by_path", "named_by_system_path",
		"privileged", "assigns", "executes", "inner", "inline_code", "runs_anything", "network", "reads_environment",
		"secret_variable", "secret_in_commits", "reaches_secret", "secret_excludable", "reaches_outside", "reaches_unknown", "cwd_unknown", "shallow", "sensitive_directory", "protected_directory",
		"git_untrusted", "project_chooses_program", "line_chooses_program", "line_changes_repository", "own_program", "own_address",
		"exists", "missing", "directory", "hard_link", "invisible", "error", "device", "glob", "tree",
		"<file>", "<pattern>", "<word>", "none", "value", "number", "mixed",
		"cd", "echo", "ls", "cat", "head", "tail", "grep", "find", "git status", "git diff", "git log",
	}
	words = append(words, operations()...)
	return append(words, spaces()...)
}
