package extract

import "slices"

// ContentArguments returns the names of arguments that hold file contents or
// patches in any client's tools or in any ACP method, sorted. A name that holds
// a command line elsewhere ("command") is left out: only the tool's kind can
// tell which of the two it is. The caller may keep the list.
func (b *Base) ContentArguments() []string {
	var names, commands []string
	for _, client := range b.catalog.Clients {
		for _, tool := range client.Tools {
			names = append(append(names, tool.Content...), tool.Patch...)
			commands = append(commands, tool.Command...)
		}
	}
	for _, method := range b.catalog.ACP {
		names = append(names, method.Content...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(commands, name) })
	slices.Sort(names)
	return slices.Compact(names)
}
