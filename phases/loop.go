package phases

import "fmt"

// LoopState is where the loop machine stands.
type LoopState uint8

// The states of the loop machine.
const (
	LoopInit LoopState = iota
	LoopWorking
	LoopReviewing
	LoopComplete
	LoopFailed
)

var loopNames = [...]string{
	LoopInit: "init", LoopWorking: "working", LoopReviewing: "reviewing", LoopComplete: "complete", LoopFailed: "failed",
}

// String is the name of the state.
func (s LoopState) String() string {
	if int(s) >= len(loopNames) {
		return fmt.Sprintf("loop(%d)", uint8(s))
	}
	return loopNames[s]
}

// ParseLoopState reads a state's name. A run that was submitted is init, one that completed is complete.
func ParseLoopState(s string) (LoopState, error) {
	switch s {
	case "submitted":
		return LoopInit, nil
	case "completed":
		return LoopComplete, nil
	}
	for i, name := range loopNames {
		if s == name {
			return LoopState(i), nil
		}
	}
	return LoopInit, fmt.Errorf("unknown loop state %s", quoteShort(s))
}

// RunState is the state in the words of runs: submitted, working, reviewing, completed, failed.
func (s LoopState) RunState() string {
	switch s {
	case LoopInit:
		return "submitted"
	case LoopComplete:
		return "completed"
	}
	return s.String()
}

// To reports whether the machine has the transition. The error is a [*LoopError].
func (s LoopState) To(next LoopState) error {
	legal := false
	switch s {
	case LoopInit:
		legal = next == LoopWorking || next == LoopFailed
	case LoopWorking:
		legal = next == LoopReviewing || next == LoopComplete || next == LoopFailed
	case LoopReviewing:
		legal = next == LoopWorking || next == LoopComplete || next == LoopFailed
	}
	if !legal {
		return &LoopError{From: s, To: next}
	}
	return nil
}

// LoopError refuses a transition that the loop machine does not have.
type LoopError struct{ From, To LoopState }

func (e *LoopError) Error() string {
	return fmt.Sprintf("a loop cannot go from %s to %s", e.From, e.To)
}

// Signal is what a role says at the end of its turn.
type Signal string

// The signals. "" is the absence of one.
const (
	SignalDone Signal = "DONE" // of the worker: the work is finished
	SignalPass Signal = "PASS" // of a reviewer: so it is
	SignalFail Signal = "FAIL" // of anybody: it cannot be done
)

// LoopOptions fix a loop.
type LoopOptions struct {
	MaxIterations    int  // at least 1
	Reviewers        int  // 0: the worker's DONE is enough
	NeedAllReviewers bool // the worker must say DONE and every reviewer PASS on that tree; otherwise one PASS is enough
}

// Loop is the machine that plan, impl, pair and crew turn on: a worker, and reviewers after it.
// It is a value: [Loop.Step] answers with the next one and changes nothing.
type Loop struct {
	State     LoopState
	Iteration int  // turns that the worker has had or is having, from 1; 0 at init
	Reviewer  int  // whose turn it is while reviewing, from 0
	Limited   bool // failed because the iterations were used up

	options LoopOptions
	done    bool   // the worker said DONE in this iteration
	tree    string // that the worker left in this iteration
	passes  int    // on that tree
}

// NewLoop is a loop at init.
func NewLoop(o LoopOptions) Loop {
	o.MaxIterations = max(o.MaxIterations, 1)
	o.Reviewers = max(o.Reviewers, 0)
	return Loop{options: o}
}

// ResumeLoop is a loop at a state that was recorded.
// The tree is the one that the worker left.
// Signals are not recorded: reviewers are heard again, and a DONE that all of them need is asked for again.
func ResumeLoop(o LoopOptions, s LoopState, iteration int, tree string) Loop {
	l := NewLoop(o)
	l.State, l.Iteration, l.tree = s, max(iteration, 0), tree
	return l
}

// Turn is what a role's turn ended with.
type Turn struct {
	Signal Signal
	Tree   string // that the worker left, or that the reviewer read
}

// Step takes the turn of whoever's turn it is: nobody's at init, the worker's, or [Loop.Reviewer]'s.
// A signal that is another role's counts as none. A loop that has ended takes no turn.
func (l Loop) Step(t Turn) (Loop, error) {
	switch {
	case l.State == LoopComplete || l.State == LoopFailed:
		return l, l.State.To(LoopWorking)
	case t.Signal == SignalFail:
		return l.to(LoopFailed)
	}
	switch l.State {
	case LoopInit:
		return l.work()
	case LoopWorking:
		return l.worked(t)
	}
	return l.reviewed(t)
}

// worked ends the worker's turn.
func (l Loop) worked(t Turn) (Loop, error) {
	l.done, l.tree = t.Signal == SignalDone, t.Tree
	l.Reviewer, l.passes = 0, 0
	switch {
	case l.options.Reviewers > 0:
		return l.to(LoopReviewing)
	case l.done:
		return l.to(LoopComplete)
	}
	return l.work()
}

// reviewed ends a reviewer's turn. Everybody is heard, unless one PASS is enough.
func (l Loop) reviewed(t Turn) (Loop, error) {
	if t.Signal == SignalPass && t.Tree == l.tree {
		l.passes++
	}
	l.Reviewer++
	everybody := l.passes == l.options.Reviewers && l.done
	switch {
	case !l.options.NeedAllReviewers && l.passes > 0, everybody:
		return l.to(LoopComplete)
	case l.Reviewer < l.options.Reviewers:
		return l, nil
	}
	return l.work()
}

// work begins the next iteration, if there is one.
// Where nobody reviews, the worker keeps the turn, and the state stays.
func (l Loop) work() (Loop, error) {
	if l.Iteration >= l.options.MaxIterations {
		l.Limited = true
		return l.to(LoopFailed)
	}
	l.Iteration++
	if l.State == LoopWorking {
		return l, nil
	}
	return l.to(LoopWorking)
}

func (l Loop) to(next LoopState) (Loop, error) {
	if err := l.State.To(next); err != nil {
		return l, err
	}
	l.State = next
	return l, nil
}
