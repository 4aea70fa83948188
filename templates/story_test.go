package templates_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// told is what a call of the story handed over besides documents.
type told struct {
	Call    string
	Result  string // a verdict, or the result of a self-review
	Counts  string // findings or issues
	Invalid int    // problems of the whole change afterwards, of any severity, once it has tasks
}

// The story goes through the real tools: every call belongs to its step and is accepted,
// the documents are valid once they are all there, and the verdicts are the ones that tell the story.
func TestDemo_storyPassesTheTools(t *testing.T) {
	files := map[string][]byte{}
	var got []told
	var known []string
	for _, call := range demoCalls(t) {
		if _, err := phases.ParseStep(call.Step); err != nil {
			t.Fatalf("%s: %v", call.name(), err)
		}
		box, err := inbox.Create(filepath.Join(t.TempDir(), "run"), inbox.Run{
			Change: templates.DemoChange, Step: call.Step, Round: call.Round, Task: call.Task, Author: "replay",
			Created: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), KnownFindings: known, ChangedFiles: []string{"bucket.go"},
		}, files)
		if err != nil {
			t.Fatal(err)
		}
		callTools(t, box, call)
		if files, err = box.Files(); err != nil {
			t.Fatal(err)
		}
		if call.Step == "clarify" {
			answer(t, files)
		}
		report := told{Call: call.name()}
		report.Result, report.Counts, known = handedOver(t, box)
		if _, planned := files["tasks.md"]; planned {
			docs := specs.ChangeDocs{ID: templates.DemoChange, Files: files}
			for _, problem := range docs.Validate(specs.ValidateOptions{}) {
				report.Invalid++
				t.Logf("after %s: %+v", call.name(), problem)
			}
			if next, missing := specs.NextArtefact(docs); missing {
				t.Errorf("after %s: %s is missing", call.name(), next.Path)
			}
		}
		got = append(got, report)
	}

	want := []told{
		{Call: "clarify", Result: "questions", Counts: "2"},
		{Call: "proposal-gen"},
		{Call: "proposal-review", Result: "PASS", Counts: "0"},
		{Call: "spec-gen-token-bucket"},
		{Call: "spec-review-token-bucket", Result: "PASS", Counts: "0"},
		{Call: "spec-gen-owner-limiter"},
		{Call: "spec-review-owner-limiter", Result: "NEEDS_REVISION", Counts: "1"},
		{Call: "spec-review-owner-limiter", Result: "PASS", Counts: "0"},
		{Call: "spec-gen-limited-shortening"},
		{Call: "spec-review-limited-shortening", Result: "PASS", Counts: "0"},
		{Call: "tasks-gen"},
		{Call: "tasks-review", Result: "PASS", Counts: "0"},
		{Call: "challenge", Result: "NEEDS_REVISION", Counts: "1 1 0"},
		{Call: "reproposal"},
		{Call: "challenge", Result: "APPROVED", Counts: "0 0 1"},
		{Call: "implement 1.1"},
		{Call: "implement 2.1"},
		{Call: "implement 2.2"},
		{Call: "implement 2.3"},
		{Call: "implement 3.1"},
		{Call: "implement 4.1"},
		{Call: "review", Result: "NEEDS_CHANGES", Counts: "1 0 1"},
		{Call: "resolve"},
		{Call: "review", Result: "APPROVED", Counts: "0 0 0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the story differs (-want +got):\n%s", diff)
	}

	tasks, _, err := specs.ParseTasks("tasks.md", files["tasks.md"])
	if err != nil {
		t.Fatal(err)
	}
	order, err := tasks.Order()
	if err != nil {
		t.Fatal(err)
	}
	var ids, implemented []string
	for _, task := range order {
		ids = append(ids, task.ID)
	}
	for _, call := range demoCalls(t) {
		if call.Step == "implement" {
			implemented = append(implemented, call.Task)
		}
	}
	if !slices.Equal(ids, implemented) {
		t.Errorf("tasks are in the order %v, and implemented in the order %v", ids, implemented)
	}
}

// callTools plays a call. An edit without a hash takes the one of the last answer about that file, as replay does.
func callTools(t *testing.T, box *inbox.Box, call demoCall) {
	t.Helper()
	hashes := map[string]string{}
	for _, tool := range call.Tools {
		path, _ := tool.Arguments["path"].(string)
		if _, given := tool.Arguments["hash"]; tool.Name == "edit_file" && !given {
			tool.Arguments["hash"] = hashes[path]
		}
		if tool.Arguments == nil {
			tool.Arguments = map[string]any{}
		}
		args, err := json.Marshal(tool.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := box.Call(t.Context(), tool.Name, args)
		if err != nil {
			t.Fatalf("%s: %v", call.name(), err)
		}
		if path != "" {
			var read struct{ Hash string }
			data, err := json.Marshal(reply.Structured)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &read); err != nil {
				t.Fatal(err)
			}
			hashes[path] = read.Hash
		}
	}
}

// answer puts the person's answers where the run would.
func answer(t *testing.T, files map[string][]byte) {
	t.Helper()
	box, err := inbox.Create(filepath.Join(t.TempDir(), "run"), inbox.Run{
		Change: templates.DemoChange, Step: "clarify", Role: inbox.RoleHuman, Created: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
	}, files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := box.Call(t.Context(), "create_clarifications", demoFile(t, "clarifications.json")); err != nil {
		t.Fatal(err)
	}
	written, err := box.Files()
	if err != nil {
		t.Fatal(err)
	}
	files["clarifications.md"] = written["clarifications.md"]
}

// handedOver reads the box as the run would.
func handedOver(t *testing.T, box *inbox.Box) (result, counts string, known []string) {
	t.Helper()
	if questions, ok, err := box.Questions(); err != nil {
		t.Fatal(err)
	} else if ok {
		return "questions", itoa(len(questions)), nil
	}
	if review, ok, err := box.SelfReview(); err != nil {
		t.Fatal(err)
	} else if ok {
		return review.Result, itoa(len(review.Issues)), nil
	}
	verdict, ok, err := box.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "", "", nil
	}
	if verdict.Contradiction != "" {
		t.Errorf("contradiction: %s", verdict.Contradiction)
	}
	var findings []specs.Finding
	if verdict.Challenge != nil {
		result, findings = verdict.Challenge.Verdict, verdict.Challenge.Report(templates.DemoChange, 1, "", "", nil).Findings
	} else {
		result, findings = verdict.Review.Verdict, verdict.Review.Report(templates.DemoChange, 1, "", "", "", nil).Findings
	}
	for _, finding := range findings {
		known = append(known, finding.ID)
	}
	n := specs.CountFindings(findings)
	return result, itoa(n.High) + " " + itoa(n.Medium) + " " + itoa(n.Low), known
}

func itoa(n int) string { return string(rune('0' + n)) }
