package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

const (
	archivedChange = "promise-more"
	promisedNew    = "keep what the change promises"
)

// archiving compares archive with a git merge of the same texts, line by line, and with OpenSpec's archive of the same content,
// which writes files and commits nothing. One requirement of each spec is changed, while main changed another.
func (b *bench) archiving(ctx context.Context) error {
	const (
		number       = 100
		requirements = 50
		files        = 400
	)
	var planned, now, wanted []promises
	for n := range number {
		spec := promises{id: fmt.Sprintf("promises-%03d", n), number: requirements}
		planned = append(planned, spec)
		now = append(now, spec.with("keep what main promises meanwhile", 1+n%(requirements/2)))
		wanted = append(wanted, spec.with(promisedNew, requirements-n%(requirements/2)))
	}
	dir, err := b.project(ctx, "archive", files, 0)
	if err != nil {
		return err
	}
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: b.environ})
	if err != nil {
		return err
	}
	base, err := b.specsOnMain(ctx, repo, dir, planned...)
	if err != nil {
		return err
	}
	if err := b.complete(ctx, repo, base, wanted); err != nil {
		return err
	}
	var s stream
	s.commit("refs/heads/plain", base, began, "Edit the specs in their places\n")
	for _, spec := range wanted {
		s.file(spec.path(), spec.text())
	}
	if _, err := b.once(ctx, dir, &s, b.git, "fast-import", "--quiet"); err != nil {
		return err
	}
	if base, err = b.specsOnMain(ctx, repo, dir, now...); err != nil {
		return err
	}
	if err := b.packed(ctx, dir); err != nil {
		return err
	}
	ours := contender{dir: dir, argv: []string{b.program, "archive", archivedChange}, reset: [][]string{
		{b.git, "reset", "--quiet", "--hard", base},
		{b.git, "update-ref", "-d", "refs/agentd/archive/" + archivedChange + "/1"},
	}}
	// What is measured must be true: every spec says what either side changed.
	if _, err := b.once(ctx, dir, nil, ours.argv...); err != nil {
		return err
	}
	for n := range now {
		merged := now[n].with(promisedNew, requirements-n%(requirements/2))
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(merged.path()))); err != nil || !bytes.Equal(text, merged.text()) {
			return errors.Join(fmt.Errorf("%s is not what both sides made of it", merged.path()), err)
		}
	}
	all := []contender{ours, {dir: dir, argv: []string{b.git, "merge", "--quiet", "--no-edit", "plain"}, reset: ours.reset}}
	if program, err := exec.LookPath(b.rival); err != nil {
		fmt.Fprintf(b.log, "archive is not compared with OpenSpec, whose program is not here (-openspec names it): %v\n", err)
	} else if theirs, err := b.openSpec(ctx, program, now, wanted); err != nil {
		return err
	} else {
		all = append(all, theirs)
	}
	got, err := b.contest(ctx, all)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("archive into %d specs of %d requirements", number, requirements)
	b.table.add(what, got[0], "git merge", got[1])
	if len(got) > 2 {
		b.table.add(what, got[0], "openspec archive", got[2])
	}
	return nil
}

// complete makes a change that holds the specs and has passed everything: it can be archived.
func (b *bench) complete(ctx context.Context, repo *gitops.Repo, base string, wanted []promises) error {
	id, err := phases.ParseChangeID(archivedChange)
	if err != nil {
		return err
	}
	store, unlock, err := (&changes.Store{Repo: repo, Now: time.Now}).Lock(ctx, id, "bench")
	if err != nil {
		return err
	}
	defer unlock()
	docs, err := documents(archivedChange, time.Now())
	if err != nil {
		return err
	}
	delete(docs, "specs/greeting.md")
	for _, spec := range wanted {
		docs["specs/"+spec.id+".md"] = spec.text()
	}
	c, err := store.Begin(ctx, changes.Beginning{
		ID: id, Base: phases.Base{Branch: "main", Commit: base}, Profile: phases.ProfileSpec,
		Record: changes.Record{
			Subject: "wrote the plan", Files: docs,
			Transition: phases.Transition{Step: phases.StepProposalGen, Actor: phases.ByAgent("proposer"), Agent: "gemini"},
		},
	})
	if err != nil {
		return err
	}
	for _, next := range []func() changes.Record{
		func() changes.Record {
			return changes.Record{
				Subject: "challenge approved", JudgedPlan: c.State.PlanTree, Files: map[string][]byte{"CHALLENGE.md": []byte("# Challenge\n")},
				Transition: phases.Transition{Step: phases.StepChallenge, Verdict: phases.Approved, Actor: phases.ByAgent("challenger")},
			}
		},
		func() changes.Record {
			return changes.Record{
				Subject: "implemented task 1.1", Code: []gitops.Edit{{Path: "src/" + archivedChange + ".txt", Content: []byte("hello\n")}},
				Transition: phases.Transition{Step: phases.StepImplement, Tasks: []string{"1.1"}, Actor: phases.ByAgent("implementer")},
			}
		},
		func() changes.Record {
			return changes.Record{
				Subject: "review approved", JudgedCode: c.State.CodeTree, Files: map[string][]byte{"REVIEW.md": []byte("# Review\n")},
				Transition: phases.Transition{
					Step: phases.StepReview, Verdict: phases.Approved, Actor: phases.ByAgent("reviewer"), Evidence: []phases.Evidence{{Millis: 1, Command: "true"}},
				},
			}
		},
	} {
		if c, _, err = c.Append(ctx, next()); err != nil {
			return err
		}
	}
	return nil
}

// openSpec is OpenSpec's archive of the same content: the specs of main in its folder, and a change that says the edits as a delta.
func (b *bench) openSpec(ctx context.Context, program string, now, wanted []promises) (contender, error) {
	dir := filepath.Join(b.dir, "openspec")
	folder := filepath.Join(dir, "openspec")
	files := map[string]string{
		filepath.Join(folder, "changes", archivedChange, "proposal.md"): "# Promise more\n\n## Why\n\nPeople count on it.\n\n## What Changes\n\n- More is promised.\n",
		filepath.Join(folder, "changes", archivedChange, "tasks.md"):    "# Tasks\n\n- [x] 1.1 Write the greeting\n",
	}
	for n := range now {
		files[filepath.Join(folder, "specs", now[n].id, "spec.md")] = string(now[n].text())
		files[filepath.Join(folder, "changes", archivedChange, "specs", now[n].id, "spec.md")] = string(wanted[n].delta())
	}
	for path, text := range files {
		if err := write(path, text); err != nil {
			return contender{}, err
		}
	}
	for _, argv := range [][]string{
		{b.git, "init", "--quiet"}, {b.git, "add", "--all"}, {b.git, "commit", "--quiet", "--message", "Begin"}, {program, "archive", archivedChange, "--yes"},
	} {
		if _, err := b.once(ctx, dir, nil, argv...); err != nil {
			return contender{}, err
		}
	}
	for n := range now {
		text, err := os.ReadFile(filepath.Join(folder, "specs", now[n].id, "spec.md"))
		if err != nil || !bytes.Contains(text, []byte(promisedNew)) {
			return contender{}, errors.Join(fmt.Errorf("OpenSpec did not archive %s", now[n].id), err)
		}
	}
	return contender{dir: dir, argv: []string{program, "archive", archivedChange, "--yes"}, reset: [][]string{
		{b.git, "reset", "--quiet", "--hard"}, {b.git, "clean", "-fdq"},
	}}, nil
}
