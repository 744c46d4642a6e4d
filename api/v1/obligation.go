package v1

// ObligationContain obliges the enforcement point to run a call contained.
const ObligationContain = "contain"

// Profiles of containment.
const (
	// ProfileReadOnly allows writes only to /dev/null, the terminal and a private temporary directory.
	ProfileReadOnly = "read_only"
	// ProfileProject also allows writes to the workspace and the caches of toolchains.
	ProfileProject = "project"
)

// ProfileMasks in SessionFacts.Profiles means that single files can be hidden from a run.
const ProfileMasks = "masks"

// What a contained run may read.
const (
	// ReadsKnown is everything: what the call reads is known.
	ReadsKnown = "known"
	// ReadsListed is what the session may read, and the system's programs and libraries,
	// without secrets.
	ReadsListed = "listed"
)

// Duty is an obligation in the policy's terms. Extraction derives the Obligation, with the paths of this
// machine.
type Duty struct {
	Kind    string `json:"kind"`
	Profile string `json:"profile"`
	Reads   string `json:"reads"`
}

// Networks that a contained run has. NetworkLoopback is a loopback of its own, which reaches
// no server outside the run.
const (
	NetworkNone     = "none"
	NetworkLoopback = "loopback"
)

// Obligation is a duty that the enforcement point must fulfil for an allow to hold. The zero
// value contains everything: nothing can be read, so nothing can be run.
type Obligation struct {
	// Kind is ObligationContain.
	Kind    string `json:"kind"`
	Profile string `json:"profile"`
	// Read are real paths: each, and what is below it, can be read and run. "/" is everything.
	Read []string `json:"read"`
	// Write are real paths: each, and what is below it, can be changed, too.
	Write []string `json:"write"`
	// Protect are real paths below Write that stay as they are.
	Protect []string `json:"protect"`
	// Links are those of Protect that, if they are missing, must look missing to what opens them during a run.
	Links []string `json:"links,omitempty"`
	// Hide are real paths of files and directories that are empty for the run.
	Hide        []string          `json:"hide"`
	Network     string            `json:"network"`
	Environment EnvironmentLimits `json:"environment"`
}

// Containment is how one call is run contained.
type Containment struct {
	Obligation Obligation
	Argv       []string
	// Cwd is the real path of the directory that it is run in.
	Cwd string
	// Enter is Cwd if the line began with a change of directory that Argv no longer has, and that the
	// caller's lasting shell makes; else empty.
	Enter string
}

// EnvironmentLimits state what a contained run doesn't inherit.
type EnvironmentLimits struct {
	// Drop are names of variables; "*" at either end represents any text.
	Drop []string `json:"drop"`
}

// RunClaim is the body of POST /v1/runs/{decision_id}/claim: what is about to be run.
type RunClaim struct {
	// Argv is what was decided about. It is left out with AsDecided.
	Argv []string `json:"argv,omitempty"`
	// AsDecided requests the argv instead of giving it.
	AsDecided bool   `json:"as_decided,omitempty"`
	Cwd       string `json:"cwd"`
	// SessionID may be left out by a program that doesn't know its session.
	SessionID string `json:"session_id,omitempty"`
}

// RunGranted answers a claim. A decision can be claimed once.
type RunGranted struct {
	DecisionID string     `json:"decision_id"`
	Obligation Obligation `json:"obligation"`
	// Argv is what to run, if the claim requested it.
	Argv []string `json:"argv,omitempty"`
}

// RunReport is the body of POST /v1/runs/{decision_id}/report: what the containment refused.
type RunReport struct {
	Refused []Refusal `json:"refused"`
}

// Operations that containment can refuse. A person reads them, so other text isn't stored.
func Operations() []string {
	return []string{
		"write", "delete", "read", "connect", "signal", "rename", "create", "link", "change mode", "change owner", "change times",
	}
}

// Refusal is one thing that a contained run tried and was not let do.
type Refusal struct {
	// Operation is one of Operations.
	Operation string `json:"operation"`
	// Target is a path or an address, as the program named it.
	Target string `json:"target"`
}
