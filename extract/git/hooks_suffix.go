package git

import "runtime"

// hookSuffixes are the endings of a hook's file name: git for Windows also runs
// a hook that ends in .exe.
func hookSuffixes() []string {
	if runtime.GOOS == "windows" {
		return []string{"", ".exe"}
	}
	return []string{""}
}
