package config_test

import (
	"fmt"

	"github.com/agentd/gh-agentd/config"
)

// The commented file says what holds without it.
func Example() {
	cfg, warnings, err := config.Load(config.FileName, []byte(config.DefaultTOML))
	if err != nil {
		fmt.Println(err)
		return
	}
	model, effort := cfg.ModelFor(cfg.RoleAgent(config.Challenger), "high")
	fmt.Println(len(warnings), "warnings")
	fmt.Println(cfg.RoleAgent(config.Proposer), "proposes,", cfg.RoleAgent(config.Coder), "codes")
	fmt.Println("a large plan is challenged by", model, "with effort", effort)
	// Output:
	// 0 warnings
	// gemini proposes, claude codes
	// a large plan is challenged by gpt-5.2-codex with effort high
}

func ExampleConfig_Cost() {
	cfg := config.Default()
	cost := cfg.Cost("gpt-5.2-codex", config.Tokens{In: 24567, Cached: 1200, Out: 2345})
	fmt.Printf("%.4f\n", *cost)
	fmt.Println(cfg.Cost("somebody-elses-model", config.Tokens{In: 24567}) == nil)
	// Output:
	// 0.0739
	// true
}

func ExampleLoad_wrongValue() {
	_, _, err := config.Load(config.FileName, []byte("[workflow]\nplanning_iterations = \"three\"\n"))
	fmt.Println(err)
	// Output:
	// agentd/config.toml:2: workflow.planning_iterations: want a whole number from 0 to 100, got "three"
}
