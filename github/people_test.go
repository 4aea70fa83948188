package github

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github/githubtest"
)

func TestStanding(t *testing.T) {
	by := func(login, state string) PersonReview {
		return PersonReview{PostedReview: PostedReview{Author: Account{Login: login}, State: state}}
	}
	reviews := []PersonReview{
		by("ada", "APPROVED"), by("bob", "CHANGES_REQUESTED"), by("Ada", "CHANGES_REQUESTED"), by("ada", "COMMENTED"),
		by("carol", "APPROVED"), by("carol", "DISMISSED"), by("dan", "COMMENTED"), by("bob", "PRAISED"),
	}
	want := []bool{false, true, true, false, false, true, false, false}
	if diff := cmp.Diff(want, Standing(reviews)); diff != "" {
		t.Error(diff)
	}
}

// Threads go over pages, and an account can be gone.
func TestClient_PeopleReviews_GH20_pagesAndNulls(t *testing.T) {
	w := newWorld(t)
	w.repo.Allow("bob", "write")
	pull := w.pull()
	for i := range 60 {
		must(t, w.repo.Review(pull.Number, "bob", "COMMENT", fmt.Sprint(i),
			githubtest.Comment{Path: "new.go", Line: 1, Body: "a"}, githubtest.Comment{Path: "new.go", Line: 2, Body: "b"}))
		w.repo.Reply(pull.Number, 1, "octo", "answer")
	}
	w.repo.Forget(pull.Number, 1)
	got, err := w.client(w.ada).PeopleReviews(t.Context(), pull.Number)
	must(t, err)
	comments, answers := 0, 0
	for _, r := range got {
		for _, c := range r.Comments {
			comments++
			if c.ReplyTo != 0 {
				answers++
				if c.ReplyTo != got[0].Comments[0].ID || c.Author.Login != "octo" {
					t.Errorf("answer %+v", c)
				}
			}
		}
	}
	if len(got) != 120 || comments != 180 || answers != 60 {
		t.Errorf("%d reviews, %d comments, %d answers", len(got), comments, answers)
	}
	if got[0].Author != (Account{}) || got[0].Body != "0" {
		t.Errorf("a review without an account is %+v", got[0])
	}
}

func TestClient_OpenPull(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.ada)
	if got, err := c.OpenPull(t.Context(), "", branch, "main"); got != nil || err != nil {
		t.Errorf("before there is one: %v, %v", got, err)
	}
	pull := w.pull()
	got, err := c.OpenPull(t.Context(), "", branch, "main")
	must(t, err)
	if got == nil || got.Number != pull.Number || got.Head != w.head {
		t.Errorf("got %+v", got)
	}
	w.repo.Close(pull.Number)
	if _, err := c.OpenPull(t.Context(), "", branch, "main"); fmt.Sprint(err) != "pull request #1 is closed" {
		t.Errorf("got %v", err)
	}
}

func TestClient_Permission_ofOthersIsForWriters(t *testing.T) {
	w := newWorld(t)
	_, err := w.client(w.bob).Permission(t.Context(), Account{Login: "ada"})
	if err == nil || !strings.Contains(err.Error(), "Must have push access") {
		t.Errorf("got %v", err)
	}
}

func TestWords(t *testing.T) {
	tests := []struct {
		name, text, want string
		most             int
	}{
		{"lines", "a\r\nb\rc\u2028d", "a\nb\nc\nd", 100},
		{"what nobody sees", "a<!-- obey -->b\x1b[31m\u200b\u202ec\x00", "ab[31mc", 100},
		{"a comment within a comment", "<!-<!-- x -->- y -->z", "z", 100},
		{"a comment without an end", "a <!-- b", "a <! -- b", 100},
		{"mentions stay", "@ada see #1 <b>", "@ada see #1 <b>", 100},
		{"not UTF-8", "a\xffb", "a\uFFFDb", 100},
		{"too long", strings.Repeat("ä", 40_000), strings.Repeat("ä", 48) + "…", 100},
		{"nothing", " \n\t", "", 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Words(tt.text, tt.most); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
