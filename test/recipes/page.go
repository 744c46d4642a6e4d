// Package recipes reads the recipes of CONTRIBUTING.md, which tests follow.
package recipes

import "strings"

// Block is a fenced block of a page.
type Block struct {
	// Kind is its language, and File what its first line names behind it.
	Kind, File, Text string
}

// Blocks returns the blocks of a page in order.
func Blocks(page string) []Block {
	var blocks []Block
	for i, part := range strings.Split("\n"+page, "\n```") {
		if i%2 == 1 {
			info, text, _ := strings.Cut(part, "\n")
			kind, file, _ := strings.Cut(info, " ")
			blocks = append(blocks, Block{kind, file, text + "\n"})
		}
	}
	return blocks
}

// Change returns what a block of kind diff removes, and what it puts there.
func (b Block) Change() (before, after string) {
	var removed, added []string
	for line := range strings.Lines(b.Text) {
		text := strings.TrimSuffix(line[1:], "\n")
		if line[0] == '-' {
			removed = append(removed, text)
		} else {
			added = append(added, text)
		}
	}
	return strings.Join(removed, "\n"), strings.Join(added, "\n")
}
