package workflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/github"
)

// hosted looks at the settings of the repository on GitHub that would lose records or let them pass unseen.
// Where nobody is signed in, or GitHub cannot be asked, that is a note: a doctor works without a network.
func (d *Doctor) hosted(ctx context.Context, result *DoctorResult) {
	there := publishing{Bench: d.Bench, result: &PublishResult{}}
	if err := there.connect(ctx); err != nil {
		return // nothing here is on GitHub, or nobody is signed in
	}
	repository, err := there.client.Repository(ctx)
	if err == nil {
		err = d.protection(ctx, there.client, repository, result)
	}
	if err != nil {
		result.add("github", "note", fmt.Sprintf("the settings of %s could not be read: %v", there.target, err), "")
		return
	}
	d.buttons(there.target, repository.Buttons, result)
}

// buttons tells which of the ways to merge lose what.
func (d *Doctor) buttons(target github.Target, b *github.MergeButtons, result *DoctorResult) {
	if b == nil || b.Merge {
		return // not shown to this account; or people can choose the one that keeps everything
	}
	enable := fmt.Sprintf("`gh repo edit %s --enable-merge-commit`", target)
	if b.Squash {
		result.add("merge-buttons", "warning", fmt.Sprintf("%s allows no merge commits: a squash drops the commits that prove a change, and leaves its archive record alone", target), enable)
		return
	}
	result.add("merge-buttons", "warning", fmt.Sprintf("%s allows rebase merges alone: these drop an archive, which is a merge commit", target), enable)
}

// protection tells whether the base can be changed without the check.
func (d *Doctor) protection(ctx context.Context, client *github.Client, repository github.Repository, result *DoctorResult) error {
	branch, err := client.Branch(ctx, repository.Default)
	if err != nil {
		return err
	}
	const hint = "`gh agentd init --github` writes the workflow; then require the check in the repository's rules"
	switch {
	case !branch.Protected:
		result.add("protection", "note", fmt.Sprintf("%s is not protected on %s: nothing there requires the check %q", repository.Default, client.Target(), github.PhaseContext), hint)
	case !slices.Contains(branch.Checks, github.PhaseContext):
		result.add("protection", "warning", fmt.Sprintf("%s is protected on %s, but does not require the check %q", repository.Default, client.Target(), github.PhaseContext), hint)
	}
	return nil
}
