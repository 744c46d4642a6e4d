// Policyd-hook is the program that an agent program starts before each tool call. It asks the sidecar and
// prints its answer, or the client's own deny. It can't answer a prompt, grant or revoke.
//
// `policyd-hook run` runs a program contained, as a decision obliges.
package main

import (
	"os"

	"policyd/internal/contain"
	"policyd/internal/hook"
	"policyd/internal/run"
)

func main() {
	contain.Stage()
	if len(os.Args) > 1 && os.Args[1] == "run" {
		os.Exit(run.Main(os.Args[2:]))
	}
	os.Exit(hook.Main(os.Args[1:]))
}
