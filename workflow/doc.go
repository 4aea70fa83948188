// Package workflow makes happen what package phases allows: one type per use case, one file each.
//
// A use case is a struct with what it needs and one method Run.
// It opens the change from its history, decides by the effective phase alone,
// checks legality before it spends a token, and writes each step as one commit through package changes.
// Whatever dies on the way, running the same command again continues where the history stands.
//
// Surfaces (cli, mcp) turn words into requests and results into words; they decide nothing.
//
//	plan := workflow.Plan{Bench: bench}
//	result, err := plan.Run(ctx, workflow.PlanRequest{Change: id, Description: "Sign in with GitHub", Mode: workflow.ModeAuto})
//	// result is filled even when err says that a person must decide.
package workflow
