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

// history walks first parents from the tip to the commit that began the change.
// Where the change was archived or unarchived it follows the branch instead of the base.
func (r *reader) history(ctx context.Context, tip gitops.ID) (phases.History, error) {
	h := phases.History{Change: r.id}
	last := true
	var landed []gitops.ID // what the base was before the change landed on it
	for at := tip; at != ""; {
		if len(h.Commits) >= walkLimit {
			return phases.History{Change: r.id}, nil
		}
		if err := ctx.Err(); err != nil {
			return h, err
		}
		commit, err := r.commit(at)
		if err != nil {
			return h, fmt.Errorf("read commit %s: %w", at, err)
		}
		facts, t, err := r.facts(commit)
		if err != nil {
			return h, err
		}
		message, err := phases.ParseMessage(commit.Message)
		ours := err == nil && message.Transition != nil && message.Transition.Change == r.id
		if ours && last {
			if err := r.stateFacts(&facts, t); err != nil {
				return h, err
			}
			last = false
		}
		h.Commits = append(h.Commits, facts)
		if ours && message.Transition.From == phases.None {
			if base := message.Transition.Base; base != nil {
				h.Diff = (&differ{ctx: ctx, repo: r.repo, base: base.Branch, tips: landed}).Diff
			}
			slices.Reverse(h.Commits)
			return h, nil
		}
		var step phases.Step
		if ours {
			step = message.Transition.Step
		}
		if at, err = r.branchParent(commit, step); err != nil {
			return h, err
		}
		if step == phases.StepArchive {
			landed = slices.DeleteFunc(slices.Clone(commit.Parents), func(p gitops.ID) bool { return p == at })
		}
	}
	return phases.History{Change: r.id}, nil
}

// branchParent is the parent that belongs to the change's own branch.
// An archive commit has the base as its other parent, first or second by the way it landed:
// only the branch still holds the change's folder.
func (r *reader) branchParent(c gitops.Commit, step phases.Step) (gitops.ID, error) {
	if len(c.Parents) == 0 {
		return "", nil
	}
	if step != phases.StepArchive {
		return c.Parents[0], nil
	}
	for _, parent := range c.Parents {
		p, err := r.commit(parent)
		if err != nil {
			return "", fmt.Errorf("read commit %s: %w", parent, err)
		}
		if t, err := r.trees(p.Tree); err != nil {
			return "", err
		} else if t.folder != "" {
			return parent, nil
		}
	}
	return c.Parents[0], nil
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

// stateFacts adds the phase that STATE.yaml claims at this commit.
func (r *reader) stateFacts(facts *phases.Commit, t trees) error {
	if t.state == "" {
		facts.StateErr = ErrNoState
		return nil
	}
	doc, err := r.document(t.state)
	if err != nil {
		return err
	}
	if facts.StateErr = doc.err; doc.err == nil {
		facts.StatePhase = doc.state.Phase.String()
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
