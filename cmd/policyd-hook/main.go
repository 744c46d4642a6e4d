// Policyd-hook is what an agent program starts before each tool call. It asks
// the sidecar and prints its answer, or the client's own deny. It only asks: it
// can't answer a prompt, grant or revoke.
package main

import (
	"os"

	"policyd/internal/hook"
)

func main() {
	os.Exit(hook.Main(os.Args[1:]))
}
