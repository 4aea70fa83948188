package workflow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// begin makes a new change. Its first commit is the clarification, or the proposal where none is wanted;
// until then nothing of it is visible in the repository.
func (p *planning) begin(ctx context.Context) (ActionResult, error) {
	none := ActionResult{Change: p.req.Change.String(), Commits: []string{}}
	if p.req.Description == "" {
		return none, &MissingDescriptionError{ID: p.req.Change}
	}
	if err := p.Store.Free(ctx, p.req.Change); err != nil {
		return none, err
	}
	given := p.givenClarifications()
	if given == nil && !p.req.SkipClarify && p.Ask == nil {
		return none, &ClarifyFirstError{ID: p.req.Change}
	}
	base, err := p.base(ctx)
	if err != nil {
		return none, err
	}
	if err := p.castBoth(ctx, config.Proposer, config.Challenger, nil); err != nil {
		return none, err
	}
	p.Say.Note(fmt.Sprintf("%s is new: planning begins on %s", p.req.Change, base.Branch))
	p.workspaceOf(gitops.ID(base.Commit))
	first, err := p.firstRecord(ctx, base, given)
	if err != nil {
		return none, err
	}
	c, err := p.Store.Begin(ctx, changes.Beginning{
		ID: p.req.Change, Base: base, Profile: p.Config.Workflow.Profile, DependsOn: dependsOn(base), Record: first,
	})
	if err != nil {
		return none, err
	}
	p.made = append(p.made, string(c.Tip))
	p.req.Description = ""
	return p.loop(ctx, c)
}

// firstRecord is the step that begins the change. The description is its body: that is where later steps find it.
func (p *planning) firstRecord(ctx context.Context, base phases.Base, given []byte) (changes.Record, error) {
	var first changes.Record
	var err error
	switch {
	case given != nil:
		first = changes.Record{
			Subject: "clarified", Files: map[string][]byte{specs.ClarificationsPath: given},
			Transition: phases.Transition{Step: phases.StepClarify, Actor: phases.Human},
		}
	case p.req.SkipClarify:
		first, err = p.proposal(ctx, nil, p.req.Description, nil)
	default:
		first, err = p.clarify(ctx, p.work, p.req.Change, p.req.Description)
	}
	first.Body = p.req.Description
	return first, err
}

// givenClarifications are answers that a person or a skill wrote before the change exists.
func (p *planning) givenClarifications() []byte {
	here := p.Repo.WorkTree()
	if here == "" {
		return nil
	}
	path := filepath.Join(here, filepath.FromSlash(p.req.Change.Dir()), specs.ClarificationsPath)
	content, err := readEdit(path)
	if err != nil {
		return nil
	}
	if _, _, err := specs.ParseClarifications(path, content); err != nil {
		return nil
	}
	return content
}

// base is the branch that the change leaves, and where it is now.
func (p *planning) base(ctx context.Context) (phases.Base, error) {
	return p.baseOf(ctx, p.req.Base)
}

// baseOf is a branch that changes may leave, the default one where none is named.
func (b *Bench) baseOf(ctx context.Context, branch string) (phases.Base, error) {
	if branch == "" {
		var err error
		if branch, err = b.Repo.DefaultBranch(ctx); err != nil {
			return phases.Base{}, err
		}
	}
	for _, ref := range []string{"refs/heads/" + branch, "refs/remotes/origin/" + branch} {
		id, err := b.Repo.Resolve(ctx, ref)
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		if err == nil {
			err = b.Store.Placeable(ctx, id)
		}
		return phases.Base{Branch: branch, Commit: string(id)}, err
	}
	return phases.Base{}, &changes.BaseError{Branch: branch}
}

// dependsOn is the change that this one is stacked on.
func dependsOn(base phases.Base) []phases.ChangeID {
	if below, ok := phases.ChangeIDFromBranch(base.Branch); ok {
		return []phases.ChangeID{below}
	}
	return nil
}

// ClarifyFirstError says that nobody is there to answer questions.
type ClarifyFirstError struct{ ID phases.ChangeID }

func (e *ClarifyFirstError) Error() string {
	return fmt.Sprintf("a new change is clarified first, and nobody can be asked here: change %q has no clarifications.md", e.ID)
}

// Hint names the three ways on.
func (e *ClarifyFirstError) Hint() string {
	return fmt.Sprintf("answer with `gh agentd clarify %s \"<description>\" --json-file FILE`, or say --skip-clarify, or run it in a terminal", e.ID)
}
