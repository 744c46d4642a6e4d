package v1

import "time"

// Choices that a prompt can offer (A1).
const (
	ChoiceOnce           = "once"
	ChoiceSession        = "session"
	ChoiceAlwaysHere     = "always_here"
	ChoiceAlwaysAnywhere = "always_anywhere"
	// ChoiceProject trusts the project's own tools, and ChoiceReadChat and ChoiceReadHere
	// let a named directory outside be read, in this session or in this project (A12).
	ChoiceProject  = "project"
	ChoiceReadChat = "read_chat"
	ChoiceReadHere = "read_here"
	ChoiceDeny     = "deny"
	// ChoiceAllow and ChoiceDeny are those of an access request.
	ChoiceAllow = "allow"
	// ChoiceCovered is the choice of a prompt without an answer of its own: an answer to another prompt, or
	// an approval, allows the call.
	ChoiceCovered = "covered"
)

// Remembers reports whether an answer with a choice is remembered, and so may carry a ttl.
func Remembers(choice string) bool {
	switch choice {
	case ChoiceSession, ChoiceAlwaysHere, ChoiceAlwaysAnywhere, ChoiceProject, ChoiceReadChat, ChoiceReadHere:
		return true
	}
	return false
}

// RemembersForSession reports whether a choice is remembered for its session alone.
func RemembersForSession(choice string) bool {
	return choice == ChoiceSession || choice == ChoiceReadChat
}

// States of a prompt.
const (
	PromptPending   = "pending"
	PromptAnswered  = "answered"
	PromptExpired   = "expired"
	PromptWithdrawn = "withdrawn"
	PromptDelegated = "delegated"
	// PromptOffline is a prompt that policyd decide shows without a server. It has no id, and nobody can
	// answer it.
	PromptOffline = "offline"
)

// Prompt is a question for a person, kept until it is answered, expires or is withdrawn.
type Prompt struct {
	ID        string   `json:"id"`
	State     string   `json:"state"`
	Title     string   `json:"title"`
	Verbs     []string `json:"verbs"`
	Directory string   `json:"directory"`
	Messy     bool     `json:"messy"`
	// Reasons are why the policy prompts, at most two, the most specific first.
	Reasons []string `json:"reasons"`
	// Warnings are confusable parts of the call: words that mix scripts, hosts and verbs that aren't ASCII.
	Warnings  []string   `json:"warnings"`
	Call      PromptCall `json:"call"`
	Choices   []Choice   `json:"choices"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	// Answer is set when State is answered.
	Answer *PromptAnswer `json:"answer,omitempty"`
}

// PromptAnswer is what a person answered.
type PromptAnswer struct {
	Choice string `json:"choice"`
	// Decision is what the call may do by this answer.
	Decision Effect    `json:"decision"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	// Resolution is the one line with the result (A3).
	Resolution string `json:"resolution"`
}

// PromptCall is the call as the person sees it (A11). Altered is true when
// the text had to be cut or made visible.
type PromptCall struct {
	Tool      string   `json:"tool"`
	Text      string   `json:"text"`
	Cwd       string   `json:"cwd"`
	Agent     string   `json:"agent"`
	SessionID string   `json:"session_id"`
	Paths     []string `json:"paths"`
	Reason    string   `json:"reason"`
	GrantRoot string   `json:"grant_root"`
	Altered   bool     `json:"altered"`
}

// Choice is one answer that a prompt offers. Style is primary, default or danger.
type Choice struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Style string `json:"style"`
	// Saves is what the choice saves, in the words in which approvals are listed; empty if it saves nothing.
	Saves string `json:"saves"`
	// Note is what else a person should know before choosing; empty for most choices.
	Note string `json:"note,omitempty"`
}
