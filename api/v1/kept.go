package v1

import (
	"slices"
	"strings"
	"time"
)

// States of a session.
const (
	SessionActive   = "active"
	SessionArchived = "archived"
)

// SessionInfo is a session as it is kept and shown.
type SessionInfo struct {
	Session
	State string `json:"state"`
	// ReadPaths are the roots of the session's path grants.
	ReadPaths []string  `json:"read_paths"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Modes of a path grant.
const (
	GrantRead      = "read"
	GrantReadWrite = "read_write"
	// GrantReading is the mode of a directory that an answer lets a session read. Unlike with a read grant,
	// changes there prompt as outside. No Grant is stored with it.
	GrantReading = "reading"
)

// Origins of a path grant: who requested it.
const (
	OriginOperator         = "operator"
	OriginRequest          = "request"           // request_read_access, which a person approved (P7)
	OriginWorkingDirectory = "working_directory" // set_working_directory (P14)
	OriginSettings         = "settings"          // agents.<agent>.grants
)

// Grant is a remembered answer for files, as it is stored and shown. It belongs to a session or, if Session
// is empty, to every session of Agent.
type Grant struct {
	ID      string `json:"id"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Path is the real path of the root.
	Path string `json:"path"`
	Mode string `json:"mode"`
	// Label is the path followed by "(read-only)" or "(read-write)" (P5).
	Label     string    `json:"label"`
	Origin    string    `json:"origin"`
	CreatedAt time.Time `json:"created_at"`
}

// Holder names who a grant is for: a session, or an agent in all its sessions.
type Holder struct{ Session, Agent string }

// Changes that a grant or an approval makes.
const (
	ChangeNew       = "new"
	ChangeMode      = "mode"
	ChangeUnchanged = "unchanged"
)

// ApprovalEntry is a remembered answer for commands, methods and tools, as it is
// kept and shown. Directory nil means anywhere; Agent "*" means all.
type ApprovalEntry struct {
	ID        string   `json:"id"`
	Audience  Audience `json:"audience"`
	Agent     string   `json:"agent"`
	Tool      string   `json:"tool"`
	Verb      string   `json:"verb"`
	Directory *string  `json:"directory"`
	// Risks are those that were approved. It covers no command with others.
	Risks []string `json:"risks,omitempty"`
	// Worktrees is true if it applies in every work tree of the repository whose main work tree contains
	// Directory, at the same path below the top.
	Worktrees bool `json:"worktrees,omitempty"`
	// Session is set for an answer for one session alone.
	Session   string     `json:"session,omitempty"`
	By        string     `json:"by"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	// CoveredBy is the id of a wider approval that applies at least wherever and as long as this one, so that
	// this one changes nothing. It is set in lists alone.
	CoveredBy string `json:"covered_by,omitempty"`
}

// ApprovalRequest is the body of POST /v1/approvals. Directory left out means
// anywhere.
type ApprovalRequest struct {
	// Audience is personal by default, Agent all ("*"), and Tool shell.
	Audience  Audience `json:"audience,omitempty"`
	Agent     string   `json:"agent,omitempty"`
	Tool      string   `json:"tool,omitempty"`
	Verb      string   `json:"verb"`
	Directory *string  `json:"directory,omitempty"`
	// Risks are what else it covers, as in a prompt: force, delete.
	Risks []string `json:"risks,omitempty"`
	// Worktrees makes it apply in every work tree of the git repository that contains Directory.
	Worktrees bool `json:"worktrees,omitempty"`
	// TTL is how long it is valid, such as "2h"; empty means permanently.
	TTL string `json:"ttl,omitempty"`
	By  string `json:"by,omitempty"`
	// Force allows a verb that runs anything to be approved anywhere (A1).
	Force bool `json:"force,omitempty"`
}

// MaxImport is how many approvals one import may contain.
const MaxImport = 10_000

// ApprovalImport is the body of POST /v1/approvals/import: approvals that are
// remembered all or not at all.
type ApprovalImport struct {
	Approvals []ApprovalRequest `json:"approvals"`
	// DryRun only states what an import would do.
	DryRun bool `json:"dry_run,omitempty"`
	// Partial imports the valid approvals and lists the others in Refused. Without it, one invalid approval
	// refuses the import.
	Partial bool `json:"partial,omitempty"`
}

// ApprovalImported is the result of an import, or of a dry run. Extended are existing ones that are valid for
// longer now.
type ApprovalImported struct {
	Added     int `json:"added"`
	Extended  int `json:"extended"`
	Unchanged int `json:"unchanged"`
	// Refused are those that a partial import left out.
	Refused []RefusedApproval `json:"refused"`
}

// RefusedApproval is an approval that was not imported, by its index in the request, counted from 0.
type RefusedApproval struct {
	Index  int    `json:"index"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Lists. Next is the id to continue after, if there is another page.
type (
	// SessionList answers GET /v1/sessions.
	SessionList struct {
		Sessions []SessionInfo `json:"sessions"`
		Next     string        `json:"next,omitempty"`
	}
	// GrantList answers GET …/grants.
	GrantList struct {
		Grants []Grant `json:"grants"`
	}
	// PromptList answers GET /v1/prompts.
	PromptList struct {
		Prompts []Prompt `json:"prompts"`
		Next    string   `json:"next,omitempty"`
	}
	// ApprovalList answers GET /v1/approvals.
	ApprovalList struct {
		Approvals []ApprovalEntry `json:"approvals"`
		Next      string          `json:"next,omitempty"`
	}
)

// Tool kinds and verbs of approvals that are not for one verb (A12).
const (
	// ToolProject approves VerbProject: building, testing, linting, formatting and editing
	// in the project that is the approval's directory.
	ToolProject = "project"
	VerbProject = "project tools"
	// ToolReading approves the reading of a directory outside, which ReadingVerb names, by
	// sessions of the project that is the approval's directory.
	ToolReading = "reading"
	// ToolChanging approves reading and changing files of a place outside, which ChangingVerb
	// names, by sessions of the project that is the approval's directory.
	ToolChanging = "changing"
)

const (
	readingPrefix  = "read "
	changingPrefix = "change "
)

// ReadingVerb is the verb of an approval to read a directory and what is below it.
func ReadingVerb(root string) string { return readingPrefix + root }

// ChangingVerb is the verb of an approval to read and change a file, or a directory and what is below it.
func ChangingVerb(root string) string { return changingPrefix + root }

// Opens returns the directory outside that an approval opens, and the mode of the resulting grant. It returns
// false for an approval of any other kind.
func (e *ApprovalEntry) Opens() (root, mode string, ok bool) {
	switch e.Tool {
	case ToolReading:
		root, ok = strings.CutPrefix(e.Verb, readingPrefix)
		return root, GrantReading, ok
	case ToolChanging:
		root, ok = strings.CutPrefix(e.Verb, changingPrefix)
		return root, GrantReadWrite, ok
	}
	return "", "", false
}

// Words are an approval in the words in which it is saved, listed and revoked:
// "git push in /repo", "git push in all worktrees of /repo", "git push (force) anywhere".
func (e *ApprovalEntry) Words() string {
	if e.Worktrees && e.Directory != nil {
		return approvalVerb(e.Verb, e.Risks) + " in " + AllWorktrees + *e.Directory
	}
	return approvalVerb(e.Verb, e.Risks) + approvalPlace(e.Directory)
}

// AllWorktrees precedes the directory of an approval that applies in every work tree.
const AllWorktrees = "all worktrees of "

func approvalVerb(verb string, risks []string) string {
	if len(risks) == 0 {
		return verb
	}
	return verb + " (" + strings.Join(slices.Sorted(slices.Values(risks)), ", ") + ")"
}

func approvalPlace(directory *string) string {
	switch {
	case directory == nil:
		return " anywhere"
	case *directory == "":
		return " in an unknown directory"
	}
	return " in " + *directory
}

// ApprovalWords are the words of some approvals, with commas between them.
func ApprovalWords(entries []ApprovalEntry) string {
	words := make([]string, len(entries))
	for i := range entries {
		words[i] = entries[i].Words()
	}
	return strings.Join(words, ", ")
}

// Slashed is a directory with slashes, without a drive.
func Slashed(directory string) string {
	directory = strings.ReplaceAll(directory, `\`, "/")
	if len(directory) >= 2 && directory[1] == ':' {
		directory = directory[2:]
	}
	return directory
}

// Shallow reports whether a directory is empty or has fewer than two segments below its root (V9).
func Shallow(directory string) bool {
	path := Slashed(directory)
	if !strings.HasPrefix(path, "/") {
		return true
	}
	segments := 0
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
		if segment != "" {
			segments++
		}
	}
	return segments < 2
}

// RiskLines are the risks of an approval in one order, a line each: two approvals with the same lines have
// the same risks. No risk contains a line feed.
func (e *ApprovalEntry) RiskLines() string {
	return strings.Join(slices.Sorted(slices.Values(e.Risks)), "\n")
}

// Approval is the entry as policy sees it. It shares the risks.
func (e *ApprovalEntry) Approval() Approval {
	approval := Approval{ID: e.ID, Tool: e.Tool, Verb: e.Verb, Anywhere: e.Directory == nil, Risks: e.Risks}
	if e.Directory != nil {
		approval.Directory = *e.Directory
	}
	return approval
}

// ParseApprovalVerb parses a verb chain followed by its risks, in the form of Words: "git push (force, remote
// backup)".
func ParseApprovalVerb(text string) (verb string, risks []string) {
	verb, behind, found := strings.Cut(text, " (")
	if inner, closed := strings.CutSuffix(behind, ")"); found && closed && inner != "" {
		return verb, strings.Split(inner, ", ")
	}
	return text, nil
}
