package toolapprovals

import (
	"time"

	v1 "policyd/api/v1"
)

// Exported is a file of approvals in the form that Parse reads.
type Exported struct {
	Version   int                `json:"version"`
	Approvals []ExportedApproval `json:"approvals"`
}

// ExportedApproval is one approval of a file. Directory nil means anywhere.
type ExportedApproval struct {
	Verb      string      `json:"verb"`
	Directory *string     `json:"directory"`
	Risks     []string    `json:"risks,omitempty"`
	Worktrees bool        `json:"worktrees,omitempty"`
	Tool      string      `json:"tool"`
	Audience  v1.Audience `json:"audience"`
	Agent     string      `json:"agent"`
	ExpiresAt *time.Time  `json:"expires_at,omitempty"`
}

// Export makes a file of approvals. Ids, and who gave them when, are left out.
func Export(entries []v1.ApprovalEntry) Exported {
	out := Exported{Version: Version, Approvals: make([]ExportedApproval, len(entries))}
	for i := range entries {
		from := &entries[i]
		out.Approvals[i] = ExportedApproval{
			Verb: from.Verb, Directory: from.Directory, Risks: from.Risks, Tool: from.Tool, Audience: from.Audience, Agent: from.Agent,
			ExpiresAt: from.ExpiresAt, Worktrees: from.Worktrees,
		}
	}
	return out
}
