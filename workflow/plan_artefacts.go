package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// artefacts writes the next missing document, or looks once more at the one just written.
// done means that the plan is whole and every self-review has ended.
func (p *planning) artefacts(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) (next *changes.Change, done bool, err error) {
	if path, round, open := p.openReview(c); open {
		next, err = p.selfReview(ctx, c, docs, path, round)
		return next, false, err
	}
	artefact, missing := specs.NextArtefact(docs)
	if !missing {
		return c, true, nil
	}
	if err := usable(c, artefact); err != nil {
		return c, false, err
	}
	var record changes.Record
	switch {
	case artefact.Step == phases.StepProposalGen:
		record, err = p.proposal(ctx, c, description(c), notes(c))
	case artefact.Step == phases.StepTasksGen:
		if len(specPaths(docs)) == 0 {
			p.Say.Note("No specs required for this change")
		}
		record, err = p.tasks(ctx, c, docs)
	default:
		record, err = p.spec(ctx, c, docs, string(artefact.Spec))
	}
	if err != nil {
		return c, false, err
	}
	next, err = p.append(ctx, c, record)
	return next, false, err
}

// unwritten reports whether the proposer has something to do before the plan is whole.
func (p *planning) unwritten(c *changes.Change, docs specs.ChangeDocs) bool {
	_, _, open := p.openReview(c)
	_, missing := specs.NextArtefact(docs)
	return open || missing
}

// usable refuses a document that is there and cannot be read: nothing is written on top of it.
func usable(c *changes.Change, artefact specs.Artefact) error {
	if len(artefact.Problems) == 0 {
		return nil
	}
	return &GateError{
		Gate: "plan", Reason: artefact.Path + " is there and cannot be used", Problems: artefact.Problems,
		Next: fmt.Sprintf("repair %s/%s and commit it, then `%s`", c.ID.Dir(), artefact.Path, command("plan", c.ID)),
	}
}

func (p *planning) proposal(ctx context.Context, c *changes.Change, description string, notes []string) (changes.Record, error) {
	clarified := false
	if c != nil {
		files, err := c.Files(ctx)
		if err != nil {
			return changes.Record{}, err
		}
		_, clarified = files[specs.ClarificationsPath]
	}
	return p.generate(ctx, c, phases.StepProposalGen, specs.ProposalPath, "the proposal",
		func(tools templates.Tools, failure string) string {
			return templates.ProposalPrompt{
				Change: p.req.Change.String(), Description: description, Notes: notes, Clarified: clarified, Tools: tools, Failure: failure,
			}.Render()
		})
}

func (p *planning) spec(ctx context.Context, c *changes.Change, docs specs.ChangeDocs, spec string) (changes.Record, error) {
	return p.generate(ctx, c, phases.SpecGen(spec), "specs/"+spec+".md", "spec "+spec,
		func(tools templates.Tools, failure string) string {
			return templates.SpecPrompt{Change: c.ID.String(), Spec: spec, Earlier: specNames(docs), Tools: tools, Failure: failure}.Render()
		})
}

func (p *planning) tasks(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) (changes.Record, error) {
	return p.generate(ctx, c, phases.StepTasksGen, specs.TasksPath, "the tasks",
		func(tools templates.Tools, failure string) string {
			return templates.TasksPrompt{Change: c.ID.String(), Specs: specNames(docs), Tools: tools, Failure: failure}.Render()
		})
}

// generate lets the proposer write one document.
func (p *planning) generate(ctx context.Context, c *changes.Change, step phases.Step, path, what string, prompt func(templates.Tools, string) string) (changes.Record, error) {
	dir, err := p.work.dir(ctx)
	if err != nil {
		return changes.Record{}, err
	}
	round := 1
	if c != nil {
		round = c.State.Round
	}
	h, err := p.take(ctx, p.req.Change, c, dir, turn{
		step: step, role: config.Proposer, round: round, access: agents.ToolsOnly,
		doing:  fmt.Sprintf("is writing %s of %s", what, p.req.Change),
		prompt: prompt,
		check: func(h *handover) string {
			if len(h.files[path]) == 0 {
				return path + " was not written"
			}
			return ""
		},
	})
	if err != nil {
		return changes.Record{}, err
	}
	p.report(h, fmt.Sprintf("wrote %s of %s", what, p.req.Change))
	return changes.Record{
		Subject: "wrote " + what,
		Files:   map[string][]byte{path: h.files[path]},
		Calls:   h.calls,
		Transition: phases.Transition{
			Step: step, Round: round, Agent: h.agentID(), Usage: &h.usage, Actor: h.actor(),
		},
	}, nil
}

// openReview finds the document that was written last and whose self-review has not ended:
// no PASS yet, and looks left. It reads the history, so an interrupted run goes on at the same look.
func (b *Bench) openReview(c *changes.Change) (path string, round int, open bool) {
	most := b.Config.Workflow.SelfReviewIterations
	looks := 0
	for i := len(c.State.Transitions) - 1; i >= 0; i-- {
		t := c.State.Transitions[i]
		if _, reviewed := reviewedPath(t.Step); reviewed {
			if t.Loop != phases.LoopWorking.String() {
				return "", 0, false
			}
			looks++
			if looks >= most {
				return "", 0, false
			}
			continue
		}
		if path, wrote := writtenPath(t.Step); wrote {
			return path, looks + 1, looks < most
		}
		if t.Step != phases.StepEdit && t.Step != phases.StepNote {
			return "", 0, false
		}
	}
	return "", 0, false
}

// selfReview lets the author look at its document again. It is advice: only a PASS ends it early.
func (p *planning) selfReview(ctx context.Context, c *changes.Change, docs specs.ChangeDocs, path string, look int) (*changes.Change, error) {
	dir, err := p.work.dir(ctx)
	if err != nil {
		return c, err
	}
	most := p.Config.Workflow.SelfReviewIterations
	step := reviewStep(path)
	h, err := p.take(ctx, c.ID, c, dir, turn{
		step: step, role: config.Proposer, round: look, access: agents.Documents,
		doing: fmt.Sprintf("is looking at %s of %s again (%d of at most %d)", path, c.ID, look, most),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.SelfReviewPrompt{
				Change: c.ID.String(), Path: path, Round: look, Max: most, Specs: specNames(docs), Tools: tools, Failure: failure,
			}.Render()
		},
	})
	if err != nil {
		return c, err
	}
	review, answered, err := h.box.SelfReview()
	if err != nil {
		return c, err
	}
	state, said := phases.LoopWorking, "gave no answer"
	switch {
	case answered && review.Passed():
		state, said = phases.LoopComplete, "passed it"
	case look >= most:
		state = phases.LoopFailed
		p.Say.Warn(fmt.Sprintf("%s did not pass its own review in %d looks; the challenge will judge it", path, most))
		said = "did not pass it"
	case answered:
		said = fmt.Sprintf("found %s", plural(len(review.Issues), "issue"))
	}
	p.report(h, fmt.Sprintf("looked at %s again: %s", path, said))
	files := map[string][]byte{}
	for name, content := range h.changedFiles() {
		if name == path {
			files[name] = content
		}
	}
	return p.append(ctx, c, changes.Record{
		Subject: fmt.Sprintf("looked at %s again: the author %s", path, said),
		Body:    bullets(review.Issues),
		Files:   files, Calls: h.calls,
		Transition: phases.Transition{
			Step: step, Round: c.State.Round, Loop: state.String(), Agent: h.agentID(), Usage: &h.usage, Actor: h.actor(),
		},
	})
}

// report tells the person what an agent did and what of it nobody will commit.
func (b *Bench) report(h *handover, did string) {
	b.Say.Done(h.player.agent.Name() + " " + did)
	for _, path := range h.left {
		b.Say.Warn("not committed, outside what this step may write: " + path)
	}
}

// writtenPath is the document that a step writes anew.
func writtenPath(step phases.Step) (string, bool) {
	switch step {
	case phases.StepProposalGen:
		return specs.ProposalPath, true
	case phases.StepTasksGen:
		return specs.TasksPath, true
	}
	spec, gen, ok := step.Spec()
	return "specs/" + spec + ".md", ok && gen
}

// reviewedPath is the document that a self-review looks at.
func reviewedPath(step phases.Step) (string, bool) {
	switch step {
	case phases.StepProposalReview:
		return specs.ProposalPath, true
	case phases.StepTasksReview:
		return specs.TasksPath, true
	}
	spec, gen, ok := step.Spec()
	return "specs/" + spec + ".md", ok && !gen
}

func reviewStep(path string) phases.Step {
	switch path {
	case specs.ProposalPath:
		return phases.StepProposalReview
	case specs.TasksPath:
		return phases.StepTasksReview
	}
	return phases.SpecReview(strings.TrimSuffix(strings.TrimPrefix(path, "specs/"), ".md"))
}

// description is what the person asked for: the body of the change's first commit.
func description(c *changes.Change) string {
	if len(c.State.Transitions) == 0 {
		return ""
	}
	return c.State.Transitions[0].Body
}

// notes are what the person added later.
func notes(c *changes.Change) []string {
	var all []string
	for _, t := range c.State.Transitions {
		if t.Step == phases.StepNote && t.Body != "" {
			all = append(all, t.Body)
		}
	}
	return all
}

func specPaths(docs specs.ChangeDocs) []string {
	var paths []string
	for path := range docs.Files {
		if specs.IsSpecPath(path) {
			paths = append(paths, path)
		}
	}
	return sorted(paths)
}

func specNames(docs specs.ChangeDocs) []string {
	names := specPaths(docs)
	for i, path := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(path, "specs/"), ".md")
	}
	return names
}

func bullets(lines []string) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString("- " + strings.ReplaceAll(line, "\n", "\n  ") + "\n")
	}
	return text.String()
}
