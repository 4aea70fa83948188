package github

import (
	"fmt"
	"testing"
)

func TestRepository_tellsTheDefaultBranchAndWhoSeesIt(t *testing.T) {
	w := newWorld(t)
	got, err := w.client(w.ada).Repository(t.Context())
	if want := (Repository{Default: "main"}); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	w.repo.Private()
	if got, err := w.client(w.ada).Repository(t.Context()); !got.Private || err != nil {
		t.Errorf("a private one is %+v, %v", got, err)
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
