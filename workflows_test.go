package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestWorkflows_trustNothingThatMoves: whoever can move a tag of another repository must not be able to change what runs here,
// no job has more rights than it says, and no step finds the token in a checkout.
func TestWorkflows_trustNothingThatMoves(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(".github", "workflows", "*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	pinned := regexp.MustCompile(`^(\./|[\w.-]+/[\w./-]+@[0-9a-f]{40}$)`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var flow struct {
			Permissions *map[string]string
			Jobs        map[string]struct {
				Uses  string
				Steps []struct {
					Uses string
					With map[string]any
				}
			}
		}
		if err := yaml.Unmarshal(data, &flow); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if flow.Permissions == nil {
			t.Errorf("%s does not say what rights its jobs have", file)
		}
		for name, job := range flow.Jobs {
			if job.Uses != "" && !pinned.MatchString(job.Uses) {
				t.Errorf("%s: job %s uses %s, which can move", file, name, job.Uses)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: job %s uses %s, which can move", file, name, step.Uses)
				}
				if regexp.MustCompile(`^actions/checkout@`).MatchString(step.Uses) && step.With["persist-credentials"] != false {
					t.Errorf("%s: job %s leaves its token in the checkout", file, name)
				}
			}
		}
	}
}
