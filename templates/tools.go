package templates

import (
	"fmt"
	"slices"
	"strings"
)

// Tools says how an agent hands in its answer:
// through the tools of our MCP server, or, where Submit is set, through a command.
type Tools struct {
	Server string   // name of the MCP server as the agent knows it; "agentd" when empty
	Names  []string // tools the server offers for this step; a prompt names no other optional tool
	Submit string   // for agents without MCP: the command line before the step, such as "gh-agentd submit"
}

// Known is a finding of an earlier round.
type Known struct {
	ID       string // stays the same from round to round, such as "F-3f2a9c"
	Severity string // HIGH, MEDIUM or LOW
	Text     string
}

// mcp reports whether the agent has our MCP server.
func (t Tools) mcp() bool { return t.Submit == "" }

// has reports whether a tool is offered. Without MCP there are none.
func (t Tools) has(name string) bool { return t.mcp() && slices.Contains(t.Names, name) }

// named is a tool as prompts write it.
// Agents see the same tool under different names (mcp__agentd__x, mcp_agentd_x, agentd-x), so the server is said in words.
func (t Tools) named(name string) string {
	server := t.Server
	if server == "" {
		server = "agentd"
	}
	return fmt.Sprintf("the `%s` tool of the `%s` MCP server", name, server)
}

// command is the whole command line that hands in a step.
func (t Tools) command(step string) string {
	return fmt.Sprintf("%s %s --json-file FILE", strings.TrimSpace(t.Submit), step)
}
