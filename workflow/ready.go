package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// runVariable is set in the environment of everything that an agent starts.
const runVariable = "AGENTD_RUN"

// byPerson refuses commands that move a change when an agent in a run types them.
func (b *Bench) byPerson(command string) error {
	for _, pair := range b.Environ {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && slices.Contains([]string{runVariable, "AGENTD_BIN", "AGENTD_CHANGE", "AGENTD_STEP"}, name) {
			return &InsideRunError{Command: command}
		}
	}
	// An agent can empty its environment. But it comes from a run of ours, which holds the lock of a change here;
	// one in another repository is nobody's matter.
	if proc.AncestorHasOpen(b.Store.Repo.LockFolder()) {
		return &InsideRunError{Command: command}
	}
	return nil
}

// ready checks what would otherwise fail after tokens were spent:
// an identity to commit with, a first commit, a branch that nobody moved elsewhere.
func (b *Bench) ready(ctx context.Context, id phases.ChangeID) error {
	if err := b.committable(ctx, id); err != nil {
		return err
	}
	return b.sync(ctx, id)
}

// committable checks that a commit can be made and the change's branch moved: what others pushed is not asked for.
func (b *Bench) committable(ctx context.Context, id phases.ChangeID) error {
	if _, _, err := b.Repo.Identity(ctx); err != nil {
		return err
	}
	if _, head, err := b.Repo.Head(ctx); err != nil {
		return err
	} else if head == "" {
		return &gitops.WorktreeError{Problem: gitops.NoCommit}
	}
	held, err := b.Repo.RebaseOf(ctx, id.Branch())
	if err != nil {
		return err
	}
	if held {
		return &GateError{Gate: "branch", Reason: fmt.Sprintf("a rebase of %s is in progress", id.Branch()), Next: "git rebase --continue, or git rebase --abort"}
	}
	return nil
}

// sync takes what other clones pushed to the change's branch, fast-forward only.
// Two histories are never merged: a diverged branch is refused.
func (b *Bench) sync(ctx context.Context, id phases.ChangeID) error {
	remotes, err := b.Repo.Remotes(ctx)
	if err != nil || len(remotes) == 0 {
		return err
	}
	return b.syncWith(ctx, id, mainRemote(remotes))
}

// mainRemote is the remote that changes are shared through: origin, or else the first by name.
func mainRemote(remotes []gitops.Remote) string {
	for _, r := range remotes {
		if r.Name == "origin" {
			return r.Name
		}
	}
	return remotes[0].Name
}

func (b *Bench) syncWith(ctx context.Context, id phases.ChangeID, remote string) error {
	tracking := "refs/remotes/" + remote + "/" + id.Branch()
	err := b.Repo.Fetch(ctx, remote, "+"+id.Ref()+":"+tracking)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		b.Say.Warn(fmt.Sprintf("%s could not be reached (%s): going on with what is here", remote, firstLine(err.Error())))
	}
	refs, err := b.Repo.Refs(ctx, id.Ref(), tracking)
	if err != nil {
		return err
	}
	var here, there gitops.ID
	for _, ref := range refs {
		if ref.Name == id.Ref() {
			here = ref.ID
		} else {
			there = ref.ID
		}
	}
	return b.takeRemote(ctx, id, remote, here, there)
}

func (b *Bench) takeRemote(ctx context.Context, id phases.ChangeID, remote string, here, there gitops.ID) error {
	if there == "" || here == there {
		return nil
	}
	if here != "" {
		ahead, err := b.Repo.IsAncestor(ctx, there, here)
		if err != nil || ahead {
			return err
		}
		behind, err := b.Repo.IsAncestor(ctx, here, there)
		if err != nil {
			return err
		}
		if !behind {
			return &DivergedError{ID: id, Remote: remote, Here: here.Short(), There: there.Short()}
		}
	}
	left, err := b.Store.Move(ctx, id, here, there, "take "+remote+"/"+id.Branch())
	if err != nil {
		return err
	}
	b.Say.Note(fmt.Sprintf("%s: took %s/%s", id, remote, id.Branch()))
	for _, path := range left {
		b.Say.Warn("left as you have it: " + path)
	}
	return nil
}

// DivergedError says that two clones wrote different histories of one change.
type DivergedError struct {
	ID          phases.ChangeID
	Remote      string
	Here, There string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("change %q diverged: here it is at %s, on %s at %s, and two histories are never merged", e.ID, e.Here, e.Remote, e.There)
}

// Hint names the commands that settle it.
func (e *DivergedError) Hint() string {
	return fmt.Sprintf("`gh agentd doctor %s --take remote` or `--take local`; the other side is kept under refs/agentd/saved/", e.ID)
}

// validateOptions are the [validation] rules of the configuration.
func (b *Bench) validateOptions() specs.ValidateOptions { return b.Config.Validation.Options() }

// RulesFor are the rules that hold for a change: the form of an imported one is not held against it.
// nil is a change that is about to begin.
func (b *Bench) RulesFor(c *changes.Change) specs.ValidateOptions {
	options := b.validateOptions()
	options.Legacy = c != nil && imported(c)
	return options
}

// imported reports a change that was not begun here.
func imported(c *changes.Change) bool {
	return len(c.State.Transitions) > 0 && c.State.Transitions[0].Step == phases.StepImport
}

// nextCommand is what to type next, by the phase alone.
func nextCommand(c *changes.Change) string {
	if c.ArchivePending() {
		return "gh pr merge " + c.ID.Branch()
	}
	switch c.State.Effective {
	case phases.Proposed:
		return command("plan", c.ID)
	case phases.Rejected:
		return command("reopen", c.ID)
	case phases.Challenged, phases.Implementing:
		return command("impl", c.ID)
	case phases.Complete:
		return command("archive", c.ID)
	}
	return ""
}
