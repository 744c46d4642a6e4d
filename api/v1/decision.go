package v1

// Decision answers a Call. Reasons is never empty; Prompt is set exactly when
// Effect is EffectPrompt.
type Decision struct {
	ID      string         `json:"decision_id"`
	Effect  Effect         `json:"decision"`
	Reasons []Reason       `json:"reasons"`
	Items   []DecisionItem `json:"items"`
	Hint    string         `json:"hint"`
	// Abort is true if a person denied the call, so that a host may end its task.
	Abort  bool    `json:"abort"`
	Cwd    string  `json:"cwd"`
	Messy  bool    `json:"messy"`
	Prompt *Prompt `json:"prompt,omitempty"`
	Route  Route   `json:"route"`
	// JSONRPCError is the host's answer to a blocked method, else null.
	JSONRPCError *JSONRPCError `json:"jsonrpc_error"`
	Policy       PolicyInfo    `json:"policy"`
	// Obligations are duties without which the allow isn't valid, and Run is the command that fulfils them.
	// Both are absent without an obligation.
	Obligations []Obligation `json:"obligations,omitempty"`
	Run         []string     `json:"run,omitempty"`
	// Enter is the directory that a caller's lasting shell enters before Run, and stays in. It is absent if
	// the directory doesn't change.
	Enter string `json:"enter,omitempty"`
	// Facts is set if the request has ?include=facts.
	Facts *Facts `json:"facts,omitempty"`
	// Explanation is set if the request has ?explain=1.
	Explanation *Explanation `json:"explanation,omitempty"`
}

// Reason is one finding that decided, or the cover that allowed.
type Reason struct {
	// Rule is the id of the rule, its path below policies/policyd/rules.
	Rule string `json:"rule"`
	// Code is stable, for machines. Message is for people.
	Code    string `json:"code"`
	Effect  Effect `json:"effect"`
	Message string `json:"message"`
	// Item is the index in Items, or -1 for the call as a whole.
	Item int `json:"item"`
}

// DecisionItem is an item as the caller sees it. CoveredBy is the id of the
// rule that covers it, empty when nothing does.
type DecisionItem struct {
	Kind      string `json:"kind"`
	Verb      string `json:"verb"`
	Directory string `json:"directory"`
	CoveredBy string `json:"covered_by"`
}

// Route states what a multiplexer does with a method (N1 to N8).
type Route struct {
	// Mode is one of the five namespace modes, "pass", or empty for other tools.
	Mode   string `json:"mode"`
	Peer   string `json:"peer"`
	Select string `json:"select"`
}

// JSONRPCError is the error object of a JSON-RPC response.
type JSONRPCError struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Data    JSONRPCErrorData `json:"data"`
}

// JSONRPCErrorData names what was blocked, and why.
type JSONRPCErrorData struct {
	Namespace string `json:"namespace"`
	Mode      string `json:"mode"`
	Method    string `json:"method"`
	Reason    string `json:"reason"`
}

// PolicyInfo names the policy that decided.
type PolicyInfo struct {
	Revision string `json:"revision"`
	// UnsafeDebug is true for every decision of a server that was started with
	// --unsafe-debug-broadcast (N4).
	UnsafeDebug bool `json:"unsafe_debug,omitempty"`
}
