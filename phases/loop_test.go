package phases_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestLoopState_transitions(t *testing.T) {
	legal := map[string]bool{
		"init working": true, "init failed": true,
		"working reviewing": true, "working complete": true, "working failed": true,
		"reviewing working": true, "reviewing complete": true, "reviewing failed": true,
	}
	states := []phases.LoopState{phases.LoopInit, phases.LoopWorking, phases.LoopReviewing, phases.LoopComplete, phases.LoopFailed}
	for _, from := range states {
		for _, to := range states {
			err := from.To(to)
			if (err == nil) != legal[fmt.Sprint(from, " ", to)] {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if refused, ok := errors.AsType[*phases.LoopError](err); err != nil && (!ok || refused.From != from || refused.To != to) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
}

func TestLoopState_text(t *testing.T) {
	runs := map[phases.LoopState]string{
		phases.LoopInit: "submitted", phases.LoopWorking: "working", phases.LoopReviewing: "reviewing",
		phases.LoopComplete: "completed", phases.LoopFailed: "failed",
	}
	for state, run := range runs {
		for _, text := range []string{state.String(), state.RunState()} {
			if back, err := phases.ParseLoopState(text); err != nil || back != state {
				t.Errorf("%q is read as %s, %v", text, back, err)
			}
		}
		if state.RunState() != run {
			t.Errorf("%s is the run state %s, want %s", state, state.RunState(), run)
		}
	}
	if _, err := phases.ParseLoopState("done"); err == nil {
		t.Error("done is a state")
	}
}

func TestLoop_Step(t *testing.T) {
	one := phases.LoopOptions{MaxIterations: 2, Reviewers: 1}
	both := phases.LoopOptions{MaxIterations: 2, Reviewers: 2, NeedAllReviewers: true}
	either := phases.LoopOptions{MaxIterations: 2, Reviewers: 2}
	single := phases.LoopOptions{MaxIterations: 2}
	for _, tc := range []struct {
		name    string
		options phases.LoopOptions
		turns   string // signals after the start, "-" for none, "PASS@x" for another tree
		want    string // state, iteration
	}{
		{"starts", one, "", "working 1"},
		{"worker is reviewed", one, "-", "reviewing 1"},
		{"passes", one, "DONE PASS", "complete 1"},
		{"passes though the worker did not say done", one, "- PASS", "complete 1"},
		{"goes round", one, "DONE -", "working 2"},
		{"passes in round two", one, "DONE - DONE PASS", "complete 2"},
		{"uses up its iterations", one, "DONE - DONE -", "failed 2"},
		{"worker fails", one, "FAIL", "failed 1"},
		{"reviewer fails", one, "DONE FAIL", "failed 1"},
		{"a reviewer's DONE is no PASS", one, "DONE DONE", "working 2"},
		{"a worker's PASS is no DONE", single, "PASS", "working 2"},
		{"PASS on another tree", one, "DONE PASS@other", "working 2"},
		{"single agent", single, "DONE", "complete 1"},
		{"single agent goes on", single, "- DONE", "complete 2"},
		{"single agent uses up its iterations", single, "- -", "failed 2"},
		{"either is enough", either, "DONE - PASS", "complete 1"},
		{"the first is enough", either, "DONE PASS", "complete 1"},
		{"neither", either, "DONE - -", "working 2"},
		{"both are heard", both, "DONE PASS", "reviewing 1"},
		{"both pass", both, "DONE PASS PASS", "complete 1"},
		{"one of both", both, "DONE PASS -", "working 2"},
		{"the other of both", both, "DONE - PASS", "working 2"},
		{"both pass, the worker did not say done", both, "- PASS PASS", "working 2"},
		{"passes of two iterations do not add up", both, "DONE PASS - DONE - PASS", "failed 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, err := phases.NewLoop(tc.options).Step(phases.Turn{})
			if err != nil {
				t.Fatal(err)
			}
			for word := range strings.FieldsSeq(tc.turns) {
				signal, tree, _ := strings.Cut(strings.TrimPrefix(word, "-"), "@")
				if l, err = l.Step(phases.Turn{Signal: phases.Signal(signal), Tree: tree}); err != nil {
					t.Fatalf("at %s: %v", word, err)
				}
			}
			if got := fmt.Sprint(l.State, " ", l.Iteration); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			limit := strings.Contains(tc.name, "uses up") || strings.Contains(tc.name, "do not add up")
			if l.Limited != limit {
				t.Errorf("limited: %v", l.Limited)
			}
		})
	}
}

func TestLoop_init(t *testing.T) {
	failed, err := phases.NewLoop(phases.LoopOptions{}).Step(phases.Turn{Signal: phases.SignalFail})
	if err != nil || failed.State != phases.LoopFailed {
		t.Fatalf("%s, %v", failed.State, err)
	}
	if _, err := failed.Step(phases.Turn{}); err == nil {
		t.Error("a failed loop takes a turn")
	}
}

func TestResumeLoop(t *testing.T) {
	o := phases.LoopOptions{MaxIterations: 3, Reviewers: 1}
	l, err := phases.ResumeLoop(o, phases.LoopReviewing, 2, "t").Step(phases.Turn{Signal: phases.SignalPass, Tree: "t"})
	if err != nil || l.State != phases.LoopComplete || l.Iteration != 2 {
		t.Errorf("%+v, %v", l, err)
	}
	l, err = phases.ResumeLoop(o, phases.LoopReviewing, 3, "t").Step(phases.Turn{})
	if err != nil || l.State != phases.LoopFailed || !l.Limited {
		t.Errorf("%+v, %v", l, err)
	}
	o.Reviewers, o.NeedAllReviewers = 2, true
	l = phases.ResumeLoop(o, phases.LoopReviewing, 1, "t")
	for range 2 {
		if l, err = l.Step(phases.Turn{Signal: phases.SignalPass, Tree: "t"}); err != nil {
			t.Fatal(err)
		}
	}
	if l.State != phases.LoopWorking {
		t.Errorf("without a DONE on record all of them passed: %s", l.State)
	}
}

func TestLoop_machine(t *testing.T) { rapid.Check(t, loopMachine) }

func FuzzLoop_machine(f *testing.F) { f.Fuzz(rapid.MakeFuzz(loopMachine)) }

// loopMachine keeps the turns of the iteration and asks of them, at every end, why it is one.
func loopMachine(t *rapid.T) {
	o := phases.LoopOptions{
		MaxIterations: rapid.IntRange(-1, 4).Draw(t, "max"), Reviewers: rapid.IntRange(0, 3).Draw(t, "reviewers"),
		NeedAllReviewers: rapid.Bool().Draw(t, "all"),
	}
	l := phases.NewLoop(o)
	var worker phases.Turn
	var reviewers []phases.Turn
	for range 60 {
		turn := phases.Turn{
			Signal: rapid.SampledFrom([]phases.Signal{"", "", phases.SignalDone, phases.SignalPass, phases.SignalPass, phases.SignalFail}).Draw(t, "signal"),
			Tree:   rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "tree"),
		}
		before := l
		next, err := l.Step(turn)
		if l != before {
			t.Fatal("a step changed the loop that it was asked of")
		}
		if ended := before.State == phases.LoopComplete || before.State == phases.LoopFailed; ended != (err != nil) {
			t.Fatalf("at %s: %v", before.State, err)
		}
		if err != nil {
			return
		}
		if next.State != before.State && before.State.To(next.State) != nil {
			t.Fatalf("from %s to %s", before.State, next.State)
		}
		switch before.State {
		case phases.LoopWorking:
			worker, reviewers = turn, nil
		case phases.LoopReviewing:
			reviewers = append(reviewers, turn)
		}
		passes := 0
		for _, r := range reviewers {
			if r.Signal == phases.SignalPass && r.Tree == worker.Tree {
				passes++
			}
		}
		done := worker.Signal == phases.SignalDone
		complete := before.State != phases.LoopInit && turn.Signal != phases.SignalFail && (o.Reviewers == 0 && done ||
			o.Reviewers > 0 && !o.NeedAllReviewers && passes > 0 ||
			o.Reviewers > 0 && o.NeedAllReviewers && done && passes == o.Reviewers)
		if complete != (next.State == phases.LoopComplete) {
			t.Fatalf("%+v after %+v %+v is %s", o, worker, reviewers, next.State)
		}
		failed := turn.Signal == phases.SignalFail || next.Limited
		if failed != (next.State == phases.LoopFailed) {
			t.Fatalf("%+v after %q is %s", o, turn.Signal, next.State)
		}
		if next.Iteration > max(o.MaxIterations, 1) {
			t.Fatalf("iteration %d of %d", next.Iteration, o.MaxIterations)
		}
		if next.Limited && next.Iteration != max(o.MaxIterations, 1) {
			t.Fatalf("limited in iteration %d of %d", next.Iteration, o.MaxIterations)
		}
		l = next
	}
	t.Fatal("the loop does not end")
}
