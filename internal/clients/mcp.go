package clients

import "strings"

// protocolMCP marks a call of an MCP server's tool whose name doesn't show it.
const protocolMCP = "mcp"

// serverTool is the protocol of a tool that belongs to an MCP server according to the client. Without it a
// name could be confused with a tool of the client's own.
func serverTool(tool, prefix string) string {
	if strings.HasPrefix(tool, prefix) {
		return ""
	}
	return protocolMCP
}
