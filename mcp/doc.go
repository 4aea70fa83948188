// Package mcp is the MCP server of one change: tools over standard input and output.
//
// It owns the wire: lines, their limits, and what happens to bad ones;
// the protocol, which the official SDK speaks behind a connection of our own;
// and the life of the server, from the first line to one second after the last.
// It does not own a single tool: names, schemas, rules and effects are inbox's,
// and nothing here writes anything but answers.
//
//	err := mcp.Serve(ctx, mcp.Options{Box: box, Version: version, In: stdin, Out: stdout})
package mcp
