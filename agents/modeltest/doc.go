// Package modeltest is a scripted provider of models for tests: a server on loopback to which the real agent CLIs speak.
// It speaks the wire formats of Gemini (generateContent), OpenAI (Responses) and Anthropic (Messages), one on each path,
// answers as a [Script] says, misbehaves in every way that providers do ([Fault]),
// and keeps account of what it was sent and of the usage that it reported.
// It does not judge what a model should have said, and starts no CLI. Only tests import it.
//
//	server := modeltest.Start(t, modeltest.Play(cassette))
//	server.Install(t, home) // the CLIs with this HOME ask this server
//	… run gh-agentd with that HOME …
//	used := server.Used(func(e modeltest.Exchange) bool { return e.Step.Name == "challenge" })
//	if used.In != recorded.In { … }
//
// # What a script sees and says
//
// A [Request] has the same words for all vendors: the prompt, the [Step] that the prompt is for,
// and what the model has had done since ([Done]). An [Answer] is words, actions, or a fault.
// An action names what to do and not how: a call of our MCP server is mcp_agentd_X to Gemini, mcp__agentd__X to Claude,
// and a function in a namespace, a found tool or a line of JavaScript to Codex, as the CLI offers it.
//
// # Counting
//
// The size of a request is measured in bytes of its body, its parts are told apart ([Size]),
// and [Tokens] says how many tokens that is. Unless a script claims otherwise, exactly that is reported as usage,
// so that what a CLI reports and what we record must equal what was sent.
package modeltest
