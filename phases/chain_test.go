package phases_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

// chain builds histories as a careful writer would: From and Round follow from a replay,
// and each test bends one thing.
type chain struct {
	t       rapid.TB
	id      phases.ChangeID
	commits []phases.Commit
	content map[string]content // per commit id

	plan    string // present plan, in a word; "" for no folder
	code    string // present work on the code, in a word
	base    string // what the code stands on
	overlap bool   // the base changes the files that the work changes
}

type content struct {
	work, base string
	overlap    bool
}

func newChain(t rapid.TB) *chain {
	t.Helper()
	id, err := phases.ParseChangeID("add-oauth")
	if err != nil {
		t.Fatal(err)
	}
	return &chain{t: t, id: id, content: map[string]content{}, plan: "plan", base: "main"}
}

func digest(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:])
}

func treeOf(words ...string) string { return digest(words...)[:40] }

func (c content) tree() string { return treeOf("code", c.work, c.base) }

func (c content) diff() string {
	if c.overlap {
		return digest("diff", c.work, c.base)
	}
	return digest("diff", c.work)
}

func (c *chain) now() content { return content{work: c.code, base: c.base, overlap: c.overlap} }

func (c *chain) planTree() string {
	if c.plan == "" {
		return ""
	}
	return treeOf("plan", c.plan)
}

func (c *chain) history() phases.History {
	return phases.History{Change: c.id, Commits: c.commits, Diff: func(id string) (string, error) {
		at, ok := c.content[id]
		if !ok {
			return "", errors.New("no such commit")
		}
		return at.diff(), nil
	}}
}

func (c *chain) replay() (phases.State, error) { return phases.Replay(c.history()) }

func (c *chain) state() phases.State {
	c.t.Helper()
	s, err := c.replay()
	if errors.Is(err, phases.ErrNoHistory) {
		return phases.State{Change: c.id, Round: 1}
	}
	if err != nil {
		c.t.Fatalf("replay: %v", err)
	}
	return s
}

// push adds a commit with the present content.
func (c *chain) push(message string) *phases.Commit {
	n := len(c.commits)
	commit := phases.Commit{
		ID: treeOf("commit", fmt.Sprint(n), message), Message: message, Time: int64(n),
		PlanTree: c.planTree(), CodeTree: c.now().tree(),
	}
	if n > 0 {
		commit.Parents = []string{c.commits[n-1].ID}
		commit.TouchesCode = commit.CodeTree != c.commits[n-1].CodeTree
	}
	c.content[commit.ID] = c.now()
	c.commits = append(c.commits, commit)
	return &c.commits[n]
}

type bend func(*phases.Transition)

// draft fills a transition as the state asks for it.
func (c *chain) draft(s phases.State, step phases.Step, bends ...bend) phases.Transition {
	t := phases.Transition{Change: c.id, Step: step, From: s.Effective, Decision: step.Decision(), Actor: phases.ByAgent("worker")}
	if t.Decision != "" {
		t.Actor = phases.Human
	}
	switch step {
	case phases.StepChallenge:
		t.Subject, t.Round = c.planTree(), s.Round
	case phases.StepReview, phases.StepReverify:
		t.Subject, t.Diff, t.Evidence = c.now().tree(), c.now().diff(), passed()
		if step == phases.StepReview {
			t.Round = s.Round
		}
	case phases.StepApprove:
		t.Subject = c.planTree()
		if t.From == phases.Implementing {
			t.Subject, t.Diff, t.Evidence = c.now().tree(), c.now().diff(), passed()
		}
	case phases.StepPair:
		t.Profile = phases.ProfilePair
	}
	for _, b := range bends {
		b(&t)
	}
	if t.Phase == phases.None {
		t.Phase = t.From
		if ev, err := t.Event(); err == nil {
			if to, err := phases.Next(t.From, ev, phases.AllConditions); err == nil {
				t.Phase = to
			}
		}
	}
	if t.Phase == phases.None {
		t.Phase = phases.Proposed
	}
	return t
}

func (c *chain) add(step phases.Step, bends ...bend) *phases.Commit {
	c.t.Helper()
	t := c.draft(c.state(), step, bends...)
	message, err := phases.FormatMessage(string(step), "", t)
	if err != nil {
		c.t.Fatalf("format %s: %v", step, err)
	}
	return c.push(message)
}

func (c *chain) challenge(v phases.Verdict, bends ...bend) *phases.Commit {
	c.t.Helper()
	return c.add(phases.StepChallenge, append([]bend{verdict(v)}, bends...)...)
}

func (c *chain) review(v phases.Verdict, bends ...bend) *phases.Commit {
	c.t.Helper()
	return c.add(phases.StepReview, append([]bend{verdict(v)}, bends...)...)
}

// work changes the code and adds the step's commit.
func (c *chain) work(step phases.Step, code string) *phases.Commit {
	c.t.Helper()
	s := c.state()
	c.code = code
	message, err := phases.FormatMessage(string(step), "", c.draft(s, step))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.push(message)
}

// rebased is the same branch on another base.
func (c *chain) rebased(base string, overlap bool) *chain {
	to := newChain(c.t)
	to.plan, to.code, to.base, to.overlap = c.plan, c.code, base, overlap
	for i, commit := range c.commits {
		at := c.content[commit.ID]
		at.base, at.overlap = base, overlap
		commit.ID, commit.Parents = treeOf("rebased", base, fmt.Sprint(i)), nil
		commit.CodeTree = at.tree()
		to.content[commit.ID] = at
		to.commits = append(to.commits, commit)
	}
	return to
}

func passed() []phases.Evidence { return []phases.Evidence{{Millis: 5, Command: "go test ./..."}} }

func failed() []phases.Evidence {
	return []phases.Evidence{{Exit: 1, Millis: 5, Command: "go test ./..."}}
}

func verdict(v phases.Verdict) bend { return func(t *phases.Transition) { t.Verdict = v } }

func from(p phases.Phase) bend { return func(t *phases.Transition) { t.From = p } }

func to(p phases.Phase) bend { return func(t *phases.Transition) { t.Phase = p } }

func unproved(t *phases.Transition) { t.Evidence = failed() }

func high(n int) bend {
	return func(t *phases.Transition) { t.Findings = &phases.Findings{High: n} }
}

// The usual ways to a phase.

func proposed(t rapid.TB) *chain {
	t.Helper()
	c := newChain(t)
	c.add(phases.StepProposalGen)
	return c
}

func challenged(t rapid.TB) *chain {
	t.Helper()
	c := proposed(t)
	c.challenge(phases.Approved)
	return c
}

func implementing(t rapid.TB) *chain {
	t.Helper()
	c := challenged(t)
	c.work(phases.StepImplement, "login")
	return c
}

func complete(t rapid.TB) *chain {
	t.Helper()
	c := implementing(t)
	c.review(phases.Approved)
	return c
}

func rejected(t rapid.TB) *chain {
	t.Helper()
	c := proposed(t)
	c.challenge(phases.VerdictRejected)
	return c
}

func archived(t rapid.TB) *chain {
	t.Helper()
	c := complete(t)
	c.plan = ""
	c.add(phases.StepArchive, from(phases.Complete))
	return c
}

// wantIllegal replays and demands that the last commit is named, for the reason.
func (c *chain) wantIllegal(reason string) {
	c.t.Helper()
	_, err := c.replay()
	replay, ok := errors.AsType[*phases.ReplayError](err)
	if !ok {
		c.t.Fatalf("replay: %v, want a ReplayError about %q", err, reason)
	}
	if last := c.commits[len(c.commits)-1]; replay.Commit != last.ID {
		c.t.Errorf("named commit %s, want the last one, %s", replay.Commit, last.ID)
	}
	if !strings.Contains(err.Error(), reason) {
		c.t.Errorf("error %q does not say %q", err, reason)
	}
}

func (c *chain) wantPhase(recorded, effective phases.Phase) phases.State {
	c.t.Helper()
	s := c.state()
	if s.Recorded != recorded || s.Effective != effective {
		c.t.Fatalf("recorded %s, effective %s; want %s, %s", s.Recorded, s.Effective, recorded, effective)
	}
	return s
}

func (c *chain) wantNeed(want phases.Need) {
	c.t.Helper()
	if got := c.state().Need(); got != want {
		c.t.Fatalf("needs %s, want %s", got, want)
	}
}
