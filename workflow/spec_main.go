package workflow

import (
	"context"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/specs"
)

// problemsOf applies the rules to the documents of a change, beside the specs of its base:
// what archiving it would lose or stumble over is told before anybody builds on the plan.
func (b *Bench) problemsOf(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) (specs.Problems, error) {
	var err error
	if docs.Main, err = b.mainSpecs(ctx, c, docs); err != nil {
		return nil, err
	}
	return docs.Validate(b.RulesFor(c)), nil
}

// mainSpecs are the specs of the base that the change touches: as it began with them, and as they are now.
func (b *Bench) mainSpecs(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) (map[specs.SpecID]specs.MainSpec, error) {
	paths := specPaths(docs)
	if len(paths) == 0 {
		return nil, nil
	}
	fork, err := c.Fork(ctx)
	if err != nil {
		return nil, err
	}
	now, err := b.newestOf(ctx, c.State.Base.Branch)
	if err != nil {
		return nil, err
	}
	objects, err := b.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	main := map[specs.SpecID]specs.MainSpec{}
	for _, path := range paths {
		var s specs.MainSpec
		if _, s.Base, err = textAt(objects, fork, "agentd/"+path); err != nil {
			return nil, err
		}
		if _, s.Now, err = textAt(objects, now, "agentd/"+path); err != nil {
			return nil, err
		}
		main[specIDOf(path)] = s
	}
	return main, nil
}

// newestOf is the newest commit of a branch that is known here, "" where there is none; branch "" is the default branch.
func (b *Bench) newestOf(ctx context.Context, branch string) (gitops.ID, error) {
	trunk, err := b.Store.Trunk(ctx, branch, "")
	if err != nil || len(trunk.Tips) == 0 {
		return "", err
	}
	newest := trunk.Tips[0]
	for _, tip := range trunk.Tips[1:] {
		newer, err := b.Repo.IsAncestor(ctx, newest, tip)
		if err != nil {
			return "", err
		}
		if newer {
			newest = tip
		}
	}
	return newest, nil
}
