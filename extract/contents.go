package extract

import "slices"

// ContentArguments returns the names of arguments that hold file contents or
// patches in any client's tools or in any ACP method, sorted. A name that holds
// a command line elsewhere ("command") is left out: only the tool's kind can
// tell which of the two it is. What operators add takes no name away. The caller may
// keep the list.
func (x *Extractor) ContentArguments() []string {
	names := append(x.builtin.catalog.contentArguments(), x.catalog.contentArguments()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// ContentArguments returns those of the built-in catalog.
func (b *Base) ContentArguments() []string { return b.builtin.catalog.contentArguments() }

func (c *catalog) contentArguments() []string {
	var names, commands []string
	for _, client := range c.Clients {
		for _, tool := range client.Tools {
			names = append(append(names, tool.Content...), tool.Patch...)
			commands = append(commands, tool.Command...)
		}
	}
	for _, method := range c.ACP {
		names = append(names, method.Content...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(commands, name) })
	slices.Sort(names)
	return slices.Compact(names)
}
