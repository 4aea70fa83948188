package changes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Trunk is the branch that changes are judged against, and whose content is trusted.
type Trunk struct {
	Branch string      // its short name, "" in a repository without one
	Tips   []gitops.ID // commits that stand for it: the local branch and those of remotes, or what an event names
	Rules  gitops.ID   // the commit whose configuration holds, "" where there is none

	// Only trusts nothing else: of what a change says it began on, only the branches of other changes count.
	Only bool
}

// Trunk is a branch as it stands here and on the remotes that were fetched; "" is the default branch.
// Its rules are those of the named remote, or of another one, or else those that stand here:
// what is judged is most often here and nowhere else.
func (s *Store) Trunk(ctx context.Context, branch, remote string) (Trunk, error) {
	if branch == "" {
		var err error
		branch, err = s.Repo.DefaultBranch(ctx)
		if _, judged := phases.ChangeIDFromBranch(branch); err != nil || branch == "" || judged {
			return Trunk{}, err // a checkout of a change alone, as workflows make it, has no base
		}
	}
	t := Trunk{Branch: branch}
	local := "refs/heads/" + branch
	names, err := s.Repo.Tracking(ctx, branch)
	if err != nil {
		return t, err
	}
	refs, err := s.Repo.Refs(ctx, append(names, local)...)
	best := 0
	for _, ref := range refs {
		t.Tips = append(t.Tips, ref.ID)
		rank := 2
		switch ref.Name {
		case local:
			rank = 1
		case "refs/remotes/" + remote + "/" + branch:
			rank = 3
		}
		if rank > best {
			best, t.Rules = rank, ref.ID
		}
	}
	return t, err
}

func noBase(err error) bool {
	_, ok := errors.AsType[*BaseError](err)
	return ok
}

// Auditor reads histories as [phases.Audit] wants them, all of them through one git process.
// It has one owner, who closes it.
type Auditor struct {
	store   *Store
	objects *gitops.Objects
	past    *past

	looking sync.WaitGroup
	trunk   Trunk              // once looking is done, as the next two
	outside map[gitops.ID]bool // the commits of what is judged that the trunk does not have
	err     error
}

// Auditor begins to read. tips are all the commits that histories will be asked for.
// The trunk is looked for while the first history is read: each costs some processes of git.
func (s *Store) Auditor(ctx context.Context, tips []gitops.ID, find func(context.Context) (Trunk, error)) (*Auditor, error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	a := &Auditor{store: s, objects: objects, past: newPast(), outside: map[gitops.ID]bool{}}
	a.looking.Go(func() {
		if a.trunk, a.err = find(ctx); a.err != nil {
			return
		}
		var between []gitops.ID
		between, a.err = s.Repo.Between(ctx, tips, a.trunk.Tips)
		for _, id := range between {
			a.outside[id] = true
		}
	})
	return a, nil
}

// Trunk waits for the trunk.
func (a *Auditor) Trunk() (Trunk, error) {
	a.looking.Wait()
	return a.trunk, a.err
}

// Close ends the git process.
func (a *Auditor) Close() error {
	a.looking.Wait()
	return a.objects.Close()
}

// Objects is what the auditor reads through.
func (a *Auditor) Objects() *gitops.Objects { return a.objects }

// Trust counts a commit that was judged, with all that it contains, to the trunk: the next commit lands on it.
func (a *Auditor) Trust(commit gitops.ID) error {
	if _, err := a.Trunk(); err != nil {
		return err
	}
	for open := []gitops.ID{commit}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if !a.outside[at] {
			continue
		}
		delete(a.outside, at)
		c, err := a.objects.Commit(at)
		if err != nil {
			return err
		}
		open = append(open, c.Parents...)
	}
	return nil
}

// Outside reports whether the trunk, which [Auditor.Trunk] has waited for, does not have a commit.
func (a *Auditor) Outside(commit gitops.ID) bool { return a.outside[commit] }

// History is the history of a change as if its branch stood at tip, from the base on:
// what was committed before the change began is part of what is judged.
// It has no commits where nothing begins the change.
func (a *Auditor) History(ctx context.Context, id phases.ChangeID, tip gitops.ID) (phases.History, error) {
	r := a.reader(id)
	walked, landed, err := r.walk(ctx, tip)
	if isNotFound(err) && a.store.Repo.Shallow() {
		err = &ShallowError{ID: id}
	}
	if err != nil || len(walked) == 0 {
		return phases.History{Change: id}, err
	}
	h, err := r.retell(ctx, walked, landed)
	if err != nil {
		return h, err
	}
	if h.Commits, err = r.verdictFacts(walked, h.Commits); err != nil {
		return h, err
	}
	if _, err := a.Trunk(); err != nil {
		return h, err
	}
	base := a.baseOf(walked)
	before, err := a.before(ctx, r, walked[len(walked)-1], base)
	if err != nil {
		return h, err
	}
	for _, s := range before {
		facts, _, err := r.facts(s.commit)
		if err != nil {
			return h, err
		}
		h.Commits = slices.Insert(h.Commits, 0, facts)
	}
	all := slices.Concat(walked, before)
	h.OtherMergeParentsOK = a.mergesOnly(ctx, all, base)
	h.SignedBy = a.signedBy(ctx, walked)
	return h, r.foreign(ctx, &h, all)
}

// Approvals are the approvals in a history that may have been replaced, as [phases.Approvals] of it.
// The error matches [gitops.ErrNotFound] where it is not in this clone.
func (a *Auditor) Approvals(ctx context.Context, id phases.ChangeID, tip gitops.ID) ([]phases.Approval, error) {
	r := a.reader(id)
	walked, _, err := r.walk(ctx, tip)
	if err != nil {
		return nil, err
	}
	h := phases.History{Change: id}
	for _, s := range slices.Backward(walked) {
		h.Commits = append(h.Commits, phases.Commit{ID: string(s.commit.ID), Message: s.commit.Message})
	}
	return phases.Approvals(h), nil
}

// Merged is the parent of a merge that brought the change's archive to the base as it is, "" where none did.
func (a *Auditor) Merged(id phases.ChangeID, at gitops.ID) (gitops.ID, error) {
	commit, err := a.objects.Commit(at)
	if err != nil || len(commit.Parents) < 2 {
		return "", err
	}
	return a.reader(id).mergedWith(commit, id.ArchiveDir()+"/"+specs.StateFile)
}

// KeepsPlan reports whether the change's folder in the archive holds, at a commit, the plan that its journal says was approved.
// A change that never had one keeps it.
func (a *Auditor) KeepsPlan(id phases.ChangeID, at gitops.ID, journal []specs.Entry) (bool, error) {
	var approved string
	for _, e := range slices.Backward(journal) {
		if e.Phase == phases.Challenged && e.From == phases.Proposed {
			approved = e.Subject
			break
		}
	}
	if approved == "" {
		return true, nil
	}
	folder, _, err := a.objects.TreeAt(string(at) + ":" + id.ArchiveDir())
	if err != nil {
		return false, err
	}
	var t trees
	err = a.reader(id).readFolder(folder, &t)
	return string(t.plan) == approved, err
}

func (a *Auditor) reader(id phases.ChangeID) *reader {
	return &reader{repo: a.store.Repo, objects: a.objects, id: id, past: a.past}
}

// baseOf is the branch that the change says it began on.
func (a *Auditor) baseOf(walked []step) string {
	if base := walked[len(walked)-1].record.Base; base != nil {
		return base.Branch
	}
	return a.trunk.Branch
}

// before are the commits between the base and the one that began the change, newest first.
func (a *Auditor) before(ctx context.Context, r *reader, first step, base string) ([]step, error) {
	var found []step
	for s := first; len(s.commit.Parents) > 0; {
		at := s.commit.Parents[0]
		known, err := a.known(ctx, at, base)
		if err != nil || known {
			return found, err
		}
		if s, err = r.step(at); err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

// known reports whether a commit is on the trunk, or on the branch of another change that was named as base.
func (a *Auditor) known(ctx context.Context, commit gitops.ID, branches ...string) (bool, error) {
	if !a.outside[commit] {
		return true, nil
	}
	for _, branch := range branches {
		if _, stacked := phases.ChangeIDFromBranch(branch); branch == a.trunk.Branch || a.trunk.Only && !stacked {
			continue
		}
		tips, err := baseTips(ctx, a.store.Repo, branch)
		if noBase(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		for _, tip := range tips {
			if on, err := a.store.Repo.IsAncestor(ctx, commit, tip); err != nil || on {
				return on, err
			}
		}
	}
	return false, nil
}

// mergesOnly judges what a commit merges: the base, or a change that this one depends on.
// From its archive on, a branch merges the base alone: what is measured from there on is what lands.
func (a *Auditor) mergesOnly(ctx context.Context, walked []step, base string) func(phases.Commit) bool {
	branches := []string{base}
	for _, s := range walked {
		if s.record != nil {
			for _, id := range s.record.DependsOn {
				branches = append(branches, id.Branch())
			}
		}
	}
	own, landing := map[string]bool{}, map[string]bool{}
	archived := false
	for _, s := range slices.Backward(walked) {
		archived = archived || s.record != nil && s.record.Step == phases.StepArchive
		own[string(s.commit.ID)], landing[string(s.commit.ID)] = true, archived
	}
	return func(c phases.Commit) bool {
		allowed := branches
		if landing[c.ID] {
			allowed = nil
		}
		for _, parent := range c.Parents {
			if own[parent] {
				continue
			}
			ok, err := a.known(ctx, gitops.ID(parent), allowed...)
			if err != nil || !ok {
				return false
			}
		}
		return true
	}
}

// verdictFacts adds to the commits of verdicts which paths they touch, and whether their report bears them out.
// walked is newest first, commits oldest first, both of the same commits.
func (r *reader) verdictFacts(walked []step, commits []phases.Commit) ([]phases.Commit, error) {
	for i, s := range slices.Backward(walked) {
		if s.record == nil || s.record.Step != phases.StepChallenge && s.record.Step != phases.StepReview {
			continue
		}
		c := &commits[len(commits)-1-i]
		var before gitops.ID
		if len(s.commit.Parents) > 0 {
			before = s.commit.Parents[0]
		}
		touched, err := r.objects.DiffCommits(before, s.commit.ID)
		if err != nil {
			return nil, err
		}
		c.TouchedPaths = make([]string, len(touched))
		for n, change := range touched {
			c.TouchedPaths[n] = change.Path
		}
		if c.ReportFault, err = r.reportFault(s); err != nil {
			return nil, err
		}
	}
	return commits, nil
}

// reportFault says how the report in a verdict's commit contradicts its trailers, "" where it bears them out.
func (r *reader) reportFault(s step) (string, error) {
	name := specs.ChallengeFile
	if s.record.Step == phases.StepReview {
		name = specs.ReviewFile
	}
	t, err := r.trees(s.commit.Tree)
	if err != nil {
		return "", err
	}
	_, kind, src, err := r.objects.Lookup(string(t.folder) + ":" + name)
	switch {
	case t.folder == "" || isNotFound(err) || err == nil && kind != "blob":
		return fmt.Sprintf("there is no %s in it", name), nil
	case err != nil:
		return "", err
	}
	if fault := specs.ReadReport(src).Contradicts(*s.record); fault != "" {
		return name + " " + fault, nil
	}
	return "", nil
}

// signedBy verifies the signatures of a history's verdicts and decisions, all at once, when the first is asked for.
func (a *Auditor) signedBy(ctx context.Context, walked []step) func(string) ([]string, error) {
	load := sync.OnceValues(func() (map[gitops.ID][]string, error) {
		var ids []gitops.ID
		for _, s := range walked {
			if r := s.record; r != nil && (r.Verdict != "" || r.Decision != "" || r.Step == phases.StepReverify) {
				ids = append(ids, s.commit.ID)
			}
		}
		return a.store.Repo.Signers(ctx, ids)
	})
	return func(commit string) ([]string, error) {
		signers, err := load()
		return signers[gitops.ID(commit)], err
	}
}
