package changes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Record is one step that is about to become a commit.
type Record struct {
	Subject string // without the "agentd(<id>): " in front; free text is made safe
	Body    string // free text from anywhere

	// Transition carries what the step says of itself: step, verdict, findings, agent, usage, evidence, tasks, decision.
	// Change, From, Phase, Round, Subject and Diff are filled in by Append.
	Transition phases.Transition

	// Files are paths below the change's folder; a nil value removes the file.
	Files map[string][]byte
	// Code are edits outside agentd/.
	Code []gitops.Edit
	// Calls are the agent calls that this step paid for.
	Calls []specs.LLMCall

	// JudgedPlan and JudgedCode are the tree that a verdict or a decision is about, as it was read.
	// Append refuses with *SubjectMovedError when the branch no longer holds it.
	JudgedPlan string
	JudgedCode string
}

// Append writes the record as one commit and moves the branch to it.
//
// The commit's tree is the tip's tree with the record's files and the new STATE.yaml.
// When somebody else moved the branch meanwhile, the step is tried again on the new tip
// as long as the phase and what was judged are the same; else it is refused.
// It returns the change as it stands after the commit, and the paths that worktrees kept for themselves.
func (c *Change) Append(ctx context.Context, rec Record) (*Change, []string, error) {
	const attempts = 4
	for range attempts {
		next, left, err := c.append(ctx, rec)
		var moved *gitops.MovedError
		if !errors.As(err, &moved) {
			return next, left, err
		}
		again, openErr := c.store.Open(ctx, c.ID)
		if openErr != nil {
			return nil, nil, openErr
		}
		if again.State.Effective != c.State.Effective {
			return nil, nil, fmt.Errorf("record step %q: %w", rec.Transition.Step, err)
		}
		c = again
	}
	return nil, nil, fmt.Errorf("record step %q: branch %s keeps moving", rec.Transition.Step, c.ID.Branch())
}

func (c *Change) append(ctx context.Context, rec Record) (*Change, []string, error) {
	if rec.Transition.Step != phases.StepRepair {
		if err := c.Forward(); err != nil {
			return nil, nil, err
		}
	}
	t, err := c.transition(ctx, rec)
	if err != nil {
		return nil, nil, err
	}
	commit, subjects, err := c.commit(ctx, rec, t)
	if err != nil {
		return nil, nil, err
	}
	left, err := c.store.advance(ctx, gitops.Advance{
		Reason: "agentd: " + string(t.Step), Ref: c.ID.Ref(), Old: c.Tip, New: commit, Also: subjects,
	})
	if err != nil {
		return nil, nil, err
	}
	next, err := c.store.OpenAt(ctx, c.ID, commit)
	return next, left, err
}

// transition decides the move and fills in what the history says of it.
func (c *Change) transition(ctx context.Context, rec Record) (phases.Transition, error) {
	t := rec.Transition
	t.Change, t.From = c.ID, c.State.Effective
	event, err := t.Event()
	if err != nil {
		return t, fmt.Errorf("step %q %w", t.Step, err)
	}
	if t.Phase, err = phases.Next(t.From, event, phases.AllConditions); err != nil {
		return t, err
	}
	if t.Round == 0 {
		t.Round = c.State.Round
	}
	switch {
	case rec.JudgedPlan != "":
		if rec.JudgedPlan != c.State.PlanTree {
			return t, &SubjectMovedError{ID: c.ID, Read: rec.JudgedPlan, Have: c.State.PlanTree}
		}
		t.Subject = rec.JudgedPlan
	case rec.JudgedCode != "":
		if rec.JudgedCode != c.State.CodeTree {
			return t, &SubjectMovedError{ID: c.ID, Read: rec.JudgedCode, Have: c.State.CodeTree}
		}
		t.Subject = rec.JudgedCode
		if t.Diff, err = c.Diff(ctx); err != nil {
			return t, err
		}
	}
	return t, c.State.Admit(t, c.State.PlanTree, c.State.CodeTree)
}

// commit writes blobs, trees and the commit object. Nothing is visible until a ref moves:
// the branch, and with it what is returned beside the commit.
func (c *Change) commit(ctx context.Context, rec Record, t phases.Transition) (gitops.ID, []gitops.RefUpdate, error) {
	now := c.store.Now().UTC().Truncate(time.Second)
	state, err := c.nextState(rec, t, now)
	if err != nil {
		return "", nil, err
	}
	edits := append(fileEdits(c.ID.Dir(), rec.Files), rec.Code...)
	edits = append(edits, gitops.Edit{Path: c.ID.Dir() + "/" + specs.StateFile, Mode: gitops.ModeFile, Content: state.YAML()})
	tree, err := c.store.writeTree(ctx, c.tree, edits)
	if err != nil {
		return "", nil, err
	}
	var subjects []gitops.RefUpdate
	if t.Subject != "" {
		if subjects, err = c.judged(ctx, t, tree); err != nil {
			return "", nil, err
		}
	}
	commit, err := c.store.commitTree(ctx, tree, []gitops.ID{c.Tip}, rec, t)
	return commit, subjects, err
}

// judged refuses a verdict whose own commit would change what it is about, and keeps the tree that it is about.
func (c *Change) judged(ctx context.Context, t phases.Transition, next gitops.ID) ([]gitops.RefUpdate, error) {
	r, err := c.store.reader(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	defer r.close()
	then, err := r.trees(next)
	if err != nil {
		return nil, err
	}
	if err := c.State.Admit(t, string(then.plan), string(then.code)); err != nil {
		return nil, err
	}
	return c.keepSubject(ctx, r, t)
}

// commitTree writes the commit object; a commit-msg hook may add to the message but never change our trailers.
func (s *Store) commitTree(ctx context.Context, tree gitops.ID, parents []gitops.ID, rec Record, t phases.Transition) (gitops.ID, error) {
	subject := fmt.Sprintf("agentd(%s): %s", t.Change, rec.Subject)
	message, err := phases.FormatMessage(subject, rec.Body, t)
	if err != nil {
		return "", err
	}
	if err := s.tellsSecret(message); err != nil {
		return "", err
	}
	return s.Repo.CommitTree(ctx, gitops.CommitRequest{
		Tree: tree, Parents: parents, Message: message,
		Keep: func(after string) error { return sameTransition(message, after) },
	})
}

// sameTransition refuses a message whose record differs from what we wrote.
func sameTransition(before, after string) error {
	want, err := phases.ParseMessage(before)
	if err != nil {
		return err
	}
	have, err := phases.ParseMessage(after)
	if err != nil {
		return fmt.Errorf("the commit-msg hook broke the trailers: %w", err)
	}
	if have.Transition == nil {
		return errors.New("the commit-msg hook removed the Agentd trailers")
	}
	a, errA := want.Transition.Trailers()
	b, errB := have.Transition.Trailers()
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	textA, _ := phases.FormatTrailers(a)
	textB, _ := phases.FormatTrailers(b)
	if textA != textB {
		return errors.New("the commit-msg hook changed the Agentd trailers")
	}
	return nil
}

// nextState is STATE.yaml after the transition.
// When the old one cannot be used (doctor --fix), it is rebuilt from the history.
func (c *Change) nextState(rec Record, t phases.Transition, now time.Time) (*specs.State, error) {
	state := c.Document
	if c.DocumentErr != nil || rec.Transition.Step == phases.StepRepair {
		state = c.RebuildState()
	}
	if state == nil {
		return nil, ErrNoState
	}
	next := *state
	next.Record(specs.EntryOf(t, now), rec.Calls, now)
	next.Iteration = t.Round
	return &next, nil
}

// RebuildState makes STATE.yaml anew from what the commits say.
func (c *Change) RebuildState() *specs.State {
	state := specs.NewState(c.ID.String())
	for _, applied := range c.State.Transitions {
		at := time.Unix(applied.Time, 0).UTC()
		state.Record(specs.EntryOf(applied.Transition, at), callsOf(applied, at), at)
		if applied.Round > 0 {
			state.Iteration = applied.Round
		}
	}
	return state
}

// callsOf recovers the agent call that a transition's trailers tell of.
func callsOf(a phases.Applied, at time.Time) []specs.LLMCall {
	if a.Usage == nil || a.Agent == "" {
		return nil
	}
	return []specs.LLMCall{specs.CallOf(string(a.Step), a.Agent, *a.Usage, at)}
}

// fileEdits turns files of a change's folder into edits of the repository's tree.
func fileEdits(folder string, files map[string][]byte) []gitops.Edit {
	var edits []gitops.Edit
	for name, content := range files {
		path := folder + "/" + strings.TrimPrefix(name, "/")
		if content == nil {
			edits = append(edits, gitops.Edit{Path: path, Delete: true})
			continue
		}
		edits = append(edits, gitops.Edit{Path: path, Mode: gitops.ModeFile, Content: content})
	}
	return edits
}
