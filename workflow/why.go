package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Why tells what brought the requirements of a spec to their present text: from the base branch's commits
// and the archive records that came with them, which are there also where a squash dropped everything else.
type Why struct{ Bench *Bench }

// WhyRequest names a requirement, or a whole spec.
type WhyRequest struct{ Ref specs.SpecRef }

// WhyResult has one row for each requirement that was asked for, in the order of the spec.
type WhyResult struct {
	Spec         string           `json:"spec"`
	Requirements []WhyRequirement `json:"requirements"`
}

// WhyRequirement is one requirement and what happened to it, the newest first.
// Of a whole spec only the newest step of each is told.
type WhyRequirement struct {
	Requirement string    `json:"requirement"` // its id now, or the last one that it had
	Title       string    `json:"title"`
	Line        int       `json:"line"` // 0 where it is not there any more
	Steps       []WhyStep `json:"steps"`

	id   string // under which it goes on being looked for
	done bool
}

// WhyStep is one commit of the base branch that changed a requirement or a scenario of it.
type WhyStep struct {
	Did       []string     `json:"did"` // what it did to it, in words
	Commit    string       `json:"commit"`
	At        time.Time    `json:"at"`
	By        string       `json:"by"`     // author of the commit
	Change    string       `json:"change"` // that was archived, or taken back; "" where no record explains it
	TakenBack bool         `json:"taken_back"`
	Resolved  bool         `json:"resolved"` // a person decided, where the base and the change both edited the spec
	Written   *WhyCommit   `json:"written"`  // the commit on the change's branch that wrote the text; null where it is not in this clone
	Plan      *WhyApproval `json:"plan"`
	Code      *WhyApproval `json:"code"`
	Usage     UsageTotals  `json:"usage"` // of the whole change
}

// WhyCommit is one commit on the branch of a change.
type WhyCommit struct {
	Commit string      `json:"commit"`
	Step   phases.Step `json:"step"` // "" for a person's own commit
	Round  int         `json:"round"`
	By     string      `json:"by"` // the agent, or the author
	At     time.Time   `json:"at"`
}

// WhyApproval is who said yes.
type WhyApproval struct {
	By     string `json:"by"`
	Person bool   `json:"person"`
	Round  int    `json:"round"` // of the challenge or review; 0 for a person
}

// Run walks the base branch back, from its newest commit that is known here.
func (w *Why) Run(ctx context.Context, req WhyRequest) (WhyResult, error) {
	result := WhyResult{Spec: string(req.Ref.Spec), Requirements: []WhyRequirement{}}
	base, err := w.Bench.newestOf(ctx, "")
	if err != nil {
		return result, err
	}
	objects, err := w.Bench.Repo.Objects(ctx)
	if err != nil {
		return result, err
	}
	defer objects.Close()
	walk := &specHistory{bench: w.Bench, objects: objects, spec: req.Ref.Spec, parsed: map[gitops.ID]*specs.Parts{}}
	wanted, err := walk.wanted(ctx, base, req.Ref)
	if err != nil {
		return result, err
	}
	whole := req.Ref.Requirement == ""
	for step, err := range walk.steps(ctx, base) {
		if err != nil {
			return result, err
		}
		if err := walk.follow(ctx, wanted, step, whole); err != nil {
			return result, err
		}
		if !slices.ContainsFunc(wanted, func(r *WhyRequirement) bool { return !r.done }) {
			break
		}
	}
	for _, r := range wanted {
		if len(r.Steps) == 0 && r.Line == 0 {
			return result, &NoRequirementError{Ref: req.Ref, Known: walk.known}
		}
		result.Requirements = append(result.Requirements, *r)
	}
	return result, nil
}

// wanted are the requirements to look for: all that the spec has now, or the one that was named,
// which may have been removed.
func (h *specHistory) wanted(ctx context.Context, base gitops.ID, ref specs.SpecRef) ([]*WhyRequirement, error) {
	_, text, err := textAt(h.objects, base, h.path())
	if err != nil {
		return nil, err
	}
	spec, _, err := specs.ParseSpec(h.path(), text)
	if err != nil {
		return nil, err
	}
	var all []*WhyRequirement
	for _, r := range spec.Requirements {
		h.known = append(h.known, r.ID)
		all = append(all, &WhyRequirement{Requirement: r.ID, Title: r.Title, Line: r.Line, Steps: []WhyStep{}, id: r.ID})
	}
	if ref.Requirement == "" {
		if len(all) == 0 {
			return nil, &NoRequirementError{Ref: ref}
		}
		return all, nil
	}
	if found, ok := spec.Resolve(ref.Requirement); ok {
		return all[slices.IndexFunc(all, func(r *WhyRequirement) bool { return r.id == found.ID }):][:1], nil
	}
	return []*WhyRequirement{{Requirement: ref.Requirement, Steps: []WhyStep{}, id: ref.Requirement}}, nil
}

// follow notes what one step did to the requirements, and under which id each stood before it.
func (h *specHistory) follow(ctx context.Context, wanted []*WhyRequirement, step specStep, whole bool) error {
	delta, err := h.delta(step)
	if err != nil {
		return err
	}
	var told *WhyStep // the same for all that it did
	for _, r := range wanted {
		if r.done {
			continue
		}
		var did []string
		next := r.id
		for _, e := range delta.Edits {
			if e.Requirement == "" || !specs.SameID(e.Requirement, r.id) {
				continue
			}
			did = append(did, e.String())
			if e.Kind != specs.RequirementPart {
				continue
			}
			switch e.Op {
			case specs.Added:
				r.done = true
			case specs.Renamed:
				if h.has(step.before, e.From) {
					next = e.From
				}
			}
			if r.Title == "" {
				r.Title = e.Title
			}
		}
		if len(did) == 0 {
			continue
		}
		if told == nil {
			if step, err = h.explained(step); err != nil {
				return err
			}
			if told, err = h.tell(ctx, step); err != nil {
				return err
			}
		}
		one := *told
		one.Did = did
		if !whole && !step.gone && step.record != nil {
			if one.Written, err = h.writer(ctx, step, r.id); err != nil {
				return err
			}
		}
		r.Steps = append(r.Steps, one)
		r.id, r.done = next, r.done || whole
	}
	return nil
}

// tell says who did a step, from the record that came with it.
func (h *specHistory) tell(ctx context.Context, step specStep) (*WhyStep, error) {
	commit, err := h.objects.Commit(step.commit)
	if err != nil {
		return nil, err
	}
	told := &WhyStep{Commit: string(commit.ID), At: commit.Author.When.UTC(), By: commit.Author.Name, TakenBack: step.gone}
	if step.record == nil {
		return told, nil
	}
	told.Change, told.Resolved = step.record.ChangeID, step.resolved
	for _, e := range step.record.Transitions {
		if e.Usage != nil && e.Step != phases.StepArchive {
			told.Usage.add(*e.Usage)
		}
		approval := &WhyApproval{By: cmp.Or(e.Agent, "a person"), Person: e.Actor == phases.Human, Round: e.Round}
		switch {
		case e.From == phases.Proposed && e.Phase == phases.Challenged:
			told.Plan = approval
		case e.From != phases.Complete && e.Phase == phases.Complete && e.Step != phases.StepUnarchive:
			told.Code = approval
		}
	}
	return told, h.names(ctx, step, told)
}

// names puts a person's name to decisions, where the commits are in this clone.
func (h *specHistory) names(ctx context.Context, step specStep, told *WhyStep) error {
	person := func(a *WhyApproval) bool { return a != nil && a.Person }
	if !person(told.Plan) && !person(told.Code) {
		return nil
	}
	id, err := phases.ParseChangeID(step.record.ChangeID)
	if err != nil || step.record.Archive == nil || !h.holds(step.record.Archive.Tip) {
		return nil //nolint:nilerr // then they are persons without names
	}
	c, err := h.bench.Store.OpenAt(ctx, id, gitops.ID(step.record.Archive.Tip))
	if err != nil {
		return nil //nolint:nilerr // as before: the record still says what it says
	}
	for _, pair := range []struct {
		told *WhyApproval
		at   *phases.Applied
	}{{told.Plan, c.State.PlanApproval}, {told.Code, c.State.CodeApproval}} {
		if person(pair.told) && pair.at != nil {
			commit, err := h.objects.Commit(gitops.ID(pair.at.Commit))
			if err != nil {
				return err
			}
			pair.told.By = commit.Author.Name
		}
	}
	return nil
}

// writer is the commit on the change's branch that gave a requirement the text which was archived, nil where it is not in this clone.
func (h *specHistory) writer(ctx context.Context, step specStep, requirement string) (*WhyCommit, error) {
	archive := step.record.Archive
	if archive == nil || !h.holds(archive.Tip) {
		return nil, nil
	}
	id, err := phases.ParseChangeID(step.record.ChangeID)
	if err != nil {
		return nil, nil //nolint:nilerr // the record is of an older tool
	}
	path := id.Dir() + "/specs/" + string(h.spec) + ".md"
	commits, err := h.bench.Repo.Touches(ctx, gitops.ID(archive.Tip), path)
	if err != nil {
		return nil, err
	}
	for _, at := range commits {
		commit, err := h.objects.Commit(at)
		if err != nil {
			return nil, err
		}
		after, _, err := textAt(h.objects, at, path)
		if err != nil {
			return nil, err
		}
		var before gitops.ID
		if len(commit.Parents) > 0 {
			if before, _, err = textAt(h.objects, commit.Parents[0], path); err != nil {
				return nil, err
			}
		}
		delta, err := h.delta(specStep{before: before, after: after})
		if err != nil {
			return nil, err
		}
		if after != "" && slices.ContainsFunc(delta.Edits, func(e specs.Edit) bool { return specs.SameID(e.Requirement, requirement) }) {
			return h.written(commit, id)
		}
	}
	return nil, nil
}

func (h *specHistory) written(commit gitops.Commit, id phases.ChangeID) (*WhyCommit, error) {
	w := &WhyCommit{Commit: string(commit.ID), By: commit.Author.Name, At: commit.Author.When.UTC()}
	if message, err := phases.ParseMessage(commit.Message); err == nil && message.Transition != nil {
		w.Step, w.By = message.Transition.Step, cmp.Or(message.Transition.Agent, w.By)
	}
	_, text, err := textAt(h.objects, commit.ID, id.Dir()+"/"+specs.StateFile)
	if state, _, failed := specs.ParseState("", text); err == nil && failed == nil {
		w.Round = state.Iteration
	}
	return w, err
}

// NoRequirementError says that a spec never had a requirement.
type NoRequirementError struct {
	Ref   specs.SpecRef
	Known []string
}

func (e *NoRequirementError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no spec %q with requirements on the base branch", e.Ref.Spec)
	}
	return fmt.Sprintf("spec %q has no requirement %q, and never had", e.Ref.Spec, e.Ref.Requirement)
}

// Hint names what there is.
func (e *NoRequirementError) Hint() string {
	if len(e.Known) == 0 {
		return "`git ls-tree -r --name-only HEAD agentd/specs` lists the specs"
	}
	return "it has " + strings.Join(e.Known, ", ")
}
