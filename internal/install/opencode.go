package install

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

//go:embed opencode.js
var openCodePlugin string

// pluginMark is how an installed plugin is known as ours.
const pluginMark = "// policyd's plugin for OpenCode."

// OpenCodePlugin is the plugin that runs command before each tool call and gives
// up after deadline.
func OpenCodePlugin(command []string, deadline time.Duration) (string, error) {
	encoded, err := json.Marshal(command)
	if err != nil {
		return "", fmt.Errorf("write plugin: %w", err)
	}
	return strings.NewReplacer(
		"/*COMMAND*/ []", string(encoded),
		"/*DEADLINE*/ 0", strconv.FormatInt(deadline.Milliseconds(), 10),
	).Replace(openCodePlugin), nil
}
