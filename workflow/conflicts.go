package workflow

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Conflicts forecasts what will collide when open changes are archived, by merging each pair of them
// as archive would, one after the other. Nothing is proved or written.
type Conflicts struct{ Bench *Bench }

// ConflictsRequest narrows the forecast.
type ConflictsRequest struct {
	Changes []phases.ChangeID // only pairs with one of these; none for all
}

// ConflictsResult is a forecast for the base branch as it is now.
type ConflictsResult struct {
	Changes []OpenChange   `json:"changes"` // in the order in which they are best archived
	Pairs   []ConflictPair `json:"pairs"`   // that touch the same, those that conflict first
}

// OpenChange is one change that is not archived.
type OpenChange struct {
	Change    string           `json:"change"`
	Phase     phases.Phase     `json:"phase"` // as its tip says, unproved
	Ref       string           `json:"ref"`
	Touches   []string         `json:"touches"`   // requirements, as spec#R1
	Conflicts []specs.Conflict `json:"conflicts"` // with the base branch as it is now
	Problem   string           `json:"problem,omitempty"`
}

// ConflictPair is two open changes that touch the same requirement or the same file.
type ConflictPair struct {
	Changes      [2]string        `json:"changes"`
	Conflicts    []specs.Conflict `json:"conflicts"`    // archive would ask a person: whichever is archived second
	Requirements []string         `json:"requirements"` // that both touch, as spec#R1
	Files        []string         `json:"files"`        // that the tasks of both touch
}

// Conflicting says whether anything would need a person, or could not be forecast.
func (r ConflictsResult) Conflicting() bool {
	return slices.ContainsFunc(r.Pairs, func(p ConflictPair) bool { return len(p.Conflicts) > 0 }) ||
		slices.ContainsFunc(r.Changes, func(c OpenChange) bool { return len(c.Conflicts) > 0 || c.Problem != "" })
}

// Run reads every open change, here and as fetched, and compares each with each.
func (f *Conflicts) Run(ctx context.Context, req ConflictsRequest) (ConflictsResult, error) {
	result := ConflictsResult{Changes: []OpenChange{}, Pairs: []ConflictPair{}}
	all, err := f.forecasts(ctx)
	if err != nil {
		return result, err
	}
	for _, id := range req.Changes {
		if !slices.ContainsFunc(all, func(c *forecast) bool { return c.draft.ID == id }) {
			return result, &changes.NotFoundError{ID: id}
		}
	}
	var both [][2]*forecast
	for i, a := range all {
		for _, b := range all[i+1:] {
			if len(req.Changes) == 0 || slices.Contains(req.Changes, a.draft.ID) || slices.Contains(req.Changes, b.draft.ID) {
				both = append(both, [2]*forecast{a, b})
			}
		}
	}
	pairs := make([]ConflictPair, len(both))
	if err := inParallel(len(both), func(i int) (err error) {
		pairs[i], err = both[i][0].beside(both[i][1])
		return err
	}); err != nil {
		return result, err
	}
	for _, pair := range pairs {
		if len(pair.Conflicts)+len(pair.Requirements)+len(pair.Files) > 0 {
			result.Pairs = append(result.Pairs, pair)
		}
	}
	slices.SortStableFunc(result.Pairs, func(a, b ConflictPair) int {
		return cmp.Compare(min(1, len(b.Conflicts)), min(1, len(a.Conflicts)))
	})
	for _, c := range inOrder(all, result.Pairs) {
		result.Changes = append(result.Changes, c.open)
	}
	return result, nil
}

// forecast is one open change, made ready to be merged many times.
type forecast struct {
	draft    changes.Draft
	open     OpenChange
	specs    []forecastSpec
	unlanded []forecastSpec // as they were read
	files    []string       // that its tasks touch
	depends  []phases.ChangeID
}

// forecastSpec is one spec of a change: as the plan saw it, as the change has it, and once archived on the base of today.
type forecastSpec struct {
	id           specs.SpecID
	path         string  // within the change's folder
	planned, now parsing // as the plan saw it, and on the base of today
	base, theirs *specs.Parts
	landed       *specs.Parts // nil where that needs a person
	gone         bool         // the archive retires it
}

func (f *Conflicts) forecasts(ctx context.Context) ([]*forecast, error) {
	drafts, err := f.Bench.Store.Drafts(ctx)
	if err != nil || len(drafts) == 0 {
		return nil, err
	}
	base, err := f.Bench.newestOf(ctx, "")
	if err != nil {
		return nil, err
	}
	objects, err := f.Bench.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	var all []*forecast
	versions := specVersions{objects: objects, parsed: map[gitops.ID]parsing{}}
	for _, draft := range drafts {
		c := &forecast{draft: draft, open: OpenChange{
			Change: draft.ID.String(), Ref: draft.Ref, Touches: []string{}, Conflicts: []specs.Conflict{},
		}}
		if draft.State != nil {
			if c.open.Phase = draft.State.Phase; c.open.Phase == phases.Rejected {
				continue
			}
			for _, e := range draft.State.Transitions {
				c.depends = append(c.depends, e.DependsOn...)
			}
		}
		if err := c.read(versions, base); err != nil {
			c.open.Problem = err.Error()
		}
		all = append(all, c)
	}
	return all, inParallel(len(all), func(i int) error {
		if err := all[i].land(); err != nil { // of a spec before the one that could not be read
			all[i].open.Problem = err.Error()
		}
		return nil
	})
}

// parsing reads a version of a spec when it is first asked for, nil where there is none.
type parsing func() (*specs.Parts, error)

// specVersions are versions of specs by blob: most changes began with the same ones.
type specVersions struct {
	objects *gitops.Objects
	parsed  map[gitops.ID]parsing
}

// at is the spec at a commit.
func (v specVersions) at(commit gitops.ID, path string) (parsing, error) {
	blob, text, err := textAt(v.objects, commit, path)
	if err != nil {
		return nil, err
	}
	if v.parsed[blob] == nil {
		v.parsed[blob] = sync.OnceValues(func() (*specs.Parts, error) {
			if text == nil {
				return nil, nil
			}
			return specs.ParseParts(path, text)
		})
	}
	return v.parsed[blob], nil
}

// read takes the change's tasks, and its specs as they were when it was planned and as they are on the base.
func (c *forecast) read(versions specVersions, base gitops.ID) error {
	docs := specs.ChangeDocs{ID: c.draft.ID.String(), Files: c.draft.Files}
	if tasks, _, err := specs.ParseTasks(specs.TasksPath, c.draft.Files[specs.TasksPath]); err == nil {
		for _, task := range tasks.Tasks {
			for _, file := range task.Files {
				c.files = append(c.files, file.Path)
			}
		}
	}
	var seen gitops.ID
	if c.draft.State != nil {
		seen = seenBy(c.draft.State.Transitions)
	}
	seen = cmp.Or(seen, base)
	for _, path := range specPaths(docs) {
		s := forecastSpec{id: specIDOf(path), path: path}
		var err error
		if s.planned, err = versions.at(seen, "agentd/"+path); err != nil {
			return err
		}
		if s.now, err = versions.at(base, "agentd/"+path); err != nil {
			return err
		}
		c.unlanded = append(c.unlanded, s)
	}
	return nil
}

// land archives the change on the base by itself.
func (c *forecast) land() error {
	for _, s := range c.unlanded {
		var err error
		if s.base, err = s.planned(); err != nil {
			return err
		}
		text := c.draft.Files[s.path]
		if s.theirs, err = specs.ParseParts(c.draft.ID.String()+"/"+s.path, text); err != nil {
			return err
		}
		ours, err := s.now()
		if err != nil {
			return err
		}
		merged, err := mergeParts(specs.Sides{Spec: s.id, Base: s.base, Ours: ours, Theirs: s.theirs})
		if err != nil {
			return err
		}
		c.open.Conflicts = append(c.open.Conflicts, merged.Conflicts...)
		s.gone = merged.Gone
		switch {
		case merged.Text == nil:
		case bytes.Equal(merged.Text, text): // as most often: the base branch has not touched it
			s.landed = s.theirs
		default:
			if s.landed, err = specs.ParseParts("agentd/"+s.path, merged.Text); err != nil {
				return err
			}
		}
		for _, requirement := range merged.Delta.Requirements() {
			c.open.Touches = append(c.open.Touches, specs.SpecRef{Spec: s.id, Requirement: requirement}.String())
		}
		c.specs = append(c.specs, s)
	}
	return nil
}

// beside archives one change after the other, as far as each can be archived by itself.
func (c *forecast) beside(d *forecast) (ConflictPair, error) {
	pair := ConflictPair{
		Changes:   [2]string{c.open.Change, d.open.Change},
		Conflicts: []specs.Conflict{}, Requirements: shared(c.open.Touches, d.open.Touches), Files: shared(c.files, d.files),
	}
	for _, first := range c.specs {
		at := slices.IndexFunc(d.specs, func(s forecastSpec) bool { return s.id == first.id })
		if at < 0 {
			continue
		}
		second, alone := d.specs[at], d.open.Conflicts
		if !first.lands() { // the one that a person has to look at anyway comes second
			first, second, alone = second, first, c.open.Conflicts
		}
		if !first.lands() {
			continue
		}
		merged, err := mergeParts(specs.Sides{Spec: first.id, Base: second.base, Ours: first.landed, Theirs: second.theirs})
		if err != nil {
			return pair, err
		}
		for _, conflict := range merged.Conflicts {
			if !slices.Contains(alone, conflict) { // the other has no part in what collides with the base already
				pair.Conflicts = append(pair.Conflicts, conflict)
			}
		}
	}
	return pair, nil
}

// lands says that a spec can be archived on the base of today without a person.
func (s forecastSpec) lands() bool { return s.landed != nil || s.gone }

// shared are the values of both lists, each once, in order.
func shared(a, b []string) []string {
	both := []string{}
	for _, value := range a {
		if slices.Contains(b, value) && !slices.Contains(both, value) {
			both = append(both, value)
		}
	}
	slices.Sort(both)
	return both
}

// inOrder puts changes in the order in which they are best archived: what others stand on first, then what is nearest to its end,
// then what collides with the fewest.
func inOrder(all []*forecast, pairs []ConflictPair) []*forecast {
	collides := map[string]int{}
	for _, p := range pairs {
		if len(p.Conflicts) > 0 {
			collides[p.Changes[0]]++
			collides[p.Changes[1]]++
		}
	}
	rest := slices.SortedStableFunc(slices.Values(all), func(a, b *forecast) int {
		return cmp.Or(
			cmp.Compare(b.open.Phase, a.open.Phase),
			cmp.Compare(collides[a.open.Change], collides[b.open.Change]),
			strings.Compare(a.open.Change, b.open.Change),
		)
	})
	var order []*forecast
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(c *forecast) bool {
			return !slices.ContainsFunc(rest, func(below *forecast) bool { return slices.Contains(c.depends, below.draft.ID) })
		})
		next = max(next, 0) // changes that stand on each other have no order
		order = append(order, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return order
}

// Words says a pair in one line.
func (p ConflictPair) Words() string {
	names := p.Changes[0] + " and " + p.Changes[1]
	switch {
	case len(p.Conflicts) > 0:
		text := fmt.Sprintf("%s: %s", names, p.Conflicts[0])
		if more := len(p.Conflicts) - 1; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		return text
	case len(p.Requirements) > 0:
		return fmt.Sprintf("%s both change %s, and fit together", names, strings.Join(p.Requirements, ", "))
	}
	return fmt.Sprintf("%s both touch %s", names, strings.Join(p.Files, ", "))
}
