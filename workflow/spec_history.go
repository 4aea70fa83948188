package workflow

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// specHistory reads what happened to one spec on the base branch.
type specHistory struct {
	bench   *Bench
	objects *gitops.Objects
	spec    specs.SpecID
	known   []string // ids of the requirements that it has now
	parsed  map[gitops.ID]*specs.Parts
}

// specStep is one version of a spec that followed another: by an archive, by taking one back, or by somebody's hand.
type specStep struct {
	commit        gitops.Commit // of the base
	before, after gitops.ID     // blobs, "" where there was none
	record        *specs.State  // of the change that was archived or taken back; nil where no record explains the step
	gone          bool          // it was taken back
	resolved      bool
}

func (h *specHistory) path() string { return "agentd/specs/" + string(h.spec) + ".md" }

// steps are all versions, the newest first. A commit that brought several archives is as many steps.
func (h *specHistory) steps(ctx context.Context, base gitops.ID) iter.Seq2[specStep, error] {
	return func(yield func(specStep, error) bool) {
		commits, err := h.bench.Repo.Touches(ctx, base, h.path())
		if err != nil {
			yield(specStep{}, err)
			return
		}
		for _, id := range commits {
			steps, err := h.stepsOf(id)
			if err != nil {
				yield(specStep{}, err)
				return
			}
			for _, step := range slices.Backward(steps) {
				if !yield(step, nil) {
					return
				}
			}
		}
	}
}

// stepsOf takes one commit of the base apart, the oldest step first.
func (h *specHistory) stepsOf(id gitops.ID) ([]specStep, error) {
	commit, err := h.objects.Commit(id)
	if err != nil {
		return nil, err
	}
	whole := specStep{commit: commit}
	var parent gitops.ID
	if len(commit.Parents) > 0 {
		parent = commit.Parents[0]
		if whole.before, err = blobAt(h.objects, parent, h.path()); err != nil {
			return nil, err
		}
	}
	if whole.after, err = blobAt(h.objects, id, h.path()); err != nil {
		return nil, err
	}
	records, err := h.records(parent, id)
	if err != nil {
		return nil, err
	}
	var steps []specStep
	at := whole.before
	for at != whole.after {
		next := slices.IndexFunc(records, func(s specStep) bool { return s.before == at })
		if next < 0 {
			break
		}
		step := records[next]
		step.commit, at = commit, step.after
		steps = append(steps, step)
		records = slices.Delete(records, next, next+1)
	}
	if at == whole.after {
		return steps, nil
	}
	// What one archive did was taken back after others had followed: its record says who, and the commit what.
	if len(records) == 1 && records[0].gone && len(steps) == 0 {
		whole.record, whole.gone = records[0].record, true
	}
	return []specStep{whole}, nil
}

// records are the archive records that a commit of the base brought or took away and that tell of the spec.
func (h *specHistory) records(before, after gitops.ID) ([]specStep, error) {
	was, err := h.archive(before)
	if err != nil {
		return nil, err
	}
	is, err := h.archive(after)
	if err != nil {
		return nil, err
	}
	differs, err := h.objects.DiffTrees(was, is)
	if err != nil {
		return nil, err
	}
	var steps []specStep
	for _, c := range differs {
		folder, file, _ := strings.Cut(c.Path, "/")
		if file != specs.StateFile || !c.OldID.IsZero() && !c.NewID.IsZero() {
			continue
		}
		gone := c.NewID.IsZero()
		blob := c.NewID
		if gone {
			blob = c.OldID
		}
		text, err := h.objects.Blob(blob)
		if err != nil {
			return nil, err
		}
		state, _, err := specs.ParseState(archiveDir+"/"+folder+"/"+file, text)
		if err != nil || state.Phase != phases.Archived || state.Archive == nil {
			continue
		}
		for _, s := range state.Archive.Specs {
			if s.ID != h.spec {
				continue
			}
			step := specStep{before: gitops.ID(s.Before), after: gitops.ID(s.After), record: state, gone: gone, resolved: s.Resolved}
			if gone {
				step.before, step.after = step.after, step.before
			}
			steps = append(steps, step)
		}
	}
	return steps, nil
}

// archive is the tree of the archive at a commit, "" where there is none.
func (h *specHistory) archive(commit gitops.ID) (gitops.ID, error) {
	if commit == "" {
		return "", nil
	}
	tree, _, err := h.objects.TreeAt(string(commit) + ":" + archiveDir)
	if errors.Is(err, gitops.ErrNotFound) {
		return "", nil
	}
	return tree, err
}

// delta is what a step did.
func (h *specHistory) delta(step specStep) (specs.Delta, error) {
	before, err := h.parts(step.before)
	if err != nil {
		return specs.Delta{}, err
	}
	after, err := h.parts(step.after)
	if err != nil {
		return specs.Delta{}, err
	}
	return specs.Compare(before, after), nil
}

// has reports whether a version of the spec has a requirement.
func (h *specHistory) has(blob gitops.ID, requirement string) bool {
	text, err := blobText(h.objects, blob)
	if err != nil {
		return false
	}
	spec, _, err := specs.ParseSpec(h.path(), text)
	return err == nil && slices.ContainsFunc(spec.Requirements, func(r specs.Requirement) bool { return r.ID == requirement })
}

func (h *specHistory) parts(blob gitops.ID) (*specs.Parts, error) {
	if blob.IsZero() {
		return nil, nil
	}
	if p, known := h.parsed[blob]; known {
		return p, nil
	}
	text, err := h.objects.Blob(blob)
	if err != nil {
		return nil, err
	}
	p, err := specs.ParseParts(h.path(), text)
	if err == nil {
		const most = 8 // the next step needs the last one
		if len(h.parsed) >= most {
			clear(h.parsed)
		}
		h.parsed[blob] = p
	}
	return p, err
}
