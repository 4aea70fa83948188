package inbox

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// createProposal renders proposal.md from structured arguments.
func (c *call) createProposal(ctx context.Context) (Reply, error) {
	in, err := input[specs.ProposalInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	previous, err := previous(c, proposalFile, specs.ParseProposal)
	if err != nil {
		return Reply{}, err
	}
	proposal, err := in.Proposal(c.run.Change, c.run.Created, c.run.Author, previous)
	if err != nil {
		return Reply{}, refuseInput(err)
	}
	return c.write(ctx, proposalFile, proposal.Markdown(), "wrote")
}

// createSpec renders one spec. Which ones may be written, the proposal says; which one now, the step.
func (c *call) createSpec(ctx context.Context) (Reply, error) {
	in, err := input[specs.SpecInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	id, err := c.affectedSpec(in.SpecID)
	if err != nil {
		return Reply{}, err
	}
	previous, err := previous(c, id.Path(), specs.ParseSpec)
	if err != nil {
		return Reply{}, err
	}
	spec, err := in.Spec(c.run.Change, c.run.Created, previous)
	if err != nil {
		return Reply{}, refuseInput(err)
	}
	return c.write(ctx, id.Path(), spec.Markdown(), "wrote")
}

// affectedSpec turns the id of a spec into one that may be written now.
func (c *call) affectedSpec(text string) (specs.SpecID, error) {
	id, err := specs.ParseSpecID(text)
	if err != nil {
		return "", refuse("argument \"spec_id\": %v", err)
	}
	if only, gen, ok := phases.Step(c.run.Step).Spec(); ok && gen && string(id) != only {
		return "", refuse("step %q writes the spec %q, not %q", c.run.Step, only, text)
	}
	data, err := c.change.ReadFile(proposalFile, maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return "", refuse("there is no proposal yet: a spec must be one of the proposal's affected specs")
	}
	if err != nil {
		return "", explain(err)
	}
	proposal, _, err := specs.ParseProposal(proposalFile, data)
	if err != nil {
		return "", refuse("the proposal cannot be read: %v", err)
	}
	var affected []string
	for _, spec := range proposal.AffectedSpecs {
		affected = append(affected, string(spec.ID))
	}
	if !slices.Contains(affected, string(id)) {
		return "", refuse("%q is not one of the proposal's affected specs (%s)", text, cmpNone(strings.Join(affected, ", ")))
	}
	return id, nil
}

// createTasks renders tasks.md.
func (c *call) createTasks(ctx context.Context) (Reply, error) {
	in, err := input[specs.TasksInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	previous, err := previous(c, tasksFile, specs.ParseTasks)
	if err != nil {
		return Reply{}, err
	}
	tasks, err := in.ToTasks(c.run.Change, c.run.Created, previous)
	if err != nil {
		return Reply{}, refuseInput(err)
	}
	return c.write(ctx, tasksFile, tasks.Markdown(), "wrote")
}

// createClarifications renders the answers of a person.
func (c *call) createClarifications(ctx context.Context) (Reply, error) {
	in, err := input[specs.ClarificationsInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	previous, err := previous(c, clarificationsFile, specs.ParseClarifications)
	if err != nil {
		return Reply{}, err
	}
	clarifications, err := in.Clarifications(c.run.Change, c.run.Created, previous)
	if err != nil {
		return Reply{}, refuseInput(err)
	}
	return c.write(ctx, clarificationsFile, clarifications.Markdown(), "wrote")
}

// validator is what every input of specs can do.
type validator interface{ Validate() []string }

// input decodes checked arguments and lets specs say what is wrong with their meaning.
func input[T validator](args map[string]any) (T, error) {
	in, err := decode[T](args)
	if err != nil {
		return in, err
	}
	if complaints := in.Validate(); len(complaints) > 0 {
		return in, refuseAll(complaints)
	}
	return in, nil
}

// previous reads the document that is about to be replaced, nil if there is none.
// One that cannot be read is replaced as if there were none: creating it anew is the repair.
func previous[T any](c *call, name string, parse func(string, []byte) (*T, specs.Problems, error)) (*T, error) {
	data, err := c.change.ReadFile(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	document, _, err := parse(name, data)
	if err != nil {
		return nil, nil
	}
	return document, nil
}

// refuseInput hands the complaints of specs to the model.
func refuseInput(err error) error {
	if complaint, ok := errors.AsType[*specs.InputError](err); ok {
		return refuseAll(complaint.Problems)
	}
	return refuse("%v", err)
}

// cmpNone names an empty list.
func cmpNone(list string) string {
	if list == "" {
		return "none"
	}
	return list
}
