package main

import "strings"

// operation is one way to use a resource.
type operation struct {
	method, summary string
	// request and response name schemas, empty for none.
	request, response string
	// created and accepted add the answers 201 and 202.
	created, accepted bool
	parameters        []any
	// stream is true for server-sent events.
	stream bool
	// hook is true for an agent client's hook, which has neither errors nor a form of policyd's.
	hook bool
	// forms are other forms of the answer 200, by media type; nil for none.
	forms object
	// refusals are the statuses of errors in addition to the usual ones.
	refusals []string
}

// resources describes what is kept: sessions, grants, prompts and approvals.
func resources() object {
	out := object{}
	for path, operations := range map[string][]operation{
		"/v1/sessions": {sessionList()},
		"/v1/sessions/{id}": {
			{method: "put", summary: "Registers a session, or narrows one.", request: "Session", response: "SessionInfo", created: true, refusals: []string{"409", "503"}},
			{method: "get", summary: "Shows a session to its owner or an operator.", response: "SessionInfo", refusals: []string{"404", "503"}},
			{
				method: "patch", summary: "Adds a directory that may be read (add_dir), or drops path grants (read_paths).", request: "SessionPatch",
				response: "SessionPatchResponse", accepted: true, refusals: []string{"404", "410", "429", "503"},
			},
			{method: "delete", summary: "Ends a session: its grants, approvals and open prompts go.", refusals: []string{"404", "503"}},
		},
		"/v1/sessions/{id}/access-requests": {{
			method: "post", summary: "Asks a person for a grant to read (request_read_access).", request: "AccessRequest",
			response: "AccessResponse", refusals: []string{"404", "410", "429", "503"},
		}},
		"/v1/sessions/{id}/terminals":       {terminalReport()},
		"/v1/capabilities":                  {capabilities()},
		"/v1/sessions/{id}/grants":          grantList("session"),
		"/v1/sessions/{id}/grants/{grant}":  {grantDelete()},
		"/v1/agents/{agent}/grants":         grantList("agent"),
		"/v1/agents/{agent}/grants/{grant}": {grantDelete()},
		"/v1/prompts":                       {promptList()},
		"/v1/prompts/{id}": {
			{
				method: "get", summary: "Shows a prompt, held for as long as wait says, in the form that format says.", response: "Prompt",
				forms: promptForms(), parameters: []any{wait(), format()}, refusals: []string{"404", "503"},
			},
			{method: "delete", summary: "Withdraws a prompt.", refusals: []string{"404", "409", "410", "503"}},
		},
		"/v1/prompts/answer": {answerAll()},
		"/v1/prompts/{id}/answer": {{
			method: "post", summary: "Answers a prompt, for an operator.", request: "AnswerRequest", response: "AnswerResponse", refusals: []string{"404", "409", "410", "503"},
		}},
		"/v1/approvals": {
			{method: "get", summary: "Lists what is remembered, for an operator.", response: "ApprovalList", parameters: page(), refusals: []string{"503"}},
			{method: "post", summary: "Remembers an answer on an operator's word.", request: "ApprovalRequest", response: "ApprovalEntry", created: true, refusals: []string{"503"}},
		},
		"/v1/hooks/{client}":   {hook()},
		"/v1/console/link":     {consoleLink()},
		"/v1/runs/{id}/claim":  {runClaim()},
		"/v1/runs/{id}/report": {runReport()},
		"/v1/decisions":        {recordList()},
		"/v1/decisions/{id}":   {recordGet()},
		"/v1/events":           {stream()},
		"/v1/approvals/import": {{
			method: "post", summary: "Remembers up to 10,000 answers on an operator's word: all or none, or with `partial` those that are right.", request: "ApprovalImport",
			response: "ApprovalImported", refusals: []string{"503"},
		}},
		"/v1/approvals/{id}": {{method: "delete", summary: "Forgets what is remembered.", refusals: []string{"404", "503"}}},
	} {
		methods := object{}
		for _, operation := range operations {
			methods[operation.method] = describe(path, &operation)
		}
		out[path] = methods
	}
	return out
}

func answerAll() operation {
	return operation{
		method: "post", summary: "Answers the pending prompts of a session or an agent, at most 100 at a time.",
		request: "AnswerAllRequest", response: "AnswerAllResponse", refusals: []string{"503"},
	}
}

func consoleLink() operation {
	return operation{
		method: "post", summary: "Makes a link that logs a browser in at the console, once, for an operator.", request: "ConsoleLinkRequest",
		response: "ConsoleLink", refusals: []string{"404", "503"},
	}
}

func sessionList() operation {
	return operation{
		method: "get", summary: "Lists sessions: all for an operator, its own for an agent.", response: "SessionList", parameters: page(),
	}
}

func promptList() operation {
	return operation{
		method: "get", summary: "Lists prompts: all for an operator, those of its sessions for an agent.", response: "PromptList",
		parameters: append(page(), text("state", "pending, answered, expired, withdrawn or delegated."), text("session", "The id of a session.")),
		refusals:   []string{"503"},
	}
}

func recordList() operation {
	return operation{
		method: "get", summary: "Lists records of what was decided, the newest first, for an operator. A page may be short and have a next.",
		response: "RecordList", parameters: append(page(), recordFilter()...), refusals: []string{"503"},
	}
}

func recordGet() operation {
	return operation{
		method: "get", summary: "Shows the record of a decision, for an operator. A mask may have given it another shape.",
		response: "Record", refusals: []string{"404", "503"},
	}
}

func recordFilter() []any {
	return []any{
		text("session", "The id of a session."), text("agent", "The name of an agent."), text("decision", "allow, prompt or deny."),
		text("rule", "The id of a rule that decided or covered."), text("code", "The code of a reason."),
		text("since", "A time in RFC 3339, or how long ago, such as 90m."),
	}
}

func runClaim() operation {
	return operation{
		method: "post", summary: "Spends a decision for a call that is about to be run contained, and says what to enforce.",
		request: "RunClaim", response: "RunGranted", refusals: []string{"404", "409", "410"},
	}
}

func runReport() operation {
	return operation{
		method: "post", summary: "Says what containment refused of a run, so that the same call is a question.",
		request: "RunReport", refusals: []string{"404"},
	}
}

func terminalReport() operation {
	return operation{
		method: "post", summary: "Reports the terminal that a peer made, by the decision that allowed its terminal/create.",
		request: "TerminalReport", response: "Terminal", created: true, refusals: []string{"404", "409", "410", "429", "503"},
	}
}

func capabilities() operation {
	return operation{
		method: "get", summary: "Says what a host may advertise to the agent of a session.", response: "Capabilities",
		parameters: []any{
			text("session", "The id of a session."),
			text("without", "A mode that the host does not implement: what is served in it is not advertised."),
		}, refusals: []string{"404", "410", "503"},
	}
}

func stream() operation {
	return operation{
		method: "get", summary: "Streams what happens, for an operator: prompt.created, prompt.answered (or the state by which " +
			"a prompt ended), session.updated, approvals.changed, policy.activated, decision, and resync where events were missed.",
		parameters: []any{text("after", "The id of an event to go on from, as the header Last-Event-ID."), text("kinds", "Kinds of events, separated by commas.")},
		stream:     true,
	}
}

func hook() operation {
	return operation{
		method: "post", hook: true,
		summary: "Answers a client's hook (claude, codex, gemini, opencode, copilot or cursor): the client's own payload in, its own " +
			"answer out. Always 200, with the client's own deny on every fault, since clients run the tool on an error. The header " +
			"Policyd-Decision is allow, prompt, deny or none, Policyd-Exit the exit code of the hook, Policyd-Decision-Id the decision.",
		parameters: []any{
			text("project", "The directory in which the client was launched, absolute."),
			text("hold", "How long a prompt is held for a person, such as 55s; at most 10m. Unanswered, it is the client's deny."),
			text("auto_approve", "true says an allow also where that beats the client's own rules."),
			text("interactive", "Whether a person is there; agents.<agent>.interactive of the settings unless said."),
			text("audience", "personal, team or public; agents.<agent>.audience of the settings unless said."),
			text("home", "The agent's home directory."),
			text("platform", "linux, darwin or windows."),
			text("shell", "The name of the shell that runs the agent's commands."),
			text("tools", "What hints may name, separated by commas: request_read_access, set_working_directory."),
		},
	}
}

func grantList(of string) []operation {
	return []operation{
		{method: "get", summary: "Lists the path grants of the " + of + ", for an operator.", response: "GrantList", refusals: []string{"404", "410", "503"}},
		{
			method: "post", summary: "Gives a path grant, or changes its mode, for an operator.", request: "GrantRequest",
			response: "GrantResponse", created: true, refusals: []string{"404", "410", "429", "503"},
		},
	}
}

func grantDelete() operation {
	return operation{method: "delete", summary: "Takes a path grant back, for an operator.", refusals: []string{"404", "503"}}
}

func describe(path string, of *operation) object {
	usual := []string{"400", "401", "403", "405", "429", "500"}
	if of.request != "" {
		usual = append(usual, "408", "413", "415")
	}
	answers := problems(append(usual, of.refusals...)...)
	if of.hook {
		anything := object{"application/json": object{"schema": object{"type": "object"}}}
		return object{
			"summary": of.summary, "security": []any{object{"token": []any{}}}, "parameters": append(inPath(path), of.parameters...),
			"requestBody": object{"required": true, "content": anything},
			"responses":   object{"200": object{"description": "The client's own answer.", "content": anything}},
		}
	}
	for status, wanted := range map[string]bool{"201": of.created, "202": of.accepted, "200": of.response != ""} {
		if wanted {
			answers[status] = object{"description": meaning(status), "content": content("application/json", of.response)}
		}
	}
	if of.stream {
		answers["200"] = object{
			"description": "Server-sent events.", "content": object{"text/event-stream": object{"schema": object{"type": "string"}}},
		}
	}
	if of.forms != nil {
		answers["200"].(object)["content"] = of.forms
	}
	if of.response == "" && !of.stream {
		answers["204"] = object{"description": meaning("204")}
	}
	described := object{
		"summary": of.summary, "security": []any{object{"token": []any{}}}, "responses": answers,
		"parameters": append(inPath(path), of.parameters...),
	}
	if of.request != "" {
		described["requestBody"] = object{"required": true, "content": content("application/json", of.request)}
	}
	return described
}

// promptForms are the forms of a prompt: what a host sends on to people as it is.
func promptForms() object {
	message := func(service string, required ...any) object {
		return object{
			"type": "object", "required": required,
			"description": "The part of a " + service + " message that shows the prompt, or what came of it, and its buttons.",
		}
	}
	return object{
		"application/json": object{"schema": object{"oneOf": []any{
			object{"$ref": "#/components/schemas/Prompt"},
			message("Slack", "blocks"),
			message("Discord", "embeds", "components", "allowed_mentions"),
		}}},
		"text/plain": object{"schema": object{"type": "string"}},
	}
}

func format() object {
	return object{
		"name": "format", "in": "query", "required": false,
		"description": "How the prompt is shown: as JSON unless said, as plain text, or as a message for Slack (Block Kit; a button's " +
			"action_id is the choice and its value the prompt) or Discord (components; custom_id is policyd:<prompt>:<choice>).",
		"schema": object{"type": "string", "enum": []any{"json", "text", "slack", "discord"}},
	}
}

func meaning(status string) string {
	return map[string]string{
		"200": "Done, or as it is.", "201": "It is new.", "202": "A person is asked.", "204": "Done.",
	}[status]
}

// inPath describes the parameters in a path.
func inPath(path string) []any {
	parameters := []any{}
	for segment := range strings.SplitSeq(path, "/") {
		if name, found := strings.CutPrefix(segment, "{"); found {
			parameters = append(parameters, object{
				"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"},
			})
		}
	}
	return parameters
}

func text(name, description string) object {
	return object{
		"name": name, "in": "query", "required": false, "description": description, "schema": object{"type": "string"},
	}
}

func wait() object {
	return text("wait", "How long the answer is held for a person, such as 30s; at most 10m.")
}

func page() []any {
	return []any{
		text("after", "The value of next in the page before."),
		object{
			"name": "limit", "in": "query", "required": false, "description": "How many at most, 100 unless said.",
			"schema": object{"type": "integer", "minimum": 1, "maximum": 1000},
		},
	}
}
