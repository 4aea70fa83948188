package phases_test

import (
	"fmt"

	"github.com/agentd/gh-agentd/phases"
)

// A change of two commits: its proposal, and a challenge that found two problems.
func ExampleReplay() {
	id, _ := phases.ParseChangeID("add-oauth")
	const plan = "5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689"

	state, err := phases.Replay(phases.History{Change: id, Commits: []phases.Commit{
		{ID: "1f0c2d3", PlanTree: plan, Message: `agentd(add-oauth): proposal

Agentd-Change: add-oauth
Agentd-Step: proposal-gen
Agentd-From: none
Agentd-Phase: proposed
`},
		{ID: "2a9b8c7", PlanTree: plan, Message: `agentd(add-oauth): challenge asks for revision

Agentd-Change: add-oauth
Agentd-Step: challenge
Agentd-From: proposed
Agentd-Phase: proposed
Agentd-Round: 1
Agentd-Verdict: NEEDS_REVISION
Agentd-Findings: high=2 medium=0 low=0
Agentd-Subject: 5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689
`},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(state.Effective, "round", state.Round, "needs", state.Need())
	fmt.Println(state.Allows(phases.EventImplement))
	// Output:
	// proposed round 2 needs reproposal
	// illegal transition: implement at proposed: it needs challenged or implementing
}
