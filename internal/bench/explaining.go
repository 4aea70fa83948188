package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// explaining compares why with what git tells of the same file: its log, and who wrote each line.
func (b *bench) explaining(ctx context.Context) error {
	const (
		archives     = 1000
		requirements = 100
		files        = 400
		every        = 100 // of the archives is of the other spec
	)
	dir, err := b.project(ctx, "archives", files, 0)
	if err != nil {
		return err
	}
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: b.environ})
	if err != nil {
		return err
	}
	all := []promises{{id: "busy", number: requirements}, {id: "quiet", number: requirements}}
	base, err := b.specsOnMain(ctx, repo, dir, all...)
	if err != nil {
		return err
	}
	var branches, archive stream
	var written []*archivedSpec
	for n := range archives {
		spec := &all[0]
		if n%every == 0 {
			spec = &all[1]
		}
		a := &archivedSpec{before: *spec, after: spec.with(fmt.Sprintf("do what change %d says", n), n%requirements+1)}
		a.generated = generated{repo: repo, base: phases.Base{Branch: "main", Commit: base}, out: &branches, spec: spec.id, text: a.after.text()}
		if err := a.write(changeName(n)); err != nil {
			return err
		}
		*spec = a.after
		written = append(written, a)
	}
	if _, err := b.once(ctx, dir, &branches, b.git, "fast-import", "--quiet"); err != nil {
		return err
	}
	refs, err := repo.Refs(ctx, "refs/heads/agentd/") // in the order of ids
	if err != nil {
		return err
	}
	for i, a := range written {
		from := "" // the commit before
		if i == 0 {
			from = "refs/heads/main^0"
		}
		if err := a.archive(&archive, from, refs[i].ID); err != nil {
			return err
		}
	}
	if _, err := b.once(ctx, dir, &archive, b.git, "fast-import", "--quiet"); err != nil {
		return err
	}
	if _, err := b.once(ctx, dir, nil, b.git, "reset", "--quiet", "--hard", "main"); err != nil {
		return err
	}
	if err := b.packed(ctx, dir); err != nil {
		return err
	}
	for _, asked := range []struct {
		what, ref string
		steps     int // that the answer has
		path      string
	}{
		{"why, 1 requirement in %d archives of its spec", "busy#promise-8", archives / requirements, all[0].path()},
		{"why, a spec in %d archives of it", "busy", requirements - 1, all[0].path()},
		{"why, 1 requirement of another spec in %d archives", "quiet#promise-1", archives / every, all[1].path()},
	} {
		// What is measured must be true: every archive is explained by its record.
		told, err := b.once(ctx, dir, nil, b.program, "why", asked.ref, "--json", "requirements", "--jq", `[.requirements[].steps[] | select(.change != "")] | length`)
		if err != nil {
			return err
		}
		if want := fmt.Sprint(asked.steps); strings.TrimSpace(told) != want {
			return fmt.Errorf("why %s tells of %s archives, and not of %s", asked.ref, strings.TrimSpace(told), want)
		}
		got, err := b.race(ctx, dir,
			[]string{b.program, "why", asked.ref},
			[]string{b.git, "log", "--first-parent", "--format=%H", "main", "--", asked.path},
			[]string{b.git, "blame", "--first-parent", "--porcelain", "main", "--", asked.path},
		)
		if err != nil {
			return err
		}
		what := fmt.Sprintf(asked.what, archives)
		b.table.add(what, got[0], "git log of the spec", got[1])
		b.table.add(what, got[0], "git blame of the spec", got[2])
	}
	return nil
}

// archivedSpec is a change that was archived, and what that did to its spec.
type archivedSpec struct {
	generated
	before, after promises
}

// archive merges the change into main, with the record that explains what that does to the spec.
func (a *archivedSpec) archive(out *stream, from string, tip gitops.ID) error {
	record := specs.ArchivedSpec{ID: specs.SpecID(a.spec)}
	for _, version := range []struct {
		of   promises
		name *string
	}{{a.before, &record.Before}, {a.after, &record.After}} {
		blob, err := a.repo.HashBlob(version.of.text())
		if err != nil {
			return err
		}
		*version.name = string(blob)
	}
	t := phases.Transition{Change: a.id, Step: phases.StepArchive, From: a.last, Phase: phases.Archived, Round: 1, Actor: phases.ByAgent("agentd")}
	a.at = a.at.Add(time.Minute)
	a.state.Archive = &specs.Archive{Base: a.base.Commit, Tip: string(tip), Specs: []specs.ArchivedSpec{record}}
	a.state.Record(specs.EntryOf(t, a.at), nil, a.at)
	message, err := phases.FormatMessage("agentd("+a.id.String()+"): archived", "", t)
	if err != nil {
		return err
	}
	out.commit("refs/heads/main", from, a.at, message)
	fmt.Fprintf(out, "merge %s\n", tip)
	out.file(a.after.path(), a.text)
	out.file(a.id.ArchiveDir()+"/specs/"+a.spec+".md", a.text)
	out.file(a.id.ArchiveDir()+"/"+specs.StateFile, a.state.YAML())
	return nil
}
