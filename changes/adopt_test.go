package changes_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
)

// left is a main on which an older tool keeps a change as files.
const left = `
-- README.md --
hello
-- agentd/changes/add-oauth/STATE.yaml --
change_id: add-oauth
phase: complete
-- agentd/changes/add-oauth/CHALLENGE.md --
APPROVED
-- agentd/changes/add-oauth/proposal.md --
old
-- agentd/changes/other/proposal.md --
stays
`

func adopting(w *world, name string) changes.Beginning {
	b := w.beginning(name)
	b.Adopts = true
	b.Record.Transition = phases.Transition{Step: phases.StepImport, Actor: phases.Human}
	b.Record.Files["source/CHALLENGE.md"] = []byte("APPROVED\n")
	return b
}

func TestStore_Begin_adoptsWhatAnOlderToolLeft(t *testing.T) {
	t.Parallel()
	w := worldOf(t, gitopstest.New(t, left))
	if err := w.store.Free(t.Context(), id(t, "add-oauth")); err == nil {
		t.Error("the id is free, although main has its folder")
	}
	c, err := w.lock("add-oauth").Begin(t.Context(), adopting(w, "add-oauth"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Forward(); err != nil || c.State.Effective != phases.Proposed {
		t.Errorf("it is %s, %v: what STATE.yaml claimed on main must not count", c.State.Effective, err)
	}
	dir := "agentd/changes/add-oauth/"
	want := []string{dir + "CHALLENGE.md", dir + "STATE.yaml", dir + "proposal.md", dir + "source/CHALLENGE.md"}
	if got := w.touched(c.Tip); !slices.Equal(got, want) {
		t.Errorf("it touches %q, want %q", got, want)
	}
	if got := w.Git("cat-file", "-p", "main:"+dir+"CHALLENGE.md"); got != "APPROVED" && got != "APPROVED\n" {
		t.Errorf("main has %q", got)
	}
}

func TestStore_Begin_adoptsOneFolderOnly(t *testing.T) {
	t.Parallel()
	for name, tree := range map[string]string{
		"another case":        "-- agentd/changes/Add-OAuth/proposal.md --\nx\n",
		"archived":            "-- agentd/archive/add-oauth/STATE.yaml --\nphase: archived\n",
		"archived, and again": "-- agentd/archive/add-oauth/STATE.yaml --\nphase: archived\n-- agentd/changes/add-oauth/proposal.md --\nx\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, gitopstest.New(t, tree))
			_, err := w.lock("add-oauth").Begin(t.Context(), adopting(w, "add-oauth"))
			if _, taken := errors.AsType[*changes.TakenError](err); !taken {
				t.Errorf("got %v, want a TakenError", err)
			}
		})
	}
}
