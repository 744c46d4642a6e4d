package clients

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toolLists holds, for each client, the tools that the real program offered to its
// model, with the names of their arguments. POLICYD_UPDATE_TOOLS=1 make test-clients
// writes them anew.
const toolLists = "testdata/tools"

// toolList is one file of toolLists.
type toolList struct {
	Version string              `json:"version"`
	Tools   map[string][]string `json:"tools"`
}

// asksAlways are tools, and arguments of tools, that the catalog leaves out on purpose:
// a person is asked whenever they are used.
var asksAlways = map[string][]string{
	// A script that the client runs.
	"claude": {"Workflow"},
	// The program that runs the line.
	"codex": {"exec_command.shell"},
}

// schema is the part of a JSON schema that names arguments.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
}

// declaration is a tool as a client declares it to a model, by any vendor's API.
type declaration struct {
	Name        string        `json:"name"`
	InputSchema schema        `json:"input_schema"`
	Parameters  schema        `json:"parameters"`
	Schema      schema        `json:"parametersJsonSchema"`
	Function    *declaration  `json:"function"`
	Custom      *declaration  `json:"custom"` // takes a text and no arguments
	Functions   []declaration `json:"functionDeclarations"`
	Tools       []declaration `json:"tools"`
}

var version = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+`)

// offered reads the tools of one request to a model, in each vendor's form.
func offered(request []byte) map[string][]string {
	var body struct {
		Tools []declaration `json:"tools"`
	}
	if json.Unmarshal(request, &body) != nil {
		return nil
	}
	tools := map[string][]string{}
	add := func(name string, schemas ...schema) {
		arguments := map[string]bool{}
		for _, s := range schemas {
			for argument := range s.Properties {
				arguments[argument] = true
			}
		}
		if name != "" {
			tools[name] = slices.Sorted(maps.Keys(arguments))
		}
	}
	var declare func(list []declaration)
	declare = func(list []declaration) {
		for _, tool := range list {
			if whole := cmp.Or(tool.Function, tool.Custom); whole != nil {
				declare([]declaration{*whole})
				continue
			}
			if nested := slices.Concat(tool.Functions, tool.Tools); len(nested) > 0 {
				declare(nested) // of a namespace
				continue
			}
			add(tool.Name, tool.InputSchema, tool.Parameters, tool.Schema)
		}
	}
	declare(body.Tools)
	return tools
}

// offered is every tool that the client offered in the session.
func (m *model) offered() map[string][]string {
	tools := map[string][]string{}
	for request := range strings.SplitSeq(m.heard(), "\n") {
		maps.Copy(tools, offered([]byte(request)))
	}
	return tools
}

// catalog is the part of extract/catalog/catalog.json that names tools and arguments.
func catalog(t *testing.T) map[string]map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../extract/catalog/catalog.json")
	require.NoError(t, err)
	var file struct {
		Clients map[string]struct {
			Tools map[string]map[string]any `json:"tools"`
		} `json:"clients"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	known := map[string]map[string]map[string]bool{}
	for client, entry := range file.Clients {
		known[client] = map[string]map[string]bool{}
		for tool, properties := range entry.Tools {
			known[client][tool] = catalogued(properties)
		}
	}
	return known
}

// catalogued are the arguments that a catalog entry names; nil for a tool whose
// arguments don't matter.
func catalogued(entry map[string]any) map[string]bool {
	if entry["kind"] == "internal" {
		return nil
	}
	names := map[string]bool{}
	for _, value := range entry {
		switch value := value.(type) {
		case []any:
			for _, name := range value {
				if text, ok := name.(string); ok {
					names[text] = true
				}
			}
		case map[string]any:
			for name := range value {
				names[name] = true
			}
		}
	}
	return names
}

// unknownTools lists the tools and arguments of a list that the catalog lacks.
func unknownTools(client string, known map[string]map[string]bool, tools map[string][]string) []string {
	var missing []string
	for _, tool := range slices.Sorted(maps.Keys(tools)) {
		arguments, found := known[tool]
		if slices.Contains(asksAlways[client], tool) {
			continue
		}
		if !found {
			missing = append(missing, tool+"("+strings.Join(tools[tool], ", ")+")")
			continue
		}
		for _, argument := range tools[tool] {
			if arguments != nil && !arguments[argument] &&
				!slices.Contains(asksAlways[client], tool+"."+argument) {
				missing = append(missing, tool+": argument "+argument)
			}
		}
	}
	return missing
}

// The catalog has every tool that a current release offers to its model, with every argument: an unknown one
// prompts (V12).
func TestCatalogKnowsTheToolsOfClients(t *testing.T) {
	known := catalog(t)
	files, err := filepath.Glob(toolLists + "/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var list toolList
			require.NoError(t, json.Unmarshal(text, &list))
			require.NotEmpty(t, list.Tools)
			assert.Empty(t, unknownTools(name, known[name], list.Tools))
		})
	}
}

// TestCatalogKnowsTheToolsOfRealClients asks the installed programs.
func TestCatalogKnowsTheToolsOfRealClients(t *testing.T) {
	bin := os.Getenv(clientsVariable)
	if bin == "" {
		t.Skip("skipped: " + clientsVariable + " is not set; make test-clients installs the programs and sets it")
	}
	known := catalog(t)
	programs := buildPrograms(t)
	for _, client := range realClients() {
		t.Run(client.name, func(t *testing.T) {
			program := filepath.Join(bin, client.name)
			if _, err := os.Stat(program); err != nil {
				t.Skipf("skipped: %v", err)
			}
			tools, r := map[string][]string{}, (*realRun)(nil)
			for _, named := range append([]string{client.model}, client.others...) {
				driven := client.with(named)
				r = newRealRun(t, programs, program)
				r.write(t, driven.settings)
				model := newModel(t, "cat marker.txt")
				r.drive(t, driven, model)
				offered := model.offered()
				require.NotEmptyf(t, offered, "model %s", named)
				maps.Copy(tools, offered)
			}
			if os.Getenv("POLICYD_UPDATE_TOOLS") != "" {
				text, err := json.MarshalIndent(toolList{Version: version.FindString(r.run(t, program, "--version")), Tools: tools}, "", "  ")
				require.NoError(t, err)
				require.NoError(t, os.MkdirAll(toolLists, 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(toolLists, client.name+".json"), append(text, '\n'), 0o600))
			}
			assert.Empty(t, unknownTools(client.name, known[client.name], tools))
		})
	}
}
