package contain

import (
	"fmt"
	"strings"

	v1 "policyd/api/v1"
)

// seatbelt is the profile of sandbox-exec for an obligation, in the language of sandbox(7) on macOS. Later rules
// win. It was never run on a Mac: only its text is tested.
func seatbelt(o *v1.Obligation, temporary string) string {
	var out strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&out, format+"\n", args...) }
	line("(version 1)")
	line("(deny default)")
	line("(allow process-exec process-fork)")
	line("(allow signal (target same-sandbox))")
	line("(allow process-info* (target same-sandbox))")
	line("(allow sysctl-read)")
	line("(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))")
	line("(allow file-read-metadata)")
	allowPaths(line, "file-read*", o.Read)
	allowPaths(line, "file-read*", append([]string{temporary}, o.Write...))
	line("(deny file-read-data (regex #\"^/dev/r?disk\"))")
	allowPaths(line, "file-write*", append([]string{temporary}, o.Write...))
	line("(allow file-read* file-write-data file-ioctl (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\")" +
		" (literal \"/dev/random\") (literal \"/dev/urandom\"))")
	for _, path := range o.Protect {
		line("(deny file-write* (subpath %s))", quoted(path))
		for dir := parent(path); belowAny(dir, o.Write); dir = parent(dir) {
			line("(deny file-write-unlink (literal %s))", quoted(dir)) // a rename of the directory above
		}
	}
	for _, path := range o.Hide {
		line("(deny file-read* file-write* (subpath %s))", quoted(path))
	}
	line("(deny file-write-setugid)")
	if o.Network == v1.NetworkLoopback {
		// There is no private loopback here: the program would reach servers of this machine.
		line("; loopback can't be separated")
	}
	line("(deny network*)")
	return out.String()
}

func parent(path string) string {
	if at := strings.LastIndexByte(path, '/'); at > 0 {
		return path[:at]
	}
	return "/"
}

func allowPaths(line func(string, ...any), operation string, paths []string) {
	for _, path := range paths {
		if path == "/" {
			line("(allow %s)", operation)
			continue
		}
		line("(allow %s (subpath %s))", operation, quoted(path))
	}
}

// quoted is a string of the profile language.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
