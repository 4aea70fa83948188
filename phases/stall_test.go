package phases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/phases"
)

// Two recorded challenge loops that never came to an end by themselves: HIGH findings per round.
func TestStalled_recordedSeries_NC04(t *testing.T) {
	for _, series := range [][]int{
		{2, 3, 3, 1, 1, 2, 2, 1, 1, 3, 2, 1, 1, 1, 1, 1, 3, 3, 1},
		{4, 4, 2, 1, 2, 2, 2, 3, 2, 3, 2, 3, 2, 2},
	} {
		c := proposed(t)
		for i, n := range series {
			c.challenge(phases.NeedsRevision, high(n))
			stall, ok := c.state().Stalled()
			if ok != (i >= 6) {
				t.Fatalf("%v: after round %d stalled is %v (%s)", series, i+1, ok, stall.Reason)
			}
			if ok && (len(stall.Commits) != 2 || !strings.Contains(stall.Reason, "3 rounds since") && i == 6) {
				t.Errorf("%+v", stall)
			}
			if ok {
				break
			}
			c.plan = fmt.Sprintf("plan after %d", i)
			c.add(phases.StepReproposal)
		}
	}
}

func TestStalled_convergingLoopGoesOn(t *testing.T) {
	c := proposed(t)
	for i, n := range []int{5, 5, 4, 4, 4, 3, 2, 2, 1, 0} {
		c.challenge(phases.NeedsRevision, high(n))
		if stall, ok := c.state().Stalled(); ok {
			t.Fatalf("after round %d: %s", i+1, stall.Reason)
		}
		c.plan = fmt.Sprintf("plan after %d", i)
		c.add(phases.StepReproposal)
	}
}

func TestStalled_sameFindings_NC04(t *testing.T) {
	found := func(n int, set string) bend {
		return func(t *phases.Transition) { t.Findings = &phases.Findings{High: n, Low: 1, Set: set} }
	}
	c := proposed(t)
	first := c.challenge(phases.NeedsRevision, found(3, "9c1b7e2f")).ID
	c.plan = "plan 2"
	c.add(phases.StepReproposal)
	c.challenge(phases.NeedsRevision, found(2, "00000001"))
	c.plan = "plan 3"
	c.add(phases.StepReproposal)
	second := c.challenge(phases.NeedsRevision, found(2, "9c1b7e2f")).ID // not twice in a row
	if stall, ok := c.state().Stalled(); ok {
		t.Fatalf("stalled: %s", stall.Reason)
	}
	c.plan = "plan 4"
	c.add(phases.StepReproposal)
	third := c.challenge(phases.NeedsRevision, found(2, "9c1b7e2f")).ID
	stall, ok := c.state().Stalled()
	if want := fmt.Sprintf("no progress: the same 3 findings came back (%s, %s)", second[:7], third[:7]); !ok || stall.Reason != want {
		t.Errorf("got %q, want %q", stall.Reason, want)
	}
	if !slices.Equal(stall.Commits, []string{second, third}) || slices.Contains(stall.Commits, first) {
		t.Errorf("commits %v", stall.Commits)
	}
	c.add(phases.StepContinue)
	if stall, ok := c.state().Stalled(); ok {
		t.Errorf("stalled after a decision: %s", stall.Reason)
	}
}

// A person who asks for changes has read the tree that an agent has judged, and so has a second person.
func TestStalled_peopleReadWhatAgentsJudged(t *testing.T) {
	c := proposed(t)
	c.challenge(phases.NeedsRevision, high(1))
	for range 2 {
		c.challenge(phases.NeedsRevision, high(1), byPerson)
		if stall, ok := c.state().Stalled(); ok {
			t.Fatalf("stalled: %s", stall.Reason)
		}
	}
	c.challenge(phases.NeedsRevision, high(1))
	if _, ok := c.state().Stalled(); !ok {
		t.Error("an agent who reads it again is progress")
	}
}

func byPerson(t *phases.Transition) { t.Actor = phases.Human }

func TestStalled_flipFlop_NC05(t *testing.T) {
	c := implementing(t)
	c.work(phases.StepImplement, "tabs")
	first := c.review(phases.NeedsChanges, high(4)).ID
	c.work(phases.StepResolve, "spaces")
	c.review(phases.NeedsChanges, high(3))
	if _, ok := c.state().Stalled(); ok {
		t.Fatal("stalled too early")
	}
	second := c.work(phases.StepResolve, "tabs").ID
	want := fmt.Sprintf("no progress: %s has the tree that was judged in %s", second[:7], first[:7])
	stall, ok := c.state().Stalled()
	if !ok || stall.Reason != want || !slices.Equal(stall.Commits, []string{first, second}) {
		t.Errorf("got %+v, want %q", stall, want)
	}
	if _, ok := c.rebased("main 2", true).state().Stalled(); !ok {
		t.Error("a rebase hides the repetition")
	}
	third := c.review(phases.NeedsChanges, high(2)).ID
	if stall, ok := c.state().Stalled(); !ok || !slices.Equal(stall.Commits, []string{first, third}) {
		t.Errorf("after the review: %+v", stall)
	}
}

func TestStalled_repairThatChangesNothing(t *testing.T) {
	c := proposed(t)
	c.challenge(phases.NeedsRevision, high(1))
	if _, ok := c.state().Stalled(); ok {
		t.Fatal("stalled before the repair")
	}
	c.add(phases.StepReproposal)
	if _, ok := c.state().Stalled(); !ok {
		t.Error("a reproposal of the same plan goes on")
	}
}

func TestStalled_onlyTheLoopThatRuns(t *testing.T) {
	c := proposed(t)
	for i := range 7 {
		c.challenge(phases.NeedsRevision, high(1))
		c.plan = fmt.Sprintf("plan %d", i)
		c.add(phases.StepReproposal)
	}
	if _, ok := c.state().Stalled(); !ok {
		t.Fatal("seven equal rounds go on")
	}
	c.challenge(phases.Approved)
	if _, ok := c.state().Stalled(); ok {
		t.Error("an approved plan is stalled")
	}
	c.work(phases.StepImplement, "a")
	c.review(phases.NeedsChanges, high(1))
	if stall, ok := c.state().Stalled(); ok {
		t.Errorf("implementing is stalled: %s", stall.Reason)
	}
	c.plan = "edited"
	c.push("edit\n")
	c.challenge(phases.NeedsRevision, high(1))
	if stall, ok := c.state().Stalled(); ok {
		t.Errorf("the new plan is stalled: %s", stall.Reason)
	}
}

func TestStalled_unreadableVerdictsDoNotCount(t *testing.T) {
	c := proposed(t)
	c.challenge(phases.NeedsRevision, high(1))
	for range 5 {
		c.challenge(phases.Unknown)
	}
	if stall, ok := c.state().Stalled(); ok {
		t.Error(stall.Reason)
	}
}
