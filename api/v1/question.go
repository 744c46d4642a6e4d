package v1

import "slices"

// Kinds of prompts, by what an answer does.
const (
	PromptKindCall      = "call"
	PromptKindAccess    = "access"
	PromptKindDirectory = "directory"
)

// Question is a question for a person. It becomes a Prompt when it is opened.
type Question struct {
	// Prompt has neither id nor times yet. Its state is pending, or delegated if a host's own dialog asks.
	Prompt Prompt
	Kind   string
	// Key digests what makes two questions the same within a session (A10).
	Key [32]byte
	// Scope is what a remembered answer would be remembered for.
	Scope PromptScope
	// Held is true if the caller holds its call for the answer. It ends with Prompts.Leave or Prompts.Unhold,
	// unless the prompt has ended.
	Held bool
	// Call and Caller are for judging the call again after a lasting answer to another prompt; nil for a
	// question without a call. Neither is changed.
	Call   *Call
	Caller Caller
}

// Digester digests a call: what makes two calls the same question (A10).
type Digester interface {
	Digest() [32]byte
}

// PromptScope is what an answer needs to know of the call and isn't shown.
type PromptScope struct {
	// Caller is the identity of the caller, empty for an operator.
	Caller   string   `json:"caller,omitempty"`
	Agent    string   `json:"agent"`
	Audience Audience `json:"audience"`
	// Tool is the tool kind.
	Tool  string       `json:"tool"`
	Items []PromptItem `json:"items"`
	// Project is the real path of the session's project; empty if answers can't be remembered for one.
	Project string `json:"project,omitempty"`
	// Roots are the directories outside that the call reads, as an answer would name them.
	Roots []string `json:"roots,omitempty"`
	// Worktrees are the directories in the main work tree that lasting answers are remembered for, by the
	// directories of items and project; empty if they are remembered as they are.
	Worktrees map[string]string `json:"worktrees,omitempty"`
	// Changes are the places outside that the call changes, as an answer would name them. A
	// remembered answer opens them, and Roots for reading, beside what it approves.
	Changes []string `json:"changes,omitempty"`
}

// PromptItem is one thing that a remembered answer would cover.
type PromptItem struct {
	Kind      string `json:"kind"`
	Verb      string `json:"verb"`
	Directory string `json:"directory"`
	// Shallow is true if the directory is too near its root to be remembered (V9).
	Shallow bool `json:"shallow"`
	// Risks are those of the command.
	Risks []string `json:"risks,omitempty"`
}

// Remembered returns what a choice saves: project tools; read access to each root; or one entry for each
// verb, with its risks and the directory. left are the items that it leaves out since their directory is too
// shallow (V9). An entry has only a tool, a verb, risks and a directory.
func (s *PromptScope) Remembered(choice string) (saved, left []ApprovalEntry) {
	switch choice {
	case ChoiceProject:
		return s.inMain(choice, s.projectTools()), nil
	case ChoiceReadChat, ChoiceReadHere:
		return s.inMain(choice, s.opened(choice, ToolReading, s.Roots)), nil
	}
	saved, left = s.verbs(choice)
	if len(s.Changes) > 0 && (choice == ChoiceSession || choice == ChoiceAlwaysHere) {
		saved = slices.Concat(s.opened(choice, ToolChanging, s.Changes), s.opened(choice, ToolReading, s.Roots), saved)
	}
	return s.inMain(choice, saved), left
}

// inMain makes entries apply in all work trees, if lasting answers are remembered in that way.
func (s *PromptScope) inMain(choice string, entries []ApprovalEntry) []ApprovalEntry {
	if RemembersForSession(choice) {
		return entries
	}
	for i := range entries {
		if entry := &entries[i]; entry.Directory != nil {
			if main, ok := s.Worktrees[*entry.Directory]; ok {
				entry.Directory, entry.Worktrees = &main, true
			}
		}
	}
	return entries
}

// Here are entries for all work trees, for the directories of the scope.
func (s *PromptScope) Here(entries []ApprovalEntry) []ApprovalEntry {
	var out []ApprovalEntry
	for _, entry := range entries {
		if entry.Worktrees {
			entry.Worktrees = false
			for here, main := range s.Worktrees {
				if main == *entry.Directory {
					local := entry
					local.Directory = &here
					out = append(out, local)
				}
			}
			continue
		}
		out = append(out, entry)
	}
	return out
}

// verbs are what the other choices save.
func (s *PromptScope) verbs(choice string) (saved, left []ApprovalEntry) {
	for i := range s.Items {
		item := &s.Items[i]
		entry := ApprovalEntry{Tool: s.Tool, Verb: item.Verb, Risks: item.Risks}
		list := &saved
		switch {
		case item.Kind == ItemPath || choice == ChoiceOnce || choice == ChoiceDeny || choice == ChoiceAllow:
			continue // an argument belongs to its tool
		case choice == ChoiceAlwaysAnywhere:
		case item.Kind != ItemCommand: // hosts, tools and methods are in no directory
			if choice != ChoiceSession {
				list = &left
			}
		case item.Directory == "" || item.Shallow:
			list, entry.Directory = &left, &item.Directory
		default:
			entry.Directory = &item.Directory
		}
		words := entry.Words()
		if !slices.ContainsFunc(*list, func(known ApprovalEntry) bool { return known.Words() == words }) {
			*list = append(*list, entry)
		}
	}
	return saved, left
}

// projectTools is trust in the project's own tools, nothing without a project.
func (s *PromptScope) projectTools() []ApprovalEntry {
	if s.Project == "" {
		return nil
	}
	return []ApprovalEntry{{Tool: ToolProject, Verb: VerbProject, Directory: &s.Project}}
}

// opened are approvals to read, or to change, each of some places by sessions of the project. In
// a session without a project they can be remembered for the session alone.
func (s *PromptScope) opened(choice, tool string, roots []string) []ApprovalEntry {
	var directory *string
	switch {
	case s.Project != "":
		directory = &s.Project
	case choice != ChoiceReadChat && choice != ChoiceSession:
		return nil
	}
	verb := ReadingVerb
	if tool == ToolChanging {
		verb = ChangingVerb
	}
	saved := make([]ApprovalEntry, 0, len(roots))
	for _, root := range roots {
		saved = append(saved, ApprovalEntry{Tool: tool, Verb: verb(root), Directory: directory})
	}
	return saved
}

// Saves states what a choice saves, in words; empty if it saves nothing.
func (s *PromptScope) Saves(choice string) string {
	saved, _ := s.Remembered(choice)
	return ApprovalWords(saved)
}

// AnswerRequest is the body of POST /v1/prompts/{id}/answer.
type AnswerRequest struct {
	Choice string `json:"choice"`
	// TTL is how long a remembered answer is valid, such as "2h"; empty means permanently.
	TTL string `json:"ttl,omitempty"`
	// By is the person's name.
	By string `json:"by,omitempty"`
}

// AnswerAllRequest is the body of POST /v1/prompts/answer: one answer to every pending
// prompt of a session or an agent. One of the two is named, or both.
type AnswerAllRequest struct {
	Choice  string `json:"choice"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// TTL and By are those of AnswerRequest.
	TTL string `json:"ttl,omitempty"`
	By  string `json:"by,omitempty"`
}

// AnswerAllResponse is the result. A request answers at most 100 prompts, the oldest first. While both Left
// and Answered are above zero, another request answers more.
type AnswerAllResponse struct {
	Answered int `json:"answered"`
	// Skipped are prompts that don't offer the choice.
	Skipped int `json:"skipped"`
	// Left counts the prompts that the request didn't reach.
	Left int `json:"left"`
}

// AnswerResponse is the result of an answer.
type AnswerResponse struct {
	Decision   Effect          `json:"decision"`
	Resolution string          `json:"resolution"`
	Saved      []ApprovalEntry `json:"saved"`
	// Grants are the path grants of an answered access request.
	Grants []Grant `json:"grants"`
}

// AccessRequest is the body of POST /v1/sessions/{id}/access-requests.
type AccessRequest struct {
	// Path is absolute, and Reason has 1 to 500 characters (P7).
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Wait is how long the answer is held, such as "30s"; at most 10 minutes.
	Wait string `json:"wait,omitempty"`
}

// States of an access request.
const (
	AccessPending = "pending"
	AccessGranted = "granted"
	AccessDenied  = "denied"
	AccessRefused = "refused" // no prompt was needed
)

// AccessResponse answers an AccessRequest. Result is what the agent's tool
// returns: "granted: <root>", "denied", or "denied: <reason>"; empty while pending.
type AccessResponse struct {
	State  string  `json:"state"`
	Result string  `json:"result"`
	Prompt *Prompt `json:"prompt,omitempty"`
}

// SessionPatch is the body of PATCH /v1/sessions/{id}; it has one of the two fields.
type SessionPatch struct {
	// AddDir is the set_working_directory tool (P14).
	AddDir string `json:"add_dir,omitempty"`
	// ReadPaths are the roots of path grants that stay; the others go (P10).
	ReadPaths *[]string `json:"read_paths,omitempty"`
}

// SessionPatchResponse answers a SessionPatch. State is granted, pending or
// unchanged.
type SessionPatchResponse struct {
	State   string       `json:"state"`
	Session *SessionInfo `json:"session,omitempty"`
	Prompt  *Prompt      `json:"prompt,omitempty"`
}

// GrantRequest is the body of POST …/grants.
type GrantRequest struct {
	Path string `json:"path"`
	// Mode is read, the default, or read_write.
	Mode string `json:"mode,omitempty"`
}

// GrantResponse answers a GrantRequest. Change is new, mode or unchanged.
type GrantResponse struct {
	Grant
	Change string `json:"change"`
}
