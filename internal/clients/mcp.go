package clients

import "strings"

// protocolMCP marks a call of an MCP server's tool whose name doesn't say so.
const protocolMCP = "mcp"

// serverTool is the protocol of a tool that the client says belongs to an MCP server. If its name doesn't say
// so it could be taken for a tool of the client's own.
func serverTool(tool, prefix string) string {
	if strings.HasPrefix(tool, prefix) {
		return ""
	}
	return protocolMCP
}
