package github

import (
	"fmt"
	"slices"
	"testing"
)

func TestRepository_tellsTheDefaultBranchAndWhoSeesIt(t *testing.T) {
	w := newWorld(t)
	got, err := w.client(w.ada).Repository(t.Context())
	if err != nil || got.Default != "main" || got.Private || got.Buttons == nil || *got.Buttons != (MergeButtons{Merge: true, Squash: true, Rebase: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
	w.repo.SquashOnly = true
	if got, err := w.client(w.ada).Repository(t.Context()); err != nil || got.Buttons == nil || *got.Buttons != (MergeButtons{Squash: true}) {
		t.Errorf("with squashes alone: %+v, %v", got, err)
	}
	w.repo.Private()
	if got, err := w.client(w.ada).Repository(t.Context()); !got.Private || err != nil {
		t.Errorf("a private one is %+v, %v", got, err)
	}
}

func TestBranch_tellsWhatProtectsIt(t *testing.T) {
	w := newWorld(t)
	if got, err := w.client(w.ada).Branch(t.Context(), "main"); err != nil || got.Protected || len(got.Checks) > 0 {
		t.Errorf("an open one is %+v, %v", got, err)
	}
	if err := w.repo.Protect("main"); err != nil {
		t.Fatal(err)
	}
	w.repo.Require("main", PhaseContext)
	if got, err := w.client(w.ada).Branch(t.Context(), "main"); err != nil || !got.Protected || !slices.Equal(got.Checks, []string{PhaseContext}) {
		t.Errorf("a protected one is %+v, %v", got, err)
	}
	if _, err := w.client(w.ada).Branch(t.Context(), "none"); err == nil {
		t.Error("a branch that is not there is told of")
	}
}

func TestOpenPulls_listsAllPagesAndNoClosedOnes(t *testing.T) {
	w := newWorld(t)
	const many = 102 // more than a page
	for i := range many {
		name := fmt.Sprintf("agentd/change-%d", i)
		w.commit(name, map[string]string{"a.txt": name})
		must(t, w.repo.Open("ada", name, "main", name))
	}
	w.repo.Close(2)
	pulls, err := w.client(w.ada).OpenPulls(t.Context())
	if len(pulls) != many-1 || err != nil {
		t.Fatalf("%d pull requests, %v, want %d", len(pulls), err, many-1)
	}
	if pulls[0].Number != 1 || pulls[1].Number != 3 || pulls[0].Branch != "agentd/change-0" {
		t.Errorf("the first two are %+v and %+v", pulls[0], pulls[1])
	}
}
