package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
)

// promises is a spec with so many requirements and a scenario each, in the form that OpenSpec reads, too.
type promises struct {
	id     string
	number int
	edited map[int]string // what some of them say instead, by number from 1
}

func (p promises) text() []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s Specification\n\n## Purpose\n\nWhat people who use the service may count on, kept in one place so that nobody has to ask.\n\n## Requirements\n\n", p.id)
	for n := range p.number {
		out.WriteString(p.requirement(n + 1))
	}
	return []byte(out.String())
}

// delta is what the edits are, said with OpenSpec's section for them.
func (p promises) delta() []byte {
	var out strings.Builder
	out.WriteString("## MODIFIED Requirements\n\n")
	for n := range p.number {
		if _, edited := p.edited[n+1]; edited {
			out.WriteString(p.requirement(n + 1))
		}
	}
	return []byte(out.String())
}

func (p promises) requirement(n int) string {
	kept := fmt.Sprintf("keep promise %d to the people who use it, whatever the network does in between", n)
	if text, edited := p.edited[n]; edited {
		kept = text
	}
	return fmt.Sprintf("### Requirement: Promise %d\n\nThe system SHALL %s.\n\n#### Scenario: promise %[1]d is kept\n\n"+
		"- **GIVEN** a person with a session\n- **WHEN** promise %[1]d is due\n- **THEN** it is kept\n- **AND** nothing else happens\n\n", n, kept)
}

// with is the same spec with more edits.
func (p promises) with(says string, numbers ...int) promises {
	edited := map[int]string{}
	for n := range p.number {
		if text, before := p.edited[n+1]; before {
			edited[n+1] = text
		}
		if slices.Contains(numbers, n+1) {
			edited[n+1] = says
		}
	}
	p.edited = edited
	return p
}

func (p promises) path() string { return "agentd/specs/" + p.id + ".md" }

// specsOnMain commits specs to main, checks that out, and returns the commit.
func (b *bench) specsOnMain(ctx context.Context, repo *gitops.Repo, dir string, all ...promises) (string, error) {
	var s stream
	s.commit("refs/heads/main", "refs/heads/main^0", began, "Write specs\n")
	for _, spec := range all {
		s.file(spec.path(), spec.text())
	}
	if _, err := b.once(ctx, dir, &s, b.git, "fast-import", "--quiet"); err != nil {
		return "", err
	}
	if _, err := b.once(ctx, dir, nil, b.git, "reset", "--quiet", "--hard", "main"); err != nil {
		return "", err
	}
	id, err := repo.Resolve(ctx, "refs/heads/main")
	return string(id), err
}

// packed leaves the repository as a maintained one is: one pack, packed refs, a commit graph.
func (b *bench) packed(ctx context.Context, dir string) error {
	_, err := b.once(ctx, dir, nil, b.git, "gc", "--quiet")
	return err
}
