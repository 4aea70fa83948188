package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// specs holds the specs of the base against the records of its archive, both ways round.
func (d *Doctor) specs(ctx context.Context, result *DoctorResult) error {
	base, err := d.Bench.newestOf(ctx, "")
	if err != nil || base == "" {
		return err
	}
	records, err := d.Bench.Store.Records(ctx, base)
	if err != nil {
		return err
	}
	objects, err := d.Bench.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	now, err := specsAt(objects, base)
	if err != nil {
		return err
	}
	made, begun := map[string]bool{}, map[string]bool{} // by what archives left, and by what they found
	for _, r := range records {
		for _, s := range r.Archive.Specs {
			made[string(s.ID)+" "+s.After], begun[string(s.ID)+" "+s.Before] = true, true
		}
	}
	for _, s := range now {
		if !made[string(s.id)+" "+string(s.ours)] {
			if err := d.unexplained(ctx, objects, base, s, result); err != nil {
				return err
			}
		}
	}
	at := map[specs.SpecID]gitops.ID{}
	for _, s := range now {
		at[s.id] = s.ours
	}
	for _, r := range records {
		for _, s := range r.Archive.Specs {
			if string(at[s.ID]) == s.After || begun[string(s.ID)+" "+s.After] {
				continue
			}
			if err := d.unlanded(ctx, objects, base, r, s, result); err != nil {
				return err
			}
		}
	}
	return nil
}

// specsAt are the specs of a commit, without what else lies in that folder.
func specsAt(objects *gitops.Objects, commit gitops.ID) ([]specMerge, error) {
	tree, _, err := objects.TreeAt(string(commit) + ":" + specsDir)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files, err := objects.DiffTrees("", tree)
	if err != nil {
		return nil, err
	}
	var all []specMerge
	for _, f := range files {
		if !specs.IsSpecPath("specs/" + f.Path) {
			continue
		}
		text, err := objects.Blob(f.NewID)
		if err != nil {
			return nil, err
		}
		if specs.IsSpec(text) {
			all = append(all, specMerge{id: specs.SpecID(strings.TrimSuffix(f.Path, ".md")), ours: f.NewID, oursText: text})
		}
	}
	return all, nil
}

// unexplained tells of a spec whose newest text no archive brought. Where one was taken back, its revert explains it.
func (d *Doctor) unexplained(ctx context.Context, objects *gitops.Objects, base gitops.ID, s specMerge, result *DoctorResult) error {
	history := specHistory{bench: d.Bench, objects: objects, spec: s.id, parsed: map[gitops.ID]*specs.Parts{}}
	for step, err := range history.steps(ctx, base) {
		if err != nil {
			return err
		}
		if step, err = history.explained(step); err != nil {
			return err
		}
		if step.record == nil {
			commit, err := objects.Commit(step.commit)
			if err != nil {
				return err
			}
			result.add("spec-unexplained", "warning",
				fmt.Sprintf("%s was changed in %s by %s, and no archive explains it", s.path(), commit.ID.Short(), commit.Author.Name),
				"a spec changes by a change: `gh agentd plan`, `gh agentd impl`, `gh agentd archive`; `gh agentd why "+string(s.id)+"` tells the rest")
		}
		break
	}
	return nil
}

// unlanded tells of an archive whose spec never came to the base, as after a merge that dropped it:
// where it did come, somebody has edited it since, which is told of the spec.
func (d *Doctor) unlanded(ctx context.Context, objects *gitops.Objects, base gitops.ID, r *specs.State, s specs.ArchivedSpec, result *DoctorResult) error {
	id, err := phases.ParseChangeID(r.ChangeID)
	if err != nil {
		return nil //nolint:nilerr // of an older tool
	}
	landed, err := d.Bench.Store.LandedBy(ctx, id, base)
	if err != nil {
		return err
	}
	path := specMerge{id: s.ID}.path()
	there, err := blobAt(objects, landed, path)
	if err != nil || string(there) == s.After {
		return err
	}
	result.Findings = append(result.Findings, DoctorFinding{
		Change: r.ChangeID, Rule: "archive-without-merge", Severity: "error",
		Message: fmt.Sprintf("it is filed as archived, and %s brought another %s than its record names", landed.Short(), path),
		Hint:    fmt.Sprintf("`git revert %s`, then `%s` and archive it again", landed.Short(), command("unarchive", id)),
	})
	return nil
}

// branchLeft tells of the branch of an archived change that holds something which was not archived.
func (d *Doctor) branchLeft(ctx context.Context, c *changes.Change, result *DoctorResult) error {
	tip, gone, err := d.Bench.Store.LastTip(ctx, c.ID, c.Document)
	if err != nil || gone {
		return err
	}
	run := &archiving{implementing: newImplementing(d.Bench, ImplementRequest{Change: c.ID})}
	landed, err := run.landed(ctx, c, tip)
	if err != nil || landed {
		return err
	}
	result.Findings = append(result.Findings, DoctorFinding{
		Change: c.ID.String(), Rule: "branch-left", Severity: "warning",
		Message: fmt.Sprintf("it is archived, and %s has commits that are not", c.ID.Branch()),
		Hint:    fmt.Sprintf("`git log %s..%s` shows them", c.Archived.Short(), c.ID.Branch()),
	})
	return nil
}
