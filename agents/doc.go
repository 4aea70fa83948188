// Package agents runs the programs that do a change's work: gemini, codex, claude, any configured command, and replay.
//
// One runner ([Program]) serves them all. It owns everything that is the same for every agent:
// its own process group, limits, an environment by allow-list, the prompt from a file, bounded and redacted logs,
// typed errors ([Error]) with a hint, and the judgement that only a success that the agent itself reported is one.
// What differs is a small [Codec]: how a [Request] becomes a command line, and what one line of output means.
// [NewGemini], [NewCodex] and [NewClaude] are the three CLIs that it knows: for each a file with the command line of a request
// and one with the codec of its events. [Command] describes any other agent in a configuration file,
// and [NewReplay] is the agent that plays a recorded [Cassette] through the same tools, without network or keys.
//
// The package does not decide what a step needs, whether an artefact is there, or what a verdict means:
// an agent's free text is never a verdict, and its callers look at what arrived through the tools.
//
//	agent := agents.NewReplay(executable, "demo.yaml")
//	result, err := agent.Run(ctx, agents.Request{
//		Role: "challenger", Step: "challenge", Round: 1, Change: "add-oauth",
//		Prompt: prompt, Dir: worktree, RunDir: runFolder, Access: agents.ToolsOnly, Tools: tools, Environ: environ,
//	}, func(e agents.Event) { progress.Show(e) })
//	if failure, ok := errors.AsType[*agents.Error](err); ok && failure.Kind == agents.NotAuthenticated {
//		…
//	}
package agents
