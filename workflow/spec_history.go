package workflow

import (
	"cmp"
	"context"
	"iter"
	"runtime"
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
	ahead   []gitops.ID // versions that the walk comes to, the newest first
}

// specStep is one version of a spec that followed another: by an archive, by taking one back, or by somebody's hand.
type specStep struct {
	commit        gitops.ID    // of the base
	before, after gitops.ID    // blobs, "" where there was none
	record        *specs.State // of the change that was archived or taken back; nil where no record explains the step
	gone          bool         // it was taken back
	resolved      bool

	unread []gitops.FileChange // the one record that came or went with the commit, see [specHistory.explained]
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
		changes, err := h.bench.Repo.FirstParentChanges(ctx, commits, h.path(), archiveDir)
		if err != nil {
			yield(specStep{}, err)
			return
		}
		for _, id := range commits {
			for _, c := range changes[id] {
				if c.Path == h.path() && !c.OldID.IsZero() {
					h.ahead = append(h.ahead, c.OldID)
				}
			}
		}
		for _, id := range commits {
			steps, err := h.stepsOf(id, changes[id])
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
// Where only one record came with it, it is one step, whatever the record says: most steps are passed by without reading theirs.
func (h *specHistory) stepsOf(commit gitops.ID, changes []gitops.FileChange) ([]specStep, error) {
	whole := specStep{commit: commit}
	for _, c := range changes {
		switch _, file, _ := strings.Cut(strings.TrimPrefix(c.Path, archiveDir+"/"), "/"); {
		case c.Path == h.path():
			whole.before, whole.after = c.OldID, c.NewID
		case file == specs.StateFile && (c.OldID.IsZero() || c.NewID.IsZero()):
			whole.unread = append(whole.unread, c)
		}
	}
	switch {
	case whole.before == whole.after: // only its mode changed
		return nil, nil
	case len(whole.unread) <= 1:
		return []specStep{whole}, nil
	}
	return h.split(whole)
}

// explained is the step with the record that explains it, if there is one.
func (h *specHistory) explained(step specStep) (specStep, error) {
	if len(step.unread) == 0 {
		return step, nil
	}
	steps, err := h.split(step)
	if err != nil || len(steps) != 1 {
		return step, err
	}
	return steps[0], nil
}

// split makes a step of each record that came or went with a commit, if together they explain what it did; else the whole is one.
func (h *specHistory) split(whole specStep) ([]specStep, error) {
	records, err := h.records(whole.unread)
	if err != nil {
		return nil, err
	}
	whole.unread = nil
	var steps []specStep
	at := whole.before
	for at != whole.after {
		next := slices.IndexFunc(records, func(s specStep) bool { return s.before == at })
		if next < 0 {
			break
		}
		step := records[next]
		step.commit, at = whole.commit, step.after
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

// records are what archive records that came or went tell of the spec.
func (h *specHistory) records(changes []gitops.FileChange) ([]specStep, error) {
	var steps []specStep
	for _, c := range changes {
		gone := c.NewID.IsZero()
		text, err := h.objects.Blob(cmp.Or(c.NewID, c.OldID))
		if err != nil {
			return nil, err
		}
		state, _, err := specs.ParseState(c.Path, text)
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

// delta is what a step did.
func (h *specHistory) delta(step specStep) (specs.Delta, error) {
	after, err := h.parts(step.after) // was the one before, of the step that was looked at last
	if err != nil {
		return specs.Delta{}, err
	}
	before, err := h.parts(step.before)
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

// holds reports whether a commit is in this clone.
func (h *specHistory) holds(commit string) bool {
	_, _, _, err := h.objects.Kind(commit)
	return err == nil
}

func (h *specHistory) parts(blob gitops.ID) (*specs.Parts, error) {
	if blob.IsZero() {
		return nil, nil
	}
	if p, known := h.parsed[blob]; known {
		return p, nil
	}
	blobs := h.following(blob)
	texts, err := h.objects.Blobs(blobs)
	if err != nil { // what comes after it may be missing, and never asked for
		blobs = blobs[:1]
		texts, err = h.objects.Blobs(blobs)
	}
	if err != nil {
		return nil, err
	}
	parsed, errs := make([]*specs.Parts, len(blobs)), make([]error, len(blobs))
	_ = inParallel(len(blobs), func(i int) error {
		parsed[i], errs[i] = specs.ParseParts(h.path(), texts[i])
		return nil
	})
	const most = 8 // besides these: the step that is looked at needs one that was read before
	if len(h.parsed) > most {
		clear(h.parsed)
	}
	for i, p := range parsed {
		if errs[i] == nil {
			h.parsed[blobs[i]] = p
		}
	}
	return parsed[0], errs[0]
}

// following are a version and those that the walk will come to next, a few for each processor.
func (h *specHistory) following(blob gitops.ID) []gitops.ID {
	at := slices.Index(h.ahead, blob)
	if at < 0 {
		return []gitops.ID{blob}
	}
	const few = 4
	end := min(at+few*runtime.GOMAXPROCS(0), len(h.ahead))
	blobs := h.ahead[at:end]
	h.ahead = h.ahead[end:]
	return blobs
}
