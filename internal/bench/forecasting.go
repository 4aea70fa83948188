package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// forecasting compares the forecast of what collides with one git process that merges the same texts, line by line:
// each pair of branches that edit the spec in its place. git forecasts two changes at a time, and no requirement.
func (b *bench) forecasting(ctx context.Context) error {
	const (
		open         = 50
		requirements = 100
		files        = 400
	)
	dir, err := b.project(ctx, "open", files, 0)
	if err != nil {
		return err
	}
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: b.environ})
	if err != nil {
		return err
	}
	spec := promises{id: "promises", number: requirements}
	base, err := b.specsOnMain(ctx, repo, dir, spec)
	if err != nil {
		return err
	}
	var s stream
	var pairs strings.Builder
	for n := range open {
		// One requirement of its own, and one that the next change edits, too.
		edited := spec.with(fmt.Sprintf("do what change %d says", n), n+1, open+n/2+1)
		c := generated{repo: repo, base: phases.Base{Branch: "main", Commit: base}, out: &s, spec: spec.id, text: edited.text()}
		if err := c.write(changeName(n)); err != nil {
			return err
		}
		s.commit(plainRef(n), base, began, "Edit the spec in its place\n")
		s.file(spec.path(), edited.text())
		for m := range n {
			fmt.Fprintf(&pairs, "%s %s\n", plainRef(m), plainRef(n))
		}
	}
	if _, err := b.once(ctx, dir, &s, b.git, "fast-import", "--quiet"); err != nil {
		return err
	}
	if err := b.packed(ctx, dir); err != nil {
		return err
	}
	// What is measured must be true: the neighbours collide, and nobody else.
	told, err := b.once(ctx, dir, nil, b.program, "conflicts", "--json", "pairs", "--jq", "[.pairs[] | select(.conflicts != [])] | length")
	if err != nil {
		return err
	}
	if want := fmt.Sprint(open / 2); strings.TrimSpace(told) != want {
		return fmt.Errorf("%s pairs collide, and not %s", strings.TrimSpace(told), want)
	}
	got, err := b.contest(ctx, []contender{
		{dir: dir, argv: []string{b.program, "conflicts"}},
		{dir: dir, argv: []string{b.git, "merge-tree", "--stdin", "--name-only"}, in: pairs.String()},
	})
	if err != nil {
		return err
	}
	b.table.add(fmt.Sprintf("conflicts, %d changes of %d requirements", open, requirements), got[0], "git merge-tree of each pair", got[1])
	return nil
}

func plainRef(n int) string { return "refs/heads/plain/" + changeName(n) }
