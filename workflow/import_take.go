package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/foreign"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// taker writes what was read, one change after the other.
type taker struct {
	*Bench
	req    ImportRequest
	source importSource
	base   phases.Base
	owner  map[string]string // which folder becomes a change, by its id
}

// take does what is to be done for one change. What is wrong with it is part of the answer;
// an error means that the next one would fare no better.
func (k *taker) take(ctx context.Context, c foreign.Change) (ImportedChange, error) {
	out := ImportedChange{
		Change: cmp.Or(c.ID, c.Name), Source: k.source.path(c.Path), Format: c.Format, Claimed: c.Claimed, Phase: c.Phase.String(), Notes: c.Notes,
	}
	if out.Notes == nil {
		out.Notes = []foreign.Note{}
	}
	if c.Phase == phases.None {
		out.Phase, out.Result, out.Into = history, ImportInPlace, c.Into
		if c.Into != "" {
			out.Result = ImportKept
		}
		return out, nil
	}
	if c.Err != nil {
		return k.refuse(out, c.Err, "mend it there and import again"), nil
	}
	id, err := phases.ParseChangeID(c.ID)
	if err != nil {
		return k.refuse(out, err, fmt.Sprintf("`gh agentd import --rename %s=<id>`", c.Name)), nil
	}
	if owner := k.owner[c.ID]; owner != c.Path {
		return k.refuse(out, fmt.Errorf("%s becomes %q", k.source.path(owner), c.ID), fmt.Sprintf("`gh agentd import --rename %s=<id>`", c.Name)), nil
	}
	out.Branch = id.Branch()
	c.Record.Source = out.Source
	c.Files[specs.ImportFile] = c.Record.YAML()
	if k.req.DryRun {
		return k.settle(ctx, k.Bench, id, c, out)
	}
	err = k.exclusively(ctx, id, "import", func(b *Bench) error {
		ready := b.committable
		if k.req.Update {
			ready = b.ready
		}
		if err := ready(ctx, id); err != nil {
			return err
		}
		out, err = k.settle(ctx, b, id, c, out)
		return err
	})
	if busy, ok := errors.AsType[*gitops.LockedError](err); ok {
		return k.refuse(out, busy, "wait until it is done, then import again"), nil
	}
	return out, err
}

// refuse says why a change is left as it was.
func (k *taker) refuse(out ImportedChange, err error, next string) ImportedChange {
	out.Result, out.Phase, out.Reason, out.Next = ImportRefused, "", err.Error(), next
	return out
}

// settle compares the change with what is here, and writes what is new.
func (k *taker) settle(ctx context.Context, b *Bench, id phases.ChangeID, c foreign.Change, out ImportedChange) (ImportedChange, error) {
	have, err := b.Store.Open(ctx, id)
	if missing, ok := errors.AsType[*changes.NotFoundError](err); ok && missing.Remote != "" {
		return k.refuse(out, fmt.Errorf("another clone has it: %s", missing.Remote), missing.Hint()), nil
	} else if ok {
		return k.begin(ctx, b, id, c, out)
	}
	if have == nil && err != nil {
		return k.refuse(out, err, k.otherName(c)), nil
	}
	files, before, err := importedBefore(ctx, have)
	switch {
	case err != nil:
		return k.refuse(out, err, "`"+command("doctor", id)+"`"), nil
	case !before && have.Where == changes.InArchive:
		return k.refuse(out, fmt.Errorf("%s is archived here", id), k.otherName(c)), nil
	case !before:
		return k.refuse(out, fmt.Errorf("branch %s is there, and no import made it", id.Branch()), k.otherName(c)), nil
	}
	out.Commit = string(have.Tip)
	record, err := specs.ParseImportRecord(id.Dir()+"/"+specs.ImportFile, files[specs.ImportFile])
	if err != nil {
		return k.refuse(out, err, "`"+command("doctor", id)+"`"), nil
	}
	differs := c.Record.Differs(record)
	if len(differs) == 0 {
		out.Result, out.Phase = ImportUnchanged, have.Phase().String()
		return out, nil
	}
	return k.update(ctx, b, have, c, out, differs)
}

// otherName is the way out where an id is taken.
func (k *taker) otherName(c foreign.Change) string {
	return fmt.Sprintf("look at it with `gh agentd status %s`, or give this one another id: `gh agentd import --rename %s=<id>`", c.ID, c.Name)
}

// begin makes the branch with its one commit.
func (k *taker) begin(ctx context.Context, b *Bench, id phases.ChangeID, c foreign.Change, out ImportedChange) (ImportedChange, error) {
	adopts := k.source.own && c.Path == id.Dir()
	free := b.Store.Free
	if adopts {
		free = b.Store.Adoptable
	}
	if err := free(ctx, id); err != nil {
		return k.refuse(out, err, k.otherName(c)), nil
	}
	out.Result, out.Next = ImportNew, command("plan", id)
	if c.Phase == phases.Rejected {
		out.Next = command("reopen", id)
	}
	if k.req.DryRun {
		return out, nil
	}
	begun, err := b.Store.Begin(ctx, changes.Beginning{
		ID: id, Base: k.base, Profile: b.Config.Workflow.Profile, Adopts: adopts, Record: k.record(c, out, "imported"),
	})
	if refusal, wrong := refusalOf(err); wrong {
		return k.refuse(out, refusal, k.otherName(c)), nil
	}
	if err != nil {
		return out, err
	}
	out.Commit = string(begun.Tip)
	return out, nil
}

// update takes over what has changed at the source, where nobody has worked on the change since it was imported.
func (k *taker) update(ctx context.Context, b *Bench, have *changes.Change, c foreign.Change, out ImportedChange, differs []string) (ImportedChange, error) {
	reason := fmt.Errorf("it was imported before, and the source has changed since: %s", someOf(differs))
	switch {
	case have.State.Recorded != c.Phase || c.Phase != phases.Proposed:
		return k.refuse(out, fmt.Errorf("%w; it is %s here", reason, have.Phase()), "`"+command("status", have.ID)+"`"), nil
	case workedOn(have):
		return k.refuse(out, fmt.Errorf("%w; and it was worked on here", reason),
			fmt.Sprintf("take over by hand what you want, or keep both: `gh agentd import --rename %s=<id>`", c.Name)), nil
	case !k.req.Update:
		return k.refuse(out, reason, "`gh agentd import --update` takes it over"), nil
	}
	out.Result, out.Next = ImportUpdated, command("plan", have.ID)
	if k.req.DryRun {
		return out, nil
	}
	record := k.record(c, out, "imported again")
	old, err := have.Files(ctx)
	if err != nil {
		return out, err
	}
	for name := range old {
		if _, kept := record.Files[name]; !kept && name != specs.StateFile {
			record.Files[name] = nil
		}
	}
	next, left, err := have.Append(ctx, record)
	if err != nil {
		return out, err
	}
	for _, path := range left {
		b.Say.Warn("left as you have it: " + path)
	}
	out.Commit = string(next.Tip)
	return out, nil
}

// workedOn says whether anything but imports has happened to the change.
func workedOn(c *changes.Change) bool {
	all := c.State.Transitions
	last := all[len(all)-1]
	return last.Step != phases.StepImport || last.Commit != string(c.Tip) ||
		slices.ContainsFunc(all, func(t phases.Applied) bool { return t.Step != phases.StepImport })
}

// record is the step that an import commits. The description stands first: that is where later steps find it.
func (k *taker) record(c foreign.Change, out ImportedChange, verb string) changes.Record {
	var body strings.Builder
	if c.Description != "" {
		body.WriteString(c.Description + "\n\n")
	}
	fmt.Fprintf(&body, "From %s (%s), %s.\n", out.Source, c.Format, plural(len(c.Record.Files), "file"))
	if c.Claimed != "" {
		fmt.Fprintf(&body, "There it claims to be: %s. Nothing was approved here.\n", c.Claimed)
	}
	for _, note := range c.Notes {
		body.WriteString("- " + note.Text + "\n")
	}
	t := phases.Transition{Step: phases.StepImport, Actor: phases.Human}
	if c.Phase == phases.Rejected {
		t.Verdict = phases.VerdictRejected
	}
	return changes.Record{
		Subject: fmt.Sprintf("%s from %s", verb, c.Format), Body: body.String(), Files: maps.Clone(c.Files), Transition: t,
	}
}

// refusalOf tells what is wrong with one change from what is wrong with all.
func refusalOf(err error) (error, bool) {
	if taken, ok := errors.AsType[*changes.TakenError](err); ok {
		return taken, true
	}
	if odd, ok := errors.AsType[*changes.OddFileError](err); ok {
		return odd, true
	}
	if moved, ok := errors.AsType[*gitops.MovedError](err); ok {
		return moved, true
	}
	if secret, ok := errors.AsType[*changes.LeakError](err); ok {
		return secret, true
	}
	return nil, false
}

// someOf names a few of many.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
