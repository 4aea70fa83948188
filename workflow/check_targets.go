package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// targets finds what the request is about. None means that there is nothing to judge.
func (k *checking) targets(ctx context.Context) ([]target, error) {
	switch {
	case k.req.Push != nil:
		return k.pushed(ctx, k.req.Push.Refs)
	case k.req.Event != nil:
		return k.brought(*k.req.Event), nil
	case len(k.req.Names) > 0:
		return k.named(ctx, k.req.Names)
	}
	return k.open(ctx)
}

// pushed judges a ref by both of its names: `feature:agentd/x` makes a change, `agentd/x:feature` carries one.
func (k *checking) pushed(ctx context.Context, refs []PushedRef) ([]target, error) {
	var found []target
	for _, ref := range refs {
		if ref.LocalID.IsZero() {
			continue // deleted
		}
		there := target{ref: ref.Remote, tip: ref.LocalID, old: ref.RemoteID}
		if k.ofChange(&there) {
			found = append(found, there)
		}
		here := target{ref: ref.Local, tip: ref.LocalID}
		if ref.Local != ref.Remote && k.ofChange(&here) && here.change != there.change {
			found = append(found, here)
		}
		if k.trunk.Branch == "" || ref.Remote != "refs/heads/"+k.trunk.Branch {
			continue
		}
		t, ok, err := k.ontoTrunk(ctx, there)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, t)
		}
	}
	return found, nil
}

// ontoTrunk compares what is pushed to the base branch with what the remote has, as far as that is known here.
// What it is compared with is trusted, and what is pushed is not.
func (k *checking) ontoTrunk(ctx context.Context, t target) (target, bool, error) {
	if !t.old.IsZero() && !k.repo.Exists(ctx, t.old) {
		k.result.Notes = append(k.result.Notes, fmt.Sprintf(
			"%s is at %s on the remote, which is not in this clone: compared with what was fetched last", t.ref, short(t.old)))
		t.old = ""
	}
	tips := slices.DeleteFunc(slices.Clone(k.trunk.Tips), func(id gitops.ID) bool { return id == t.tip })
	if t.old.IsZero() && len(tips) > 0 && k.trunk.Rules != t.tip {
		t.old = k.trunk.Rules
	}
	if t.old.IsZero() {
		k.nothingBefore(t)
		return t, false, nil
	}
	k.trunk.Tips, k.trunk.Rules = append(tips, t.old), t.old
	return t, true, nil
}

func (k *checking) nothingBefore(t target) {
	k.result.Notes = append(k.result.Notes, fmt.Sprintf("%s was not there before: there is nothing to compare with", t.ref))
}

// brought is what an event on GitHub asks about.
func (k *checking) brought(e CheckEvent) []target {
	t := target{ref: "refs/heads/" + e.Head, tip: e.HeadID}
	if e.Head == "" {
		t = target{ref: "refs/heads/" + e.Base, tip: e.HeadID, old: e.BaseID}
		if t.old.IsZero() {
			k.nothingBefore(t)
			return nil
		}
		return []target{t}
	}
	if k.ofChange(&t) {
		return []target{t}
	}
	t.old, t.whole = k.trunk.Rules, true
	if !e.BaseID.IsZero() {
		t.old = e.BaseID
	}
	return []target{t}
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
	patterns := []string{"refs/heads/agentd/"}
	if k.req.Fetched {
		patterns = append(patterns, "refs/remotes/origin/agentd/")
	}
	refs, err := k.repo.Refs(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	var found []target
	seen := map[string]bool{}
	for _, ref := range refs {
		name := strings.TrimPrefix(strings.TrimPrefix(ref.Name, "refs/heads/"), "refs/remotes/origin/")
		t := target{ref: "refs/heads/" + name, tip: ref.ID}
		if !seen[name] && k.ofChange(&t) {
			found = append(found, t)
		}
		seen[name] = true
	}
	return found, nil
}

// named finds what a person or a workflow calls by name.
func (k *checking) named(ctx context.Context, names []string) ([]target, error) {
	var found []target
	for _, name := range names {
		from, to, ranged := strings.Cut(name, "..")
		find := k.branchNamed
		if ranged {
			find = func(ctx context.Context, _ string) (target, error) { return k.rangeNamed(ctx, name, from, to) }
		}
		t, err := find(ctx, name)
		if err != nil {
			return nil, err
		}
		if !t.change.IsZero() || k.ofChange(&t) || k.lands(t) {
			found = append(found, t)
		}
	}
	return found, nil
}

// lands says whether what was named is judged as something for the base branch:
// a range is, and that branch itself; another branch is nobody's matter until it is to be merged.
func (k *checking) lands(t target) bool {
	return !t.old.IsZero() || t.ref == "refs/heads/"+k.trunk.Branch
}

// rangeNamed judges what B has and A has not, as if A were the base branch. The branch of a change is judged as such.
func (k *checking) rangeNamed(ctx context.Context, name, from, to string) (target, error) {
	branch, err := k.branchOf(ctx, to)
	if err != nil {
		return target{}, err
	}
	if t, err := k.branchNamed(ctx, to); err == nil && strings.HasPrefix(t.ref, "refs/heads/agentd/") {
		return t, nil
	}
	if to == "" {
		to = "HEAD"
	}
	var ids [2]gitops.ID
	for i, rev := range []string{from, to} {
		var err error
		if ids[i], err = k.repo.Resolve(ctx, rev); errors.Is(err, gitops.ErrNotFound) {
			return target{}, &CheckNameError{Name: name}
		} else if err != nil {
			return target{}, err
		}
	}
	if strings.HasPrefix(branch, "agentd/") {
		return target{ref: "refs/heads/" + branch, tip: ids[1]}, nil
	}
	landed := branch == k.trunk.Branch
	if !landed && !k.trunk.Rules.IsZero() {
		if landed, err = k.repo.IsAncestor(ctx, ids[1], k.trunk.Rules); err != nil {
			return target{}, err
		}
	}
	k.trunk.Tips, k.trunk.Rules = []gitops.ID{ids[0]}, ids[0]
	return target{ref: name, old: ids[0], tip: ids[1], ahead: !landed}, nil
}

// branchOf is the short name of the branch that a revision stands for: what is checked out for HEAD,
// the name on the remote for a remote-tracking one; other names stay as they are.
func (k *checking) branchOf(ctx context.Context, rev string) (string, error) {
	if rev == "" || rev == "HEAD" {
		ref, _, err := k.repo.Head(ctx)
		return strings.TrimPrefix(ref, "refs/heads/"), err
	}
	tracking := strings.TrimPrefix(rev, "refs/remotes/")
	if _, branch, found := strings.Cut(tracking, "/"); found {
		_, err := k.repo.Resolve(ctx, "refs/remotes/"+tracking)
		if err == nil {
			return branch, nil
		}
		if !errors.Is(err, gitops.ErrNotFound) {
			return "", err
		}
	}
	return strings.TrimPrefix(rev, "refs/heads/"), nil
}

// branchNamed finds a branch by the id of its change, its name or its full name.
// The base branch is compared with what remotes have of it.
func (k *checking) branchNamed(ctx context.Context, name string) (target, error) {
	branches := []string{strings.TrimPrefix(name, "refs/heads/")}
	if id, err := phases.ParseChangeID(name); err == nil {
		branches = []string{id.Branch(), branches[0]}
	}
	for _, branch := range branches {
		ref := "refs/heads/" + branch
		tip, err := k.repo.Resolve(ctx, ref)
		if errors.Is(err, gitops.ErrNotFound) {
			tip, err = k.repo.Resolve(ctx, "refs/remotes/origin/"+branch)
		}
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		t := target{ref: ref, tip: tip}
		if err == nil && ref == "refs/heads/"+k.trunk.Branch && k.trunk.Rules != tip {
			t.old = k.trunk.Rules
			k.trunk.Tips = slices.DeleteFunc(k.trunk.Tips, func(id gitops.ID) bool { return id == tip })
		}
		return t, err
	}
	return k.archiveNamed(ctx, name)
}

// archiveNamed finds a change whose branch is gone by the commit that archived it.
func (k *checking) archiveNamed(ctx context.Context, name string) (target, error) {
	id, err := phases.ParseChangeID(strings.TrimPrefix(name, "agentd/"))
	if err != nil || k.trunk.Rules.IsZero() {
		return target{}, &CheckNameError{Name: name}
	}
	at, err := k.repo.LastTouch(ctx, k.trunk.Rules, id.ArchiveDir()+"/"+specs.StateFile)
	if errors.Is(err, gitops.ErrNotFound) {
		return target{}, &CheckNameError{Name: name}
	}
	return target{change: id, ref: "refs/heads/" + k.trunk.Branch, tip: at}, err
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
	if k.req.Event != nil {
		return k.eventTrunk(ctx, *k.req.Event)
	}
	remote := "origin"
	if k.req.Push != nil {
		remote = k.req.Push.Remote
	}
	t, err := k.store.Trunk(ctx, k.req.Base, remote)
	if err == nil && t.Rules.IsZero() && k.req.Fetched {
		err = &NoPolicyError{Branch: t.Branch}
	}
	return t, err
}

// eventTrunk trusts what the event says the base is. A pull request onto the branch of another change
// is judged by the rules of the default branch: whoever proposes it may have written those of the other.
func (k *checking) eventTrunk(ctx context.Context, e CheckEvent) (changes.Trunk, error) {
	t := changes.Trunk{Branch: e.Base, Rules: e.BaseID, Only: true}
	if !e.BaseID.IsZero() {
		t.Tips = append(t.Tips, e.BaseID)
	}
	if e.Head == "" {
		return t, k.fetched(ctx, e)
	}
	holder := e.Base
	_, stacked := phases.ChangeIDFromBranch(e.Base)
	if stacked {
		holder = e.Default
	}
	// The base may have moved since the event: what it has now is merged into branches, and its rules are newer.
	refs, err := k.repo.Refs(ctx, "refs/remotes/origin/"+holder)
	switch {
	case err != nil:
		return t, err
	case holder != "" && len(refs) == 1:
		t.Rules, t.Tips = refs[0].ID, append(t.Tips, refs[0].ID)
	case stacked || e.BaseID.IsZero():
		return t, &NoPolicyError{Branch: holder}
	}
	return t, k.fetched(ctx, e)
}

// fetched makes sure that the commits of an event are here.
func (k *checking) fetched(ctx context.Context, e CheckEvent) error {
	for _, id := range []gitops.ID{e.BaseID, e.HeadID} {
		if id.IsZero() || k.repo.Exists(ctx, id) {
			continue
		}
		if k.req.Deepen {
			if err := k.repo.Fetch(ctx, "origin", string(id)); err == nil {
				continue
			}
		}
		return &NotFetchedError{Commit: string(id)}
	}
	return nil
}

// NotFetchedError refuses to judge a commit that is not here.
type NotFetchedError struct{ Commit string }

func (e *NotFetchedError) Error() string {
	return fmt.Sprintf("commit %s, which the event names, is not in this clone", e.Commit)
}

// Hint names the way to have it.
func (e *NotFetchedError) Hint() string {
	return fmt.Sprintf("`git fetch origin %s`; in a workflow check out with fetch-depth: 0", e.Commit)
}

// NoPolicyError refuses to judge where the branch that holds the policy was not fetched.
type NoPolicyError struct{ Branch string }

func (e *NoPolicyError) Error() string {
	return fmt.Sprintf("the default branch %q, which holds the policy, is not in this clone", e.Branch)
}

// Hint names the way to have it.
func (e *NoPolicyError) Hint() string {
	return "`git fetch origin`; in a workflow check out with fetch-depth: 0"
}

// settle waits for the trunk and reads what the team accepts from it, never from what is judged.
func (k *checking) settle() error {
	if k.policy != nil {
		return nil
	}
	var err error
	if k.trunk, err = k.auditor.Trunk(); err != nil {
		return err
	}
	c := config.Default()
	if !k.trunk.Rules.IsZero() {
		_, _, src, err := k.auditor.Objects().Lookup(string(k.trunk.Rules) + ":" + config.FileName)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return err
		}
		if c, _, err = config.Load(config.FileName, src); err != nil {
			return fmt.Errorf("read the policy of %s: %w", k.trunk.Branch, err)
		}
	}
	k.policy = &phases.Policy{
		Profiles:         c.Policy.Profiles,
		VerdictSigners:   asGitWrites(c.Policy.VerdictSigners),
		DecisionSigners:  asGitWrites(c.Policy.DecisionSigners),
		DistinctReviewer: c.Policy.RequireDistinctReviewer,
	}
	return nil
}

// asGitWrites takes fingerprints of GPG keys with blanks and in any case, as gpg itself shows them.
func asGitWrites(keys []string) []string {
	written := make([]string, len(keys))
	for i, key := range keys {
		if written[i] = key; !strings.HasPrefix(key, "SHA256:") {
			written[i] = strings.ToUpper(strings.ReplaceAll(key, " ", ""))
		}
	}
	return written
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
