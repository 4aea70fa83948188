package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// appending compares one of our steps with `git add` and `git commit` of the same files.
func (b *bench) appending(ctx context.Context) error {
	for _, files := range b.files {
		ours, err := b.appendSteps(ctx, files)
		if err != nil {
			return err
		}
		plain, err := b.commitSteps(ctx, files)
		if err != nil {
			return err
		}
		b.table.add(fmt.Sprintf("a step in %d files", files), ours, "git add + git commit", plain)
	}
	return nil
}

// appendSteps appends in this process, to a branch that is checked out: objects, ref, index and files.
func (b *bench) appendSteps(ctx context.Context, files int) (sample, error) {
	dir, err := b.project(ctx, fmt.Sprintf("ours-%d", files), files, 0)
	if err != nil {
		return sample{}, err
	}
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: b.environ})
	if err != nil {
		return sample{}, err
	}
	base, err := repo.Resolve(ctx, "refs/heads/main")
	if err != nil {
		return sample{}, err
	}
	id, err := phases.ParseChangeID("step-by-step")
	if err != nil {
		return sample{}, err
	}
	store, unlock, err := (&changes.Store{Repo: repo, Now: time.Now}).Lock(ctx, id, "bench")
	if err != nil {
		return sample{}, err
	}
	defer unlock()
	docs, err := documents(id.String(), time.Now())
	if err != nil {
		return sample{}, err
	}
	change, err := store.Begin(ctx, changes.Beginning{
		ID: id, Base: phases.Base{Branch: "main", Commit: string(base)}, Profile: "spec",
		Record: changes.Record{
			Subject: "wrote the proposal", Files: docs,
			Transition: phases.Transition{Step: phases.StepProposalGen, Actor: phases.ByAgent("proposer"), Agent: "gemini"},
		},
	})
	if err != nil {
		return sample{}, err
	}
	if _, err := b.once(ctx, dir, nil, b.git, "switch", "--quiet", id.Branch()); err != nil {
		return sample{}, err
	}
	var times []time.Duration
	for n := range b.runs + 1 {
		record := changes.Record{
			Subject: fmt.Sprintf("edited the proposal, time %d", n), Files: map[string][]byte{"proposal.md": edited(docs, n)},
			Transition: phases.Transition{Step: phases.StepEdit, Actor: phases.Human},
		}
		start := time.Now()
		next, left, err := change.Append(ctx, record)
		if err != nil {
			return sample{}, err
		}
		if len(left) > 0 {
			return sample{}, fmt.Errorf("left behind: %v", left)
		}
		if n > 0 {
			times = append(times, time.Since(start))
		}
		change = next
	}
	return sample{time: median(times)}, nil
}

// commitSteps writes and commits the same two files by hand.
func (b *bench) commitSteps(ctx context.Context, files int) (sample, error) {
	dir, err := b.project(ctx, fmt.Sprintf("git-%d", files), files, 0)
	if err != nil {
		return sample{}, err
	}
	const folder = "agentd/changes/step-by-step"
	docs, err := documents("step-by-step", time.Now())
	if err != nil {
		return sample{}, err
	}
	var times []time.Duration
	for n := range b.runs + 1 {
		start := time.Now()
		for name, text := range map[string]string{
			"proposal.md": string(edited(docs, n)), "STATE.yaml": fmt.Sprintf("phase: proposed\niteration: %d\n", n),
		} {
			if err := write(filepath.Join(dir, filepath.FromSlash(folder), name), text); err != nil {
				return sample{}, err
			}
		}
		for _, args := range [][]string{
			{"add", "--", folder},
			{"commit", "--quiet", "--message", fmt.Sprintf("edited the proposal, time %d\n\nAgentd-Change: step-by-step\nAgentd-Step: edit\n", n), "--", folder},
		} {
			if _, err := b.once(ctx, dir, nil, append([]string{b.git}, args...)...); err != nil {
				return sample{}, err
			}
		}
		if n > 0 {
			times = append(times, time.Since(start))
		}
	}
	return sample{time: median(times)}, nil
}

func edited(docs map[string][]byte, n int) []byte {
	return fmt.Appendf(nil, "%s\nEdited %d times.\n", docs["proposal.md"], n)
}
