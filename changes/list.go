package changes

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Summary is what one bulk read tells of a change. It is not proved: nothing was replayed.
type Summary struct {
	ID        phases.ChangeID
	Tip       gitops.ID
	Last      phases.Transition // the newest transition, zero when none could be read
	Updated   time.Time
	StalePlan bool  // the plan was edited after its approval
	StaleCode bool  // the change is complete, and its code is not the approved one
	Err       error // why the change cannot be summed up
}

// List sums up every change that has a branch, in the order of ids.
//
// It reads all tips in one git process. A tip that is a commit of ours says everything:
// it was fresh when it was written, and nothing came after it.
// Only branches that end in somebody else's commit are read further, through their STATE.yaml.
func (s *Store) List(ctx context.Context) ([]Summary, error) {
	var all []Summary
	var further []int
	for ref, err := range s.Repo.RefMessages(ctx, "refs/heads/agentd/") {
		if err != nil {
			return nil, err
		}
		id, ok := phases.ChangeIDFromBranch(ref.Name)
		if !ok {
			continue
		}
		sum := Summary{ID: id, Tip: ref.ID, Updated: ref.Commit.Committer.When}
		message, err := phases.ParseMessage(ref.Commit.Message)
		switch t := message.Transition; {
		case err != nil:
			sum.Err = err
		case t != nil && t.Change == id:
			sum.Last = *t
		}
		if t := sum.Last; t.Phase == phases.None || t.Step == phases.StepEdit || t.Step == phases.StepNote {
			further = append(further, len(all))
		}
		all = append(all, sum)
	}
	if err := s.readFurther(ctx, all, further); err != nil {
		return nil, err
	}
	slices.SortFunc(all, byID)
	return all, nil
}

// readFurther takes phase and staleness of branches with foreign tips from their STATE.yaml and trees.
func (s *Store) readFurther(ctx context.Context, all []Summary, which []int) error {
	if len(which) == 0 {
		return nil
	}
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, i := range which {
		r := &reader{repo: s.Repo, objects: objects, id: all[i].ID, past: newPast()}
		if err := r.sumUp(&all[i]); err != nil {
			all[i].Err = err
		}
	}
	return nil
}

func (r *reader) sumUp(sum *Summary) error {
	commit, err := r.objects.Commit(sum.Tip)
	if err != nil {
		return err
	}
	t, err := r.trees(commit.Tree)
	if err != nil {
		return err
	}
	if t.state == "" {
		return &NoHistoryError{ID: r.id}
	}
	src, err := r.objects.Blob(t.state)
	if err != nil {
		return err
	}
	state, _, err := specs.ParseState(r.id.Dir()+"/"+specs.StateFile, src)
	if err != nil {
		return err
	}
	if len(state.Transitions) == 0 {
		return &NoHistoryError{ID: r.id}
	}
	sum.Last = state.Transitions[len(state.Transitions)-1].Transition
	sum.Last.Change = r.id
	if approved := approvedPlan(state.Transitions); approved != "" {
		sum.StalePlan = approved != string(t.plan)
	}
	if approved := approvedCode(state.Transitions); approved != "" {
		sum.StaleCode = approved != string(t.code)
	}
	return nil
}

// approvedCode is the code tree that a complete change was approved with, "" where it is not complete.
func approvedCode(journal []specs.Entry) string {
	for _, e := range slices.Backward(journal) {
		if e.Phase != phases.Complete {
			return ""
		}
		if e.Subject != "" {
			return e.Subject
		}
	}
	return ""
}

// approvedPlan is the plan tree of the newest approval in the journal, "" where none holds.
func approvedPlan(journal []specs.Entry) string {
	for _, e := range slices.Backward(journal) {
		switch {
		case e.Phase == phases.Challenged && e.From == phases.Proposed:
			return e.Subject
		case e.Phase == phases.Proposed || e.Phase == phases.Rejected:
			return ""
		}
	}
	return ""
}

// Archived sums up the changes that the base's tree holds under agentd/archive, in the order of ids.
func (s *Store) Archived(ctx context.Context) ([]Summary, error) {
	tips, err := s.findBase(ctx)()
	if err != nil || len(tips) == 0 {
		return nil, err
	}
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	found := map[phases.ChangeID]Summary{}
	for _, tip := range tips {
		if err := archivedAt(objects, tip, found); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(found), byID), nil
}

func byID(a, b Summary) int { return cmp.Compare(a.ID.String(), b.ID.String()) }

// archivedAt adds what one commit's tree has in its archive.
func archivedAt(objects *gitops.Objects, tip gitops.ID, found map[phases.ChangeID]Summary) error {
	folder, _, _, err := objects.Lookup(string(tip) + ":agentd/archive")
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := objects.Tree(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, err := phases.ParseChangeID(e.Name)
		if err != nil || e.Mode != gitops.ModeTree {
			continue
		}
		sum := Summary{ID: id, Tip: tip, Last: phases.Transition{Change: id, Step: phases.StepArchive, Phase: phases.Archived}}
		_, _, src, err := objects.Lookup(string(e.ID) + ":" + specs.StateFile)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		state, _, err := specs.ParseState(id.ArchiveDir()+"/"+specs.StateFile, src)
		switch {
		case err != nil:
			sum.Err = err
		case state.Phase != phases.Archived:
			continue
		case len(state.Transitions) > 0:
			sum.Last, sum.Updated = state.Transitions[len(state.Transitions)-1].Transition, state.UpdatedAt
			sum.Last.Change, sum.Last.Round = id, state.Iteration
		}
		found[id] = sum
	}
	return nil
}

// Records are what a commit's archive says of the changes in it, in the order of ids. What cannot be read is left out.
func (s *Store) Records(ctx context.Context, commit gitops.ID) ([]*specs.State, error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	_, entries, err := objects.TreeAt(string(commit) + ":agentd/archive")
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var records []*specs.State
	for _, e := range entries {
		_, _, src, err := objects.Lookup(string(e.ID) + ":" + specs.StateFile)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		state, _, err := specs.ParseState("agentd/archive/"+e.Name+"/"+specs.StateFile, src)
		if err == nil && state.Phase == phases.Archived && state.Archive != nil {
			records = append(records, state)
		}
	}
	return records, nil
}
