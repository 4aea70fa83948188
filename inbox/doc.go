// Package inbox is the hand-over between an agent's tools and the run that holds the lock.
//
// An agent never commits.
// It calls tools, over MCP or through submit,
// and every call ends here, in [Box.Call]: the one path on which anything an agent says becomes a file.
// The run that started the agent holds the lock of the change, reads the box afterwards,
// judges what it finds, and commits.
//
// A box is a run folder, outside of .git:
//
//	run.json     what the run is for: change, step, role, limits
//	change/      a copy of the change's folder: what tools read, and where drafts are written
//	inbox/       verdict.json, questions.json, self-review.json, signal.json
//	calls.jsonl  one line per call: tool, outcome, time
//	recorded.jsonl  what the calls were made with, where the run is recorded
//	lock         held for the length of one call, across processes
//
// The folder is within reach of the agent, which runs as the person does.
// A verdict counts only as the log of calls knows it, so that no file that was put there, changed or taken away is one.
// An agent that forges the log as well is not found out here:
// it could as well have called the tool with another verdict, and another agent that judges is the answer to it.
//
// The package owns the closed list of tools per step, what each may touch,
// the strict reading of arguments, the limits, and the layout of the folder.
// It does not own what a document looks like (specs does), whether a verdict moves a phase (phases does),
// how a call arrives (mcp and cli do), or anything about git.
//
//	box, err := inbox.Create(dir, inbox.Run{Change: "add-oauth", Step: "challenge", Role: "challenger"}, files)
//	if err != nil {
//		return err
//	}
//	// … the agent runs, its server calls inbox.Open(dir) and box.Call …
//	verdict, ok, err := box.Verdict()
package inbox
