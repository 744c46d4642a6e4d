package argv

import (
	_ "embed"
	"slices"
)

//go:embed producers.json
var producersJSON []byte

// Producer is a command, to the word, whose output is known or has a known shape.
type Producer struct {
	Command []string `json:"command"`
	// Value names what it prints; see output.Producers.
	Value string `json:"value"`
	// Variable is the name of the variable that may hold the value already. It is the same value if it
	// holds nothing.
	Variable string `json:"variable"`
	// Caveats are those that the command has anyway.
	Caveats []string `json:"caveats"`
	// Empty is true if it may print nothing: the program may be missing, or fail.
	Empty bool `json:"empty"`
	// RestsOn is "project" if the value follows from files of the project, "settings" if it follows
	// from the user's settings of the program.
	RestsOn string `json:"rests_on"`
	// AlteredBy are options with which the same verb changes such settings.
	AlteredBy []string `json:"altered_by"`
	// Platforms are the systems that have the program; nil for all.
	Platforms []string `json:"platforms"`
}

// AnyOperand is the last word of a Producer's command that stands for one operand.
const AnyOperand = "<operand>"

// RunsOn reports whether a platform has the program.
func (p *Producer) RunsOn(platform string) bool {
	return p.Platforms == nil || slices.Contains(p.Platforms, platform)
}
