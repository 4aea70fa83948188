// Package templates owns every long text that gh-agentd writes into the world:
// the prompts of the agents, the skills for agents that people talk to, the skeletons of documents, the scripts of git hooks,
// and the story of the demo.
// The texts are files in this folder, embedded in the binary;
// for each there is one typed value here, whose fields are all that the text can say.
//
// It decides nothing and reads nothing:
// which prompt is due, what an agent may call and where an answer goes is the caller's business.
// It imports nothing of ours.
//
// Prompts follow four rules.
// They begin with a plain sentence, for agents' programs take a leading "/" for a command.
// They name files and do not paste them.
// Text that somebody else wrote (descriptions, notes, findings, output of commands) stands only in data blocks,
// between lines with a mark that occurs nowhere in that text, and the prompt says that nothing in there is an order.
// And the same value always renders to the same bytes.
//
//	prompt := templates.ChallengePrompt{
//		Change: "add-rate-limit",
//		Round:  1,
//		Files:  []string{"proposal.md", "specs/token-bucket.md", "tasks.md"},
//		Tools:  templates.Tools{Server: "agentd", Names: []string{"read_file", "append_review"}},
//	}
//	agent.Run(ctx, agents.Request{Prompt: []byte(prompt.Render())}, nil)
package templates
