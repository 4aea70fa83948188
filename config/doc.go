// Package config owns the meaning of agentd/config.toml:
// every key, its default, its limits, and the price table that costs are reckoned with.
//
// It does not own the file. Callers bring the bytes and get one value;
// nothing here reads a disk, an environment or a clock, and nothing rewrites what a person wrote.
// Nor does it own the agents: it says which command and which model a role gets,
// not how that command is run.
//
// A file is read leniently where that is harmless and strictly where it is not.
// Unknown keys are kept in [Config.Extra] and named once in a [Warning],
// so that a file written for a newer version still works.
// A known key with an impossible value is an [Error] with file and line,
// because a limit that was meant and not understood must not turn into no limit.
//
//	cfg, warnings, err := config.Load("agentd/config.toml", src)
//	if err != nil {
//		return err // agentd/config.toml:7: workflow.planning_iterations: want a whole number from 0 to 100, got "three"
//	}
//	agent := cfg.RoleAgent(config.Challenger)          // "codex"
//	model, effort := cfg.ModelFor(agent, "high")       // "gpt-5.2-codex", "high"
//	cost := cfg.Cost(model, config.Tokens{In: 24567, Out: 2345}) // nil where no price is known
package config
