package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// targets finds what the request is about. None means that there is nothing to judge.
func (k *checking) targets(ctx context.Context) ([]target, error) {
	switch {
	case k.req.Push != nil:
		return k.pushed(k.req.Push.Refs), nil
	case len(k.req.Names) > 0:
		return k.named(ctx, k.req.Names)
	}
	return k.open(ctx)
}

// pushed judges a ref by both of its names: `feature:agentd/x` makes a change, `agentd/x:feature` carries one.
func (k *checking) pushed(refs []PushedRef) []target {
	var found []target
	for _, ref := range refs {
		if ref.LocalID.IsZero() {
			continue // deleted
		}
		for _, name := range []string{ref.Local, ref.Remote} {
			t := target{ref: name, tip: ref.LocalID}
			if name == ref.Remote {
				t.old = ref.RemoteID
			}
			if k.ofChange(&t) && (name == ref.Remote || ref.Local != ref.Remote) {
				found = append(found, t)
			}
		}
	}
	return found
}

// ofChange fills in the change whose branch a ref is. A name under agentd/ that no change can have is violated.
func (k *checking) ofChange(t *target) bool {
	name, ok := strings.CutPrefix(t.ref, "refs/heads/agentd/")
	if !ok {
		return false
	}
	id, err := phases.ParseChangeID(name)
	if err != nil {
		k.violated(*t, phases.Violation{
			Rule: phases.RuleBranchName, Message: fmt.Sprintf("%q cannot be the branch of a change: %v", "agentd/"+name, err),
			Hint: "rename it with `git branch -m`: what begins with agentd/ is the branch of a change",
		})
		return false
	}
	t.change = id
	return true
}

// open are the changes that have a branch.
func (k *checking) open(ctx context.Context) ([]target, error) {
	refs, err := k.repo.Refs(ctx, "refs/heads/agentd/")
	if err != nil {
		return nil, err
	}
	var found []target
	for _, ref := range refs {
		t := target{ref: ref.Name, tip: ref.ID}
		if k.ofChange(&t) {
			found = append(found, t)
		}
	}
	return found, nil
}

// named finds what a person or a workflow calls by name.
func (k *checking) named(ctx context.Context, names []string) ([]target, error) {
	var found []target
	for _, name := range names {
		t, ok, err := k.branchNamed(ctx, name)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, t)
		}
	}
	return found, nil
}

// branchNamed finds a branch by its id, its name or its full name.
func (k *checking) branchNamed(ctx context.Context, name string) (target, bool, error) {
	if id, err := phases.ParseChangeID(name); err == nil {
		tip, err := k.repo.Resolve(ctx, id.Ref())
		if err == nil {
			return target{change: id, ref: id.Ref(), tip: tip}, true, nil
		}
		if !errors.Is(err, gitops.ErrNotFound) {
			return target{}, false, err
		}
	}
	ref := "refs/heads/" + strings.TrimPrefix(name, "refs/heads/")
	tip, err := k.repo.Resolve(ctx, ref)
	if errors.Is(err, gitops.ErrNotFound) {
		return target{}, false, &CheckNameError{Name: name}
	}
	t := target{ref: ref, tip: tip}
	return t, err == nil && k.ofChange(&t), err
}

// CheckNameError says that nothing here has that name.
type CheckNameError struct{ Name string }

func (e *CheckNameError) Error() string {
	return fmt.Sprintf("%q is no change, no branch and no range of commits here", e.Name)
}

// Hint names the command that lists what there is.
func (e *CheckNameError) Hint() string { return "gh agentd list" }

// findTrunk is what is trusted.
func (k *checking) findTrunk(ctx context.Context) (changes.Trunk, error) {
	remote := "origin"
	if k.req.Push != nil {
		remote = k.req.Push.Remote
	}
	return k.store.Trunk(ctx, remote)
}

// readPolicy reads what the team accepts from the trunk, never from what is judged.
func (k *checking) readPolicy() error {
	if k.trunk.Rules.IsZero() {
		return nil
	}
	_, _, src, err := k.auditor.Objects().Lookup(string(k.trunk.Rules) + ":" + config.FileName)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c, _, err := config.Load(config.FileName, src)
	if err != nil {
		return fmt.Errorf("read the policy of %s: %w", k.trunk.Branch, err)
	}
	k.policy = phases.Policy{Profiles: c.Policy.Profiles}
	return nil
}

// deepen makes a shallow clone whole, or refuses it: what was cut off is never guessed.
func (k *checking) deepen(ctx context.Context) error {
	if !k.repo.Shallow() {
		return nil
	}
	if !k.req.Deepen {
		return &ShallowCloneError{}
	}
	remotes, err := k.repo.Remotes(ctx)
	if err != nil {
		return err
	}
	if len(remotes) == 0 {
		return &ShallowCloneError{}
	}
	return k.repo.Unshallow(ctx, remotes[0].Name)
}

// ShallowCloneError refuses to judge a history whose beginning is not there.
type ShallowCloneError struct{}

func (e *ShallowCloneError) Error() string {
	return "this clone is shallow: a history that was cut off cannot be judged"
}

// Hint names the commands that bring the rest.
func (e *ShallowCloneError) Hint() string {
	return "`git fetch --unshallow`, or `gh agentd check --deepen`; in a workflow check out with fetch-depth: 0"
}
