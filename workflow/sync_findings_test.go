package workflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// asked is a request of bob's with this text and these comments.
func asked(body string, comments ...github.ReviewComment) *request {
	h := &heardReview{row: SyncedReview{By: "bob"}}
	h.ID, h.Body, h.URL, h.Commit, h.Author = 7, body, "https://github.com/octo/hello/pull/1#pullrequestreview-7", "abc", github.Account{Login: "bob"}
	for _, c := range comments {
		c.URL = "https://github.com/octo/hello/pull/1#discussion_r8"
		h.thread = append(h.thread, threadComment{ReviewComment: c})
	}
	return &request{heardReview: h, exact: true, blank: func(s string) string { return s }}
}

func TestRequest_hasALimit(t *testing.T) {
	tests := []struct{ name, text string }{
		{"70,000 characters", strings.Repeat("a long line ", 6_000)},
		{"tags, which grow when they are written", strings.Repeat("<a", 35_000)},
		{"lines", strings.Repeat("#\n", 35_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var comments []github.ReviewComment
			for i := range 200 {
				comments = append(comments, github.ReviewComment{Path: fmt.Sprintf("file%d.go", i), Side: github.Right, Original: 3, Last: 3, Body: tt.text})
			}
			r := asked(tt.text, comments...)
			for i := range 70 {
				r.open = append(r.open, specs.Finding{ID: fmt.Sprintf("F-%06x", i), Severity: specs.High, Category: "c", Title: "t", Description: strings.Repeat("open ", 500)})
			}
			known := findingIDs(r.open)
			report := r.review().Report("add-oauth", 1, "", "", "github/bob/7", known)
			written := report.Markdown()
			if len(written) > specs.MaxDocument {
				t.Errorf("the report has %d bytes", len(written))
			}
			if len(r.taken) == 0 || len(r.taken) > mostTaken || len(r.taken)+r.omitted != 201 || len(r.open)+r.lost != 70 || r.lost == 0 {
				t.Errorf("%d taken, %d omitted, %d open, %d lost", len(r.taken), r.omitted, len(r.open), r.lost)
			}
			for _, says := range []string{
				fmt.Sprintf("For %d comments more there is no room here", r.omitted), fmt.Sprintf("For %d findings of the verdict before", r.lost),
			} {
				if !strings.Contains(report.Summary, says) {
					t.Errorf("the summary does not say %q:\n%s", says, report.Summary)
				}
			}
			if !strings.Contains(r.taken[0].Description, "(Cut. All of it: https://github.com/octo/hello/pull/1#pullrequestreview-7)") {
				t.Error("nothing says where the rest is")
			}
			found := specs.CountFindings(report.Findings)
			facts := specs.ReadReport(written)
			if fault := facts.Contradicts(phases.Transition{Verdict: phases.NeedsChanges, Round: 1, Agent: "github/bob/7", Findings: &found}); fault != "" {
				t.Errorf("the report %s", fault)
			}
		})
	}
}

func TestRequest_places(t *testing.T) {
	r := asked("",
		github.ReviewComment{Path: "a.go", Side: github.Right, Original: 3, Last: 3, Body: "here"},
		github.ReviewComment{Path: "a.go", Side: github.Right, Original: 3, Last: 5, Commit: "abc", Body: "moved"},
		github.ReviewComment{Path: "a.go", Side: github.Right, Original: 3, Outdated: true, Commit: "abc", Body: "gone"},
		github.ReviewComment{Path: "a.go", Side: github.Left, Original: 9, Last: 9, Body: "was better"},
		github.ReviewComment{Path: "a.go", Side: github.Right, Body: "all of it"},
		github.ReviewComment{Path: "../a.go", Side: github.Right, Original: 3, Last: 3, Body: "outside"},
		github.ReviewComment{Path: "a.go", Side: github.Right, Original: 3, Last: 3, Body: "<!-- nothing -->"},
	)
	var told []string
	for _, f := range r.challenge().Findings {
		told = append(told, fmt.Sprintf("%s %s:%d %s", f.Severity, f.File, f.Line, strings.ReplaceAll(f.Description, "\n\n", " / ")))
	}
	want := []string{
		"MEDIUM a.go:3 here",
		"MEDIUM a.go:3 moved / The line has moved to 5 since commit abc.",
		"MEDIUM a.go:3 gone / This is outdated: the lines have changed since commit abc.",
		"MEDIUM a.go:0 was better / This is about line 9 as it was before the change.",
		"MEDIUM a.go:0 all of it",
		"MEDIUM :0 At ../a.go: outside",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// A request without a word still asks for something: a verdict without a finding could not be answered.
func TestRequest_withoutWords(t *testing.T) {
	if got := asked("<!-- x -->").challenge(); len(got.Findings) != 1 || got.Findings[0].Description != "bob asks for changes and does not say which." {
		t.Errorf("got %+v", got.Findings)
	}
}

// What stays open keeps its name and its words, however often it moves into the next report.
func TestRequest_openFindingsStayTheSame(t *testing.T) {
	words := "First <b>line</b>.\n\n- item\n* **Severity**: High\n## Verdict\n1. one\n`open ``code\n> quote\n![x](y) \\ end\\"
	r := asked(words)
	written := r.challenge().Report("add-oauth", 1, "", "github/bob/7", nil).Markdown()
	first := specs.ReadFindings(written)
	for range 3 {
		again := asked("more")
		again.open = specs.ReadFindings(written)
		written = again.challenge().Report("add-oauth", 2, "", "github/bob/8", findingIDs(again.open)).Markdown()
		last := specs.ReadFindings(written)
		if diff := cmp.Diff(first[0], last[1]); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestReviewOf(t *testing.T) {
	tests := []struct {
		agent string
		actor phases.Actor
		want  int64
	}{
		{"github/ada/7", phases.Human, 7},
		{"github/ada_corp/7", phases.Human, 7},
		{"github/ada/7", phases.ByAgent("challenger"), 0}, // an agent that is called github
		{"github/gpt-5/medium", phases.Human, 0},
		{"github/ada/07", phases.Human, 0},
		{"github/ada/9999999999999999999", phases.Human, 0},
		{"github/ada/7/8", phases.Human, 0},
		{"codex/x/7", phases.Human, 0},
	}
	for _, tt := range tests {
		_, got, ok := reviewOf(phases.Transition{Agent: tt.agent, Actor: tt.actor})
		if !ok {
			got = 0
		}
		if got != tt.want {
			t.Errorf("%s by %s is review %d, want %d", tt.agent, tt.actor, got, tt.want)
		}
	}
	if _, id, ok := reviewOf(phases.Transition{Agent: fromGitHub("ada-l", 42), Actor: phases.Human}); !ok || id != 42 {
		t.Error("what is written is not read")
	}
}
