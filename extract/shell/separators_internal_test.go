package shell

import (
	"maps"
	"slices"
	"strings"
)

// UntestedLines returns lines with an option of each entry behind each separator that the
// entry was not tested with.
func (t *Table) UntestedLines() []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(t.raw)) {
		if program := t.program(name); program != nil && !strings.Contains(name, "/") && !strings.Contains(name, " ") {
			lines = append(lines, program.untestedLines(name)...)
		}
	}
	return lines
}

func (p *Program) untestedLines(verb string) []string {
	var lines []string
	for name, command := range p.commands {
		lines = append(lines, command.untestedLines(verb+" "+name)...)
	}
	if p.commands != nil || p.style == "text" || p.style == "test" || p.style == "find" {
		return lines
	}
	for separator, words := range map[string]string{separatorDashes: "--", separatorDash: "-", separatorOperand: "a.txt"} {
		if p.tested(separator) {
			continue
		}
		for name, known := range p.options {
			if known.kinds[0] == "none" && strings.HasPrefix(name, "-") {
				lines = append(lines, verb+" "+words+" "+name+" b")
			}
		}
	}
	return lines
}
