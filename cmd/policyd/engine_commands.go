package main

import (
	"slices"

	opa "github.com/open-policy-agent/opa/cmd"
	"github.com/spf13/cobra"

	"policyd/internal/visible"
)

// engineCommands are OPA's own, mounted so that the engine that tests a policy
// is the engine that decides by it.
var engineCommands = []string{"bench", "check", "eval", "fmt", "test"}

// builtinCommands are those of them that see the built-in policy.
var builtinCommands = []string{"check", "test"}

// mountEngineCommands moves OPA's commands under root.
func mountEngineCommands(root *cobra.Command) {
	mountEngineCommandsFor(root, engineCommands...)
	for _, command := range root.Commands() {
		if slices.Contains(engineCommands, command.Name()) {
			command.SetOut(visible.Raw(root.OutOrStdout())) // they print the person's own files
		}
	}
}

func mountEngineCommandsFor(root *cobra.Command, names ...string) {
	source := opa.Command(&cobra.Command{Use: "opa"}, "policyd")
	for _, command := range source.Commands() {
		if slices.Contains(names, command.Name()) {
			source.RemoveCommand(command)
			if slices.Contains(builtinCommands, command.Name()) {
				includeBuiltin(command)
			}
			root.AddCommand(command)
		}
	}
}
