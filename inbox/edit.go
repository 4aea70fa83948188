package inbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

const (
	proposalFile       = "proposal.md"
	tasksFile          = "tasks.md"
	clarificationsFile = "clarifications.md"
)

// editable lists what edit_file may touch in a step, for the model; may decides.
// STATE.yaml and the reports are in no list: only the run writes them.
func editable(step string) (list string, may func(name string) bool) {
	only := func(path string) (string, func(string) bool) {
		return path, func(name string) bool { return name == path }
	}
	if spec, gen, ok := phases.Step(step).Spec(); ok && !gen {
		return only(specs.SpecID(spec).Path())
	}
	switch phases.Step(step) {
	case phases.StepProposalReview:
		return only(proposalFile)
	case phases.StepTasksReview:
		return only(tasksFile)
	case phases.StepValidate, phases.StepReproposal:
		return "proposal.md, specs/*.md, tasks.md", isPlanDocument
	default:
		return "none", func(string) bool { return false }
	}
}

// isPlanDocument reports the documents that agents write. Clarifications are a person's words.
func isPlanDocument(name string) bool {
	_, isSpec := specAt(name)
	return isSpec || name == proposalFile || name == tasksFile
}

// editFile replaces one passage: found exactly once, in exactly the text that the model has read.
func (c *call) editFile(ctx context.Context) (Reply, error) {
	find, _ := c.args["find"].(string)
	replace, _ := c.args["replace"].(string)
	have, _ := c.args["hash"].(string)

	path, err := pathArgument(c.run.Change, c.args)
	if err != nil {
		return Reply{}, err
	}
	if list, may := editable(c.run.Step); !may(path) {
		return Reply{}, refuse("%q may not be edited in step %q; editable here: %s", clip(path, 120), c.run.Step, list)
	}
	before, err := c.document(path)
	if err != nil {
		return Reply{}, err
	}
	if have != before.Hash {
		return Reply{}, refuse("conflict: %s changed since it was read (hash %s), read it again", path, before.Hash)
	}
	text, err := replaceOnce(before.Content, find, replace)
	if err != nil {
		return Reply{}, err
	}
	return c.keepEdit(ctx, before, text)
}

// replaceOnce replaces the one place where find occurs; occurrences may overlap, and then there are two.
func replaceOnce(text, find, replace string) (string, error) {
	first := strings.Index(text, find)
	switch {
	case find == replace:
		return "", refuse("the replacement is the same as the text to find")
	case first < 0:
		return "", refuse("the text to find does not occur: copy it from the file, with its spaces and line ends")
	case strings.Contains(text[first+1:], find):
		return "", refuse("the text to find occurs more than once: add the lines around it")
	}
	return text[:first] + replace + text[first+len(find):], nil
}

// keepEdit writes the edited text, unless the edit is what makes the document unreadable.
func (c *call) keepEdit(ctx context.Context, before document, text string) (Reply, error) {
	data := finishDocument(text)
	if err := checkSize(before.Path, data); err != nil {
		return Reply{}, err
	}
	if err := unreadable(before.Path, data); err != nil && unreadable(before.Path, []byte(before.Content)) == nil {
		return Reply{}, refuse("the edit was not made, it would make %s unreadable: %v", before.Path, err)
	}
	return c.write(ctx, before.Path, data, "edited")
}

// unreadable returns why a document cannot be parsed at all.
func unreadable(name string, data []byte) (err error) {
	switch _, isSpec := specAt(name); {
	case isSpec:
		_, _, err = specs.ParseSpec(name, data)
	case name == proposalFile:
		_, _, err = specs.ParseProposal(name, data)
	case name == tasksFile:
		_, _, err = specs.ParseTasks(name, data)
	}
	return err
}

// write puts a whole document into the change's folder, and tells the hash for the next edit.
func (c *call) write(ctx context.Context, name string, data []byte, did string) (Reply, error) {
	if err := checkSize(name, data); err != nil {
		return Reply{}, err
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	if err := c.change.WriteFile(name, data); err != nil {
		return Reply{}, explain(err)
	}
	sum := hash(string(data))
	return Reply{
		Text:       fmt.Sprintf("%s %s (%d bytes, hash %s)", did, name, len(data), sum),
		Structured: map[string]any{"path": name, "hash": sum},
	}, nil
}

func checkSize(name string, data []byte) error {
	if len(data) <= maxDocument {
		return nil
	}
	return refuse("%s would be %d bytes, the limit is %d", name, len(data), maxDocument)
}
