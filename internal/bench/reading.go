package main

import (
	"context"
	"fmt"
	"strings"
)

// trailerFormat is the query of README for where every change stands.
const trailerFormat = "%(refname:lstrip=3) %(contents:trailers:key=Agentd-Phase,valueonly,separator=)"

// reading compares the commands that look at many changes with one git process that prints one trailer of each.
func (b *bench) reading(ctx context.Context) error {
	w, err := b.manyChanges(ctx, "many", 0)
	if err != nil {
		return err
	}
	id := changeName(b.changes / 2)
	// What is measured must be true: the chain is legal, and the documents are valid.
	proved, err := b.once(ctx, w, nil, b.program, "status", id)
	if err != nil {
		return err
	}
	if !strings.Contains(proved, fmt.Sprintf("%d transitions replayed", commitsPerChange)) {
		return fmt.Errorf("the generated change is not what it should be:\n%s", proved)
	}
	query := []string{b.git, "for-each-ref", "--format=" + trailerFormat, "refs/heads/agentd/"}
	chain := []string{b.git, "log", "--first-parent", "--format=%h %(trailers:key=Agentd-Phase,valueonly,separator=)", "main..agentd/" + id}
	got, err := b.race(ctx, w,
		query,
		[]string{b.program, "list"},
		[]string{b.program, "list", "--json", "change,phase,stale"},
		[]string{b.program, "status", id},
		[]string{b.program, "status"},
		chain,
	)
	if err != nil {
		return err
	}
	n := b.changes
	b.table.add(fmt.Sprintf("list of %d changes", n), got[1], "git for-each-ref, trailers", got[0])
	b.table.add(fmt.Sprintf("list --json of %d changes", n), got[2], "git for-each-ref, trailers", got[0])
	b.table.add(fmt.Sprintf("status of 1 in %d changes", n), got[3], "git for-each-ref, trailers", got[0])
	b.table.add(fmt.Sprintf("status of 1 in %d changes", n), got[3], "git log, trailers", got[5])
	b.table.add(fmt.Sprintf("status of all %d changes", n), got[4], "git for-each-ref, trailers", got[0])

	slow := *b
	const fewer = 5
	slow.runs = min(b.runs, fewer)
	if got, err = slow.race(ctx, w, []string{b.program, "validate", "--all"}, query); err != nil {
		return err
	}
	b.table.add(fmt.Sprintf("validate --all, %d changes", n), got[0], "git for-each-ref, trailers", got[1])
	return nil
}
