package changes

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// walkLimit bounds the search for the beginning of a change.
// A branch with more commits than this and no beginning has no history of ours.
const walkLimit = 20_000

// tip returns the commit a ref names, "" when the ref does not exist.
func (r *reader) tip(ref string) (gitops.ID, error) {
	id, _, _, err := r.objects.Lookup(ref)
	if isNotFound(err) {
		return "", nil
	}
	return id, err
}

// step is one commit of a walk, with its message read.
type step struct {
	commit gitops.Commit
	// record is the transition that the commit makes of this change, nil for any other commit.
	record *phases.Transition
}

// history walks first parents from the tip to the commit that began the change.
// Where the change was archived or unarchived it follows the branch instead of the base.
// A history without a beginning has no commits.
func (r *reader) history(ctx context.Context, tip gitops.ID) (phases.History, error) {
	walked, landed, err := r.walk(ctx, tip)
	if err != nil || len(walked) == 0 {
		return phases.History{Change: r.id}, err
	}
	return r.retell(ctx, walked, landed)
}

// walk reads the commits from the tip, newest first, to the one that began the change; none where nothing did.
// landed is what the base was before the change landed on it, or was archived on its branch, and all that was merged
// into the branch since; nil where it was not archived.
func (r *reader) walk(ctx context.Context, tip gitops.ID) (walked []step, landed []gitops.ID, err error) {
	var merged []gitops.ID
	for at := tip; at != ""; {
		if len(walked) >= walkLimit {
			return nil, nil, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		s, err := r.step(at)
		if err != nil {
			return nil, nil, err
		}
		walked = append(walked, s)
		if s.record != nil && s.record.From == phases.None {
			return walked, landed, nil
		}
		if at, err = r.branchParent(s); err != nil {
			return nil, nil, err
		}
		merged = append(merged, slices.DeleteFunc(slices.Clone(s.commit.Parents), func(p gitops.ID) bool { return p == at })...)
		if landed == nil && s.record != nil && s.record.Step == phases.StepArchive {
			landed = slices.Clone(merged)
		}
	}
	return nil, nil, nil
}

func (r *reader) step(id gitops.ID) (step, error) {
	commit, err := r.commit(id)
	if err != nil {
		return step{}, fmt.Errorf("read commit %s: %w", id, err)
	}
	s := step{commit: commit}
	if message, err := phases.ParseMessage(commit.Message); err == nil && message.Transition != nil && message.Transition.Change == r.id {
		s.record = message.Transition
	}
	return s, nil
}

// retell adds what replay must know of each commit. The newest one's STATE.yaml is the one that counts.
func (r *reader) retell(ctx context.Context, walked []step, landed []gitops.ID) (phases.History, error) {
	h := phases.History{Change: r.id, Commits: make([]phases.Commit, 0, len(walked))}
	for _, s := range slices.Backward(walked) {
		if err := ctx.Err(); err != nil {
			return h, err
		}
		facts, t, err := r.facts(s.commit)
		if err != nil {
			return h, err
		}
		if s.commit.ID == walked[0].commit.ID {
			if err := r.stateFacts(&h, &facts, t); err != nil {
				return h, err
			}
		}
		h.Commits = append(h.Commits, facts)
	}
	if base := walked[len(walked)-1].record.Base; base != nil {
		h.Diff = (&differ{ctx: ctx, repo: r.repo, base: base.Branch, tips: landed}).Diff
	}
	return h, nil
}

// branchParent is the parent that belongs to the change's own branch.
// An archive commit has the base as its other parent, first or second by the way it landed:
// only the branch still holds the change's folder, or, where an older tool had put one on the base, one with our journal.
func (r *reader) branchParent(s step) (gitops.ID, error) {
	c := s.commit
	if len(c.Parents) == 0 {
		return "", nil
	}
	if s.record == nil || s.record.Step != phases.StepArchive {
		return c.Parents[0], nil
	}
	var holders []gitops.ID
	for _, parent := range c.Parents {
		p, err := r.commit(parent)
		if err != nil {
			return "", fmt.Errorf("read commit %s: %w", parent, err)
		}
		t, err := r.trees(p.Tree)
		if err != nil {
			return "", err
		}
		if t.folder == "" {
			continue
		}
		if ours, err := r.keepsJournal(t); err != nil || ours {
			return parent, err
		}
		holders = append(holders, parent)
	}
	return append(holders, c.Parents[0])[0], nil
}

// keepsJournal reports whether STATE.yaml in the change's folder tells of transitions: an older tool's does not.
func (r *reader) keepsJournal(t trees) (bool, error) {
	if t.state == "" {
		return false, nil
	}
	doc, err := r.document(t.state)
	return err == nil && doc.state != nil && len(doc.state.Transitions) > 0, err
}

// facts are what replay must know of a commit besides its message.
func (r *reader) facts(c gitops.Commit) (phases.Commit, trees, error) {
	t, err := r.trees(c.Tree)
	if err != nil {
		return phases.Commit{}, t, err
	}
	facts := phases.Commit{
		ID:       string(c.ID),
		Parents:  asStrings(c.Parents),
		Message:  c.Message,
		Time:     c.Committer.When.Unix(),
		PlanTree: string(t.plan),
		CodeTree: string(t.code),
		StateID:  string(t.state),
	}
	facts.TouchesCode, err = r.touchesCode(c, t)
	return facts, t, err
}

// touchesCode says whether something outside agentd/ differs from every parent.
func (r *reader) touchesCode(c gitops.Commit, t trees) (bool, error) {
	for _, parent := range c.Parents {
		p, err := r.commit(parent)
		if err != nil {
			return false, fmt.Errorf("read commit %s: %w", parent, err)
		}
		pt, err := r.trees(p.Tree)
		if err != nil {
			return false, err
		}
		if pt.code == t.code {
			return false, nil
		}
	}
	return true, nil
}

// stateFacts adds the phase and the journal that STATE.yaml claims at this commit.
func (r *reader) stateFacts(h *phases.History, facts *phases.Commit, t trees) error {
	if t.state == "" {
		facts.StateErr = ErrNoState
		return nil
	}
	doc, err := r.document(t.state)
	if err != nil {
		return err
	}
	if facts.StateErr = doc.err; doc.err != nil {
		return nil
	}
	facts.StatePhase = doc.state.Phase.String()
	h.Journal = make([]phases.Transition, len(doc.state.Transitions))
	for i, entry := range doc.state.Transitions {
		h.Journal[i] = entry.Transition
	}
	return nil
}

func asStrings(ids []gitops.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}
