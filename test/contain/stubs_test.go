//go:build linux && (amd64 || arm64)

package contain

func jailHere() int                  { return 1 }
func spendHere(string, []string) int { return 1 }
