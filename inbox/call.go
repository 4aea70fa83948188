package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/internal/confine"
)

// Reply is the answer to a call:
// text for models that read text, and the same as a value for clients that take values.
type Reply struct {
	Text       string
	Structured any
}

// Call runs one tool with the JSON object args.
//
// It is the one write path of agents: calls are taken one at a time across goroutines and processes,
// counted against the run's budget, and recorded.
// What a call wrote is a whole file or nothing, and once ctx is done it writes nothing any more.
//
// The error is a [*ToolError] where the model can do something about it;
// ctx's error, or a fault of the machine, otherwise.
func (b *Box) Call(ctx context.Context, tool string, args json.RawMessage) (Reply, error) {
	started := b.now()
	unlock, err := b.lock(ctx)
	if err != nil {
		return Reply{}, err
	}
	defer unlock()

	log, err := b.readLog()
	if err != nil {
		return Reply{}, err
	}
	budget := b.run.maxCalls()
	if log.calls > budget {
		return Reply{}, errBudget(tool, budget)
	}
	var reply Reply
	var kept string
	if log.calls == budget {
		err = errBudget(tool, budget)
	} else {
		reply, kept, err = b.serve(ctx, tool, args)
	}
	if err == nil && b.run.Record {
		if err := b.recordArguments(tool, args); err != nil {
			return Reply{}, err
		}
	}
	if err := b.record(log, tool, kept, started, err); err != nil {
		return Reply{}, err
	}
	return reply, err
}

func errBudget(tool string, budget int) error {
	return &ToolError{Tool: tool, Text: fmt.Sprintf(
		"call budget used up: this run may make %d calls. Call no more tools and end your turn", budget)}
}

// serve checks the call and runs the tool. The box is locked.
// kept is the digest of the result that the call handed over for good, "" for all other calls.
func (b *Box) serve(ctx context.Context, tool string, args json.RawMessage) (reply Reply, kept string, err error) {
	arguments, err := prepare(b.run.Change, b.run.Step, b.run.Tools(), tool, args)
	if err != nil {
		return Reply{}, "", named(tool, err)
	}
	change, err := confine.Open(filepath.Join(b.dir, changeDir))
	if err != nil {
		return Reply{}, "", err
	}
	defer change.Close()
	results, err := confine.Open(filepath.Join(b.dir, inboxDir))
	if err != nil {
		return Reply{}, "", err
	}
	defer results.Close()

	c := &call{run: b.run, tool: tool, change: change, results: results, earlier: b.Calls, args: arguments}
	reply, err = c.dispatch(ctx, tool)
	return reply, c.kept, named(tool, err)
}

// prepare turns raw arguments into checked ones:
// the tool belongs to the step, the text is strict JSON, the values fit the schema, the change is the right one.
func prepare(change, step string, tools []string, tool string, args json.RawMessage) (map[string]any, error) {
	if !slices.Contains(tools, tool) {
		return nil, refuseTool(tool, step, tools)
	}
	arguments, err := readArguments(args)
	if err != nil {
		return nil, err
	}
	if id, ok := arguments["change_id"].(string); ok && id != change {
		return nil, refuse("this server serves change %q, not %q", change, clip(id, 80))
	}
	return arguments, checkArguments(tool, arguments)
}

func refuseTool(tool, step string, tools []string) error {
	if _, known := Describe(tool); !known {
		return refuse("unknown tool %q; the tools are %s", clip(tool, 80), strings.Join(tools, ", "))
	}
	if step == "" {
		return refuse("tool %q belongs to a step of a run, and this server has none; the tools are %s", tool, strings.Join(tools, ", "))
	}
	return refuse("tool %q is not part of step %q; the tools are %s", tool, step, strings.Join(tools, ", "))
}

// call is one call under way.
type call struct {
	run     Run
	tool    string
	change  *confine.Root // change/
	results *confine.Root // inbox/
	earlier func() ([]CallRecord, error)
	args    map[string]any
	kept    string // digest of the result that was kept for good
}

func (c *call) dispatch(ctx context.Context, tool string) (Reply, error) {
	switch tool {
	case toolProposeQuestions:
		return c.proposeQuestions(ctx)
	case toolCreateClarifications:
		return c.createClarifications(ctx)
	case toolCreateProposal:
		return c.createProposal(ctx)
	case toolCreateSpec:
		return c.createSpec(ctx)
	case toolCreateTasks:
		return c.createTasks(ctx)
	case toolReadFile:
		return c.readFile()
	case toolEditFile:
		return c.editFile(ctx)
	case toolSelfReview:
		return c.selfReview(ctx)
	case toolAppendReview:
		return c.appendReview(ctx)
	case toolCreateReview:
		return c.createReview(ctx)
	case toolSignal:
		return c.signal(ctx)
	case toolListChangedFiles:
		return changedFilesReply(c.run.ChangedFiles), nil
	}
	files, err := readAll(c.change)
	if err != nil {
		return Reply{}, explain(err)
	}
	return readOnly(tool, library{change: c.run.Change, files: files, validation: c.run.Validation}, c.args)
}

// decode turns checked arguments into the type that specs understands.
func decode[T any](args map[string]any) (T, error) {
	var value T
	data, err := json.Marshal(args)
	if err != nil {
		return value, fmt.Errorf("encode arguments: %w", err)
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return value, refuse("the arguments cannot be used: %v", err)
	}
	return value, nil
}

// explain turns what confine refuses into a refusal for the model;
// faults of the machine stay what they are.
func explain(err error) error {
	if name, ok := errors.AsType[*confine.NameError](err); ok {
		reason := strings.ReplaceAll(name.Reason, "the folder", "the change folder")
		return refuse("path %q %s", clip(name.Name, 120), reason)
	}
	if file, ok := errors.AsType[*confine.FileError](err); ok {
		return refuse("%v", file)
	}
	return err
}

// named fills in the tool that refused.
func named(tool string, err error) error {
	if refusal, ok := errors.AsType[*ToolError](err); ok {
		return &ToolError{Tool: tool, Text: refusal.Text}
	}
	return err
}
