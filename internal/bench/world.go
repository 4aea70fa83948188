package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// commitsPerChange is how long the generated histories are: a whole plan, its approval, and the first task.
const commitsPerChange = 8

func changeName(n int) string { return fmt.Sprintf("change-%05d", n) }

// began is when everything in the generated repositories happened.
var began = time.Date(2026, time.January, 19, 10, 30, 0, 0, time.UTC)

// stream writes what `git fast-import` reads.
type stream struct{ bytes.Buffer }

func (s *stream) data(text []byte) { fmt.Fprintf(s, "data %d\n%s\n", len(text), text) }

func (s *stream) commit(ref, from string, at time.Time, message string) {
	fmt.Fprintf(s, "commit %s\ncommitter Bench <bench@example.com> %d +0000\n", ref, at.Unix())
	s.data([]byte(message))
	if from != "" {
		fmt.Fprintf(s, "from %s\n", from)
	}
}

func (s *stream) file(path string, text []byte) {
	fmt.Fprintf(s, "M 100644 inline %s\n", path)
	s.data(text)
}

// project makes a repository with one commit of so many files, and so many commits before it, packed, and returns its folder.
func (b *bench) project(ctx context.Context, name string, files, commits int) (string, error) {
	dir := filepath.Join(b.dir, name)
	if _, err := b.once(ctx, b.dir, nil, b.git, "init", "--quiet", dir); err != nil {
		return "", err
	}
	var s stream
	for n := range commits {
		s.commit("refs/heads/main", "", began, fmt.Sprintf("Commit %d\n", n))
		s.file("counter.txt", fmt.Appendf(nil, "%d\n", n))
	}
	s.commit("refs/heads/main", "", began, "Begin\n")
	s.file("agentd/config.toml", []byte("[review]\ncommands = [\"true\"]\n"))
	const perFolder = 100
	for i := range files {
		s.file(fmt.Sprintf("src/d%03d/f%05d.txt", i/perFolder, i), fmt.Appendf(nil, "file %d\n%s", i, strings.Repeat("some line of text\n", i%perFolder)))
	}
	if _, err := b.once(ctx, dir, &s, b.git, "fast-import", "--quiet"); err != nil {
		return "", err
	}
	_, err := b.once(ctx, dir, nil, b.git, "reset", "--quiet", "--hard", "main")
	return dir, err
}

// manyChanges makes a repository with all the changes, packed refs and packed objects.
func (b *bench) manyChanges(ctx context.Context, name string, commits int) (string, error) {
	const files = 400
	dir, err := b.project(ctx, name, files, commits)
	if err != nil {
		return "", err
	}
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: b.environ})
	if err != nil {
		return "", err
	}
	base, err := repo.Resolve(ctx, "refs/heads/main")
	if err != nil {
		return "", err
	}
	var s stream
	for n := range b.changes {
		c := generated{repo: repo, base: phases.Base{Branch: "main", Commit: string(base)}, out: &s}
		if err := c.write(changeName(n)); err != nil {
			return "", err
		}
	}
	if _, err := b.once(ctx, dir, &s, b.git, "fast-import", "--quiet"); err != nil {
		return "", err
	}
	_, err = b.once(ctx, dir, nil, b.git, "pack-refs", "--all")
	return dir, err
}

// generated is one change that the program takes for its own: the same documents, trailers and STATE.yaml.
type generated struct {
	repo  *gitops.Repo
	base  phases.Base
	out   *stream
	spec  string // id of its one spec
	text  []byte // of the spec; without an id it is a small one
	id    phases.ChangeID
	state *specs.State
	last  phases.Phase
	at    time.Time
}

func (c *generated) write(name string) error {
	var err error
	if c.id, err = phases.ParseChangeID(name); err != nil {
		return err
	}
	c.state, c.at = specs.NewState(name), began
	docs, err := documents(name, c.at)
	if err != nil {
		return err
	}
	const small = "greeting"
	if c.spec == "" {
		c.spec, c.text = small, docs["specs/"+small+".md"]
	}
	delete(docs, "specs/"+small+".md")
	spec := "specs/" + c.spec + ".md"
	docs[spec] = c.text
	plan, err := c.planTree(docs)
	if err != nil {
		return err
	}
	author := func(step phases.Step) phases.Transition {
		return phases.Transition{Step: step, Agent: "gemini/gemini-3-flash-preview", Actor: phases.ByAgent("proposer"),
			Usage: &phases.Usage{In: 18734, Cached: 9216, Out: 688, Millis: 937}}
	}
	first := author(phases.StepProposalGen)
	first.Base, first.Profile = &c.base, "spec"
	challenge := author(phases.StepChallenge)
	challenge.Verdict, challenge.Subject, challenge.Findings = phases.Approved, plan, &phases.Findings{}
	challenge.Agent, challenge.Actor = "codex/gpt-5.2-codex", phases.ByAgent("challenger")
	report := specs.ChallengeReport{Change: c.id.String(), Round: 1, Verdict: phases.Approved, Subject: plan, Agent: challenge.Agent}
	implement := author(phases.StepImplement)
	implement.Tasks, implement.Actor = []string{"1.1"}, phases.ByAgent("implementer")
	steps := []struct {
		subject string
		phase   phases.Phase
		t       phases.Transition
		path    string
		text    []byte
	}{
		{"wrote the proposal", phases.Proposed, first, c.id.Dir() + "/proposal.md", docs["proposal.md"]},
		{"looked at proposal.md again", phases.Proposed, author(phases.StepProposalReview), "", nil},
		{"wrote spec " + c.spec, phases.Proposed, author(phases.SpecGen(c.spec)), c.id.Dir() + "/" + spec, c.text},
		{"looked at " + spec + " again", phases.Proposed, author(phases.SpecReview(c.spec)), "", nil},
		{"wrote the tasks", phases.Proposed, author(phases.StepTasksGen), c.id.Dir() + "/tasks.md", docs["tasks.md"]},
		{"looked at tasks.md again", phases.Proposed, author(phases.StepTasksReview), "", nil},
		{"challenge approved in round 1", phases.Challenged, challenge, c.id.Dir() + "/CHALLENGE.md", report.Markdown()},
		{"implemented task 1.1", phases.Implementing, implement, "src/" + name + ".txt", []byte("hello\n")},
	}
	for _, step := range steps {
		if err := c.step(step.subject, step.phase, step.t, step.path, step.text); err != nil {
			return err
		}
	}
	return nil
}

func (c *generated) step(subject string, phase phases.Phase, t phases.Transition, path string, text []byte) error {
	t.Change, t.From, t.Phase, t.Round = c.id, c.last, phase, 1
	c.at = c.at.Add(time.Minute)
	c.state.Record(specs.EntryOf(t, c.at), nil, c.at)
	message, err := phases.FormatMessage("agentd("+c.id.String()+"): "+subject, "", t)
	if err != nil {
		return err
	}
	from := ""
	if c.last == phases.None {
		from = c.base.Commit
	}
	c.out.commit(c.id.Ref(), from, c.at, message)
	if path != "" {
		c.out.file(path, text)
	}
	c.out.file(c.id.Dir()+"/"+specs.StateFile, c.state.YAML())
	c.last = phase
	return nil
}

// planTree names the tree of the plan's documents, as a challenger's verdict does.
func (c *generated) planTree(docs map[string][]byte) (string, error) {
	var top, folder []gitops.Entry
	for path, text := range docs {
		id, err := c.repo.HashBlob(text)
		if err != nil {
			return "", err
		}
		if name, ok := strings.CutPrefix(path, "specs/"); ok {
			folder = append(folder, gitops.Entry{Name: name, Mode: gitops.ModeFile, ID: id})
		} else {
			top = append(top, gitops.Entry{Name: path, Mode: gitops.ModeFile, ID: id})
		}
	}
	id, err := c.repo.HashTree(folder)
	if err != nil {
		return "", err
	}
	top = append(top, gitops.Entry{Name: "specs", Mode: gitops.ModeTree, ID: id})
	slices.SortFunc(top, func(a, b gitops.Entry) int { return strings.Compare(a.Name, b.Name) })
	id, err = c.repo.HashTree(top)
	return string(id), err
}

// documents are a small plan that validates.
func documents(id string, at time.Time) (map[string][]byte, error) {
	proposal, err := specs.ProposalInput{
		Summary: "The project greets.", Why: "Nobody is greeted yet.", WhatChanges: []string{"A file with a greeting."},
		Impact: specs.ImpactInput{Scope: "minor", AffectedSpecs: []string{"greeting"}, AffectedFiles: 1, NewFiles: 1, AffectedCode: []string{"src/" + id + ".txt"}},
	}.Proposal(id, at, "gemini", nil)
	if err != nil {
		return nil, err
	}
	var requirements []specs.RequirementInput
	var scenarios []specs.ScenarioInput
	var refs []string
	for _, n := range []string{"R1", "R2", "R3"} {
		requirements = append(requirements, specs.RequirementInput{ID: n, Title: "Greeting " + n, Description: "The file holds one line of greeting.", Priority: "high"})
		scenarios = append(scenarios, specs.ScenarioInput{Name: "Reading " + n, Requirement: n, Given: specs.StringList{"a checkout"}, When: specs.StringList{"the file is read"}, Then: specs.StringList{"it says hello"}})
		refs = append(refs, "greeting#"+n)
	}
	spec, err := specs.SpecInput{
		SpecID: "greeting", Title: "Greeting", Overview: "The project greets whoever reads it.", Requirements: requirements, Scenarios: scenarios,
	}.Spec(id, at, nil)
	if err != nil {
		return nil, err
	}
	tasks, err := specs.TasksInput{Tasks: []specs.TaskInput{{
		Layer: "data", Number: 1, Title: "Write the greeting", File: specs.TaskFileInput{Path: "src/" + id + ".txt", Action: "CREATE"},
		SpecRef: strings.Join(refs, ", "), Description: "One line that says hello.",
	}}}.ToTasks(id, at, nil)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"proposal.md": proposal.Markdown(), "specs/greeting.md": spec.Markdown(), "tasks.md": tasks.Markdown()}, nil
}
