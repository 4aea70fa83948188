//go:build linux

package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// wish is what one change wants of the specs: complete changes are made of it without asking an agent.
type wish struct {
	id   string
	spec string                   // "" for a change without specs
	edit func(text string) string // what it makes of the spec as its plan sees it; "" is none
	code string                   // a file that it writes, "" for none
	on   string                   // the change that it stands on, "" for main

	beside *wish // another spec of the same change: what counts of it is spec and edit, nil for none

	often bool // also where the whole campaign is not played
}

// replace is an edit of a few words, "" where they are not there.
func replace(pairs ...string) func(string) string {
	return func(text string) string {
		for i := 0; i < len(pairs); i += 2 {
			if strings.Count(text, pairs[i]) != 1 {
				return ""
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
}

// says is a document that does not depend on what there was.
func says(text string) func(string) string { return func(string) string { return text } }

// complete makes a change of a wish in a repository, as if agents had planned, judged and written it.
func (w wish) complete(ctx context.Context, dir string, environ []string) (err error) {
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: environ})
	if err != nil {
		return err
	}
	id, err := phases.ParseChangeID(w.id)
	if err != nil {
		return err
	}
	base, onto := phases.Base{Branch: "main"}, []phases.ChangeID(nil)
	if w.on != "" {
		below, err := phases.ParseChangeID(w.on)
		if err != nil {
			return err
		}
		base.Branch, onto = below.Branch(), []phases.ChangeID{below}
	}
	tip, err := repo.Resolve(ctx, "refs/heads/"+base.Branch)
	if err != nil {
		return err
	}
	base.Commit = string(tip)
	plan, err := w.plan(dir, environ, base.Commit)
	if err != nil {
		return err
	}
	open := &changes.Store{Repo: repo, Now: time.Now}
	store, unlock, err := open.Lock(ctx, id, "plan")
	if err != nil {
		return err
	}
	defer unlock()
	c, err := store.Begin(ctx, changes.Beginning{
		ID: id, Base: base, Profile: phases.ProfileSpec, DependsOn: onto,
		Record: changes.Record{Subject: "wrote the plan", Transition: phases.Transition{Step: phases.StepTasksGen, Actor: phases.ByAgent("proposer")}, Files: plan},
	})
	if err != nil {
		return err
	}
	for _, next := range []func(*changes.Change) (changes.Record, error){challenged, w.implemented, reviewed} {
		rec, err := next(c)
		if err == nil {
			c, _, err = c.Append(ctx, rec)
		}
		if err != nil {
			return err
		}
	}
	if c.State.Effective != phases.Complete {
		err = fmt.Errorf("%s is %s", w.id, c.State.Effective)
	}
	return err
}

// plan are the documents.
func (w wish) plan(dir string, environ []string, base string) (map[string][]byte, error) {
	impact := specs.ImpactInput{Scope: "minor", AffectedFiles: 1, AffectedCode: []string{"src/" + w.id + ".txt"}}
	ref, plan := "", map[string][]byte{}
	for s := &w; s != nil && s.spec != ""; s = s.beside {
		impact.AffectedSpecs, ref = append(impact.AffectedSpecs, s.spec), w.spec+"#R1"
		there := &world{dir: filepath.Dir(dir)}
		now, err := there.doIn(dir, "show", base+":agentd/specs/"+s.spec+".md")
		if err != nil {
			now = "" // a new one
		}
		text := s.edit(now)
		if text == "" {
			return nil, fmt.Errorf("%s does not fit spec %s:\n%s", w.id, s.spec, now)
		}
		plan["specs/"+s.spec+".md"] = []byte(text)
	}
	proposal, err := specs.ProposalInput{
		Summary: "What " + w.id + " is for.", Why: "Somebody wants it.", WhatChanges: []string{"A little."}, Impact: impact,
	}.Proposal(w.id, time.Now(), "scripted", nil)
	if err != nil {
		return nil, err
	}
	tasks, err := specs.TasksInput{Tasks: []specs.TaskInput{{
		Layer: "data", Number: 1, Title: "Write it", File: specs.TaskFileInput{Path: "src/" + w.id + ".txt", Action: "CREATE"}, SpecRef: ref, Description: "One line.",
	}}}.ToTasks(w.id, time.Now(), nil)
	if err != nil {
		return nil, err
	}
	plan["proposal.md"], plan["tasks.md"] = proposal.Markdown(), tasks.Markdown()
	return plan, nil
}

func challenged(c *changes.Change) (changes.Record, error) {
	report := specs.ChallengeReport{Change: c.ID.String(), Round: 1, Verdict: phases.Approved, Subject: c.State.PlanTree, Agent: "scripted/scripted"}
	return changes.Record{
		Subject: "challenge approved in round 1", JudgedPlan: c.State.PlanTree, Files: map[string][]byte{"CHALLENGE.md": report.Markdown()},
		Transition: phases.Transition{Step: phases.StepChallenge, Verdict: phases.Approved, Actor: phases.ByAgent("challenger"), Agent: report.Agent, Findings: &phases.Findings{}},
	}, nil
}

func (w wish) implemented(*changes.Change) (changes.Record, error) {
	rec := changes.Record{
		Subject:    "implemented task 1.1",
		Transition: phases.Transition{Step: phases.StepImplement, Tasks: []string{"1.1"}, Actor: phases.ByAgent("implementer"), Agent: "scripted/scripted"},
	}
	if w.code != "" {
		rec.Code = []gitops.Edit{{Path: w.code, Mode: gitops.ModeFile, Content: []byte("of " + w.id + "\n")}}
	}
	return rec, nil
}

func reviewed(c *changes.Change) (changes.Record, error) {
	diff, err := c.Diff(context.Background())
	evidence := []phases.Evidence{{Exit: 0, Millis: 1, Command: lifeCheck}}
	report := specs.ReviewReport{
		Change: c.ID.String(), Round: 1, Verdict: phases.Approved, Subject: c.State.CodeTree, Diff: diff, Agent: "scripted/scripted", Evidence: evidence,
	}
	return changes.Record{
		Subject: "review approved in round 1", JudgedCode: c.State.CodeTree, Files: map[string][]byte{"REVIEW.md": report.Markdown()},
		Transition: phases.Transition{
			Step: phases.StepReview, Verdict: phases.Approved, Actor: phases.ByAgent("reviewer"), Agent: report.Agent, Findings: &phases.Findings{}, Evidence: evidence,
		},
	}, err
}

// lifeCheck is the check of projects whose changes are made of wishes.
const lifeCheck = "true"

// resolve settles every conflict that is marked in a spec by taking one side of it.
func resolve(path string, theirs bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var out strings.Builder
	const outside, ours, base, other = 0, 1, 2, 3
	at := outside
	for line := range strings.Lines(string(text)) {
		switch mark, _, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(mark, "<<<<<<<"):
			at = ours
		case strings.HasPrefix(mark, "|||||||"):
			at = base
		case at == base && strings.HasPrefix(mark, "======="):
			at = other
		case strings.HasPrefix(mark, ">>>>>>>"):
			at = outside
		case at == outside, at == ours && !theirs, at == other && theirs:
			out.WriteString(line)
		}
	}
	return os.WriteFile(path, []byte(out.String()), 0o666)
}
