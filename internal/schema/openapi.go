package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	v1 "policyd/api/v1"
)

// object is one JSON object of the description.
type object = map[string]any

// openAPI describes the HTTP interface (OpenAPI 3.1).
func openAPI(reflector *jsonschema.Reflector) (object, error) {
	schemas, err := components(reflector,
		&v1.Call{}, &v1.BatchRequest{}, &v1.Decision{}, &v1.BatchResponse{}, &v1.Problem{},
		&v1.Session{}, &v1.SessionInfo{}, &v1.SessionList{}, &v1.SessionPatch{}, &v1.SessionPatchResponse{},
		&v1.TerminalReport{}, &v1.Terminal{}, &v1.Capabilities{}, &v1.RunClaim{}, &v1.RunGranted{}, &v1.RunReport{}, &v1.ConsoleLinkRequest{}, &v1.ConsoleLink{},
		&v1.AccessRequest{}, v1.AccessRequest{}, &v1.AccessResponse{}, &v1.GrantRequest{}, &v1.GrantResponse{}, &v1.GrantList{},
		&v1.Prompt{}, &v1.PromptList{}, &v1.AnswerRequest{}, &v1.AnswerResponse{}, &v1.AnswerAllRequest{}, &v1.AnswerAllResponse{},
		&v1.ApprovalRequest{}, &v1.ApprovalEntry{}, &v1.ApprovalList{}, &v1.ApprovalImport{}, &v1.ApprovalImported{},
		&v1.Record{}, &v1.RecordList{})
	if err != nil {
		return nil, err
	}
	paths := object{
		"/v1/decide": object{"post": decide("Decides one tool call, and holds a prompt for as long as wait says.",
			"Call", "Decision", includeFacts(), wait())},
		"/v1/decide/batch": object{"post": decide("Decides up to 100 tool calls, in order.", "BatchRequest", "BatchResponse", includeFacts())},
		"/":                object{"get": probe("What listens here, and where to go on.", nil)},
		"/livez":           object{"get": probe("Whether the process runs.", nil)},
		"/healthz":         object{"get": probe("Whether the process runs.", nil)},
		"/readyz":          object{"get": probe("Whether calls can be decided; 503 while starting and draining.", []any{verbose()}, "503")},
		"/openapi.json":    object{"get": probe("This description.", nil)},
		"/metrics":         object{"get": metrics()},
	}
	for path, operations := range resources() {
		paths[path] = operations
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "policyd", "version": "1",
			"description": "A policy decision point for the tool calls of AI agents. " +
				"Every error answer says \"decision\": \"deny\", so that a careless client fails closed.",
		},
		"paths": paths,
		"components": object{
			"schemas": schemas,
			"securitySchemes": object{"token": object{
				"type": "http", "scheme": "bearer",
				"description": "The content of agent.token, or of operator.token where only an operator may. " +
					"The Unix socket gives the agent's role without one.",
			}},
		},
	}, nil
}

// components gathers the schemas of the types and of all they refer to. What a type refers to is null if its
// field is a pointer that is always sent.
func components(reflector *jsonschema.Reflector, types ...any) (object, error) {
	gathered := object{}
	for _, value := range types {
		named := *reflector
		named.ExpandedStruct = false
		schema, err := schemaMap(named.Reflect(value))
		if err != nil {
			return nil, err
		}
		definitions, ok := schema["$defs"].(object)
		if !ok {
			return nil, fmt.Errorf("describe %T: no definitions", value)
		}
		for name, definition := range definitions {
			gathered[name] = definition
		}
	}
	nullable(gathered, "Decision", "jsonrpc_error")
	nullable(gathered, "Record", "input")
	nullable(gathered, "Record", "call")
	data, err := json.Marshal(gathered)
	if err != nil {
		return nil, fmt.Errorf("encode components: %w", err)
	}
	var moved object
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), "#/$defs/", "#/components/schemas/")), &moved); err != nil {
		return nil, fmt.Errorf("decode components: %w", err)
	}
	return moved, nil
}

// nullable allows null for a property.
func nullable(schemas object, name, property string) {
	properties := schemas[name].(object)["properties"].(object)
	properties[property] = object{"oneOf": []any{properties[property], object{"type": "null"}}}
}

func decide(summary, request, response string, parameters ...any) object {
	return object{
		"summary":     summary,
		"security":    []any{object{"token": []any{}}},
		"parameters":  parameters,
		"requestBody": object{"required": true, "content": content("application/json", request)},
		"responses": with(problems("400", "401", "403", "405", "408", "413", "415", "429", "500"),
			"200", object{"description": "The decision, whatever it is.", "content": content("application/json", response)}),
	}
}

func probe(summary string, parameters []any, statuses ...string) object {
	operation := object{
		"summary": summary,
		"responses": with(problems(append([]string{"403", "405"}, statuses...)...),
			"200", object{"description": "Yes.", "content": object{"application/json": object{"schema": object{"type": "object"}}}}),
	}
	if parameters != nil {
		operation["parameters"] = parameters
	}
	return operation
}

// metrics describes /metrics, whose form is that of Prometheus.
func metrics() object {
	return object{
		"summary":  "What is counted, for Prometheus. The setting metrics.access says who may read it.",
		"security": []any{object{}, object{"token": []any{}}},
		"responses": with(problems("401", "403", "404", "405"), "200", object{
			"description": "The metrics.", "content": object{"text/plain": object{"schema": object{"type": "string"}}},
		}),
	}
}

func includeFacts() object {
	return object{
		"name": "include", "in": "query", "required": false,
		"description": "facts adds the facts to the decision.",
		"schema":      object{"type": "string", "enum": []any{"facts"}},
	}
}

func verbose() object {
	return object{
		"name": "verbose", "in": "query", "required": false, "allowEmptyValue": true,
		"description": "Lists every check.", "schema": object{"type": "string"},
	}
}

func content(mediaType, schema string) object {
	return object{mediaType: object{"schema": object{"$ref": "#/components/schemas/" + schema}}}
}

func with(members object, name string, value any) object {
	members[name] = value
	return members
}

// problems describes the error answers of an operation.
func problems(statuses ...string) object {
	meanings := map[string]string{
		"400": "The request is malformed; the detail names the key and the byte.",
		"401": "No token, or a wrong one.",
		"403": "The Host or Origin is foreign, or the role may not.",
		"404": "There is no such thing, or it is not the caller's.",
		"409": "It is kept with something else, or somebody was quicker.",
		"410": "It has ended.",
		"429": "Too many are open, or the agent is over its limits; Retry-After says how long to wait.",
		"405": "The path takes another method.",
		"408": "The request did not arrive in time.",
		"413": "The body is larger than limits.body_bytes, 1 MiB unless set.",
		"415": "The body is not application/json.",
		"500": "The server failed.",
		"503": "The server is not ready, or the store can't be reached.",
	}
	answers := object{}
	for _, status := range statuses {
		answers[status] = object{
			"description": meanings[status], "content": content("application/problem+json", "Problem"),
		}
	}
	return answers
}
