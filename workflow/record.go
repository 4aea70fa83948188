package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
)

// recording is a cassette that grows with every call that counted.
type recording struct {
	path     string
	cassette agents.Cassette
}

// Record makes every agent call of this run part of the cassette at path, which is made or goes on.
// It is called before anything is spent, so that a file that cannot be written is refused in time.
func (b *Bench) Record(path string) error {
	rec := &recording{path: path, cassette: agents.Cassette{Name: path}}
	src, err := agents.ReadCassette(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = rec.write()
	case err == nil:
		var have *agents.Cassette
		if have, err = agents.ParseCassette(path, src); err == nil {
			rec.cassette = *have
		}
	}
	if err != nil {
		return &RecordError{Err: err}
	}
	b.recording = rec
	return nil
}

// RecordError says that nothing can be recorded into the file that was named.
type RecordError struct{ Err error }

func (e *RecordError) Error() string { return fmt.Sprintf("record: %v", e.Err) }
func (e *RecordError) Unwrap() error { return e.Err }

// Hint says what the flag takes.
func (e *RecordError) Hint() string {
	return "--record takes a file that is not there yet, or the cassette of an earlier run; nothing was begun"
}

func (r *recording) write() error {
	data, err := r.cassette.YAML()
	if err != nil {
		return err
	}
	return writeWhole(r.path, data)
}

// recordCall adds what an agent did in its turn: the calls of tools that were answered, the files it wrote, what it used.
// A second answer to the same request takes the place of the first.
func (b *Bench) recordCall(ctx context.Context, dir string, t turn, h *handover) error {
	if b.recording == nil {
		return nil
	}
	answer := agents.CassetteCall{Step: string(t.step), Round: t.round, Task: t.task}
	calls, err := h.box.Recorded()
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	for _, call := range calls {
		answer.Tools = append(answer.Tools, agents.RecordedTool(call.Tool, call.Arguments))
	}
	if err := b.recordFiles(ctx, dir, h.code, &answer); err != nil {
		return err
	}
	if h.result.Text != "" {
		answer.Say = []string{h.result.Text}
	}
	answer.Usage = claimOf(h.result)
	if err := b.recording.add(answer, secretsOf(b.Environ)); err != nil {
		return fmt.Errorf("step %s is not in the recording: %w", t.step, err)
	}
	return nil
}

// add takes an answer in, or leaves the recording as it is.
func (r *recording) add(answer agents.CassetteCall, secrets []changes.Secret) error {
	with := agents.Cassette{Name: r.cassette.Name, Calls: slices.Clone(r.cassette.Calls)}
	with.Put(answer)
	data, err := with.YAML()
	if err != nil {
		return err
	}
	// Git takes names of files that a cassette refuses. With one of them nothing of the recording could be played.
	if _, err := agents.ParseCassette(r.cassette.Name, data); err != nil {
		return fmt.Errorf("it could not be read any more: %w", err)
	}
	// The commit will be refused for it. A recording is as easily passed on.
	for _, secret := range secrets {
		if bytes.Contains(data, []byte(secret.Value)) {
			return fmt.Errorf("it holds the value of %s", secret.Name)
		}
	}
	r.cassette = with
	return writeWhole(r.path, data)
}

func (b *Bench) recordFiles(ctx context.Context, dir string, code []gitops.FileChange, answer *agents.CassetteCall) error {
	if len(code) == 0 {
		return nil
	}
	objects, err := b.at(dir).Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, f := range code {
		switch {
		case f.NewID.IsZero():
			answer.Delete = append(answer.Delete, f.Path)
			continue
		case !f.NewMode.IsFile():
			b.Say.Warn(f.Path + " is a link or a submodule: a cassette holds files only")
			continue
		}
		content, err := objects.Blob(f.NewID)
		if err != nil {
			return fmt.Errorf("record %s: %w", f.Path, err)
		}
		answer.Write = append(answer.Write, agents.CassetteFile{
			Path: f.Path, Content: string(content), Executable: f.NewMode == gitops.ModeExecutable,
		})
	}
	return nil
}

// claimOf is what the agent said it used; nil where it said nothing.
func claimOf(result agents.Result) *agents.Claim {
	u := result.Usage
	model := u.Model
	if model == "" {
		model = result.Model
	}
	if !u.Known {
		return nil
	}
	count := func(n int64) *float64 { return new(float64(n)) }
	return &agents.Claim{In: count(u.In), Cached: count(u.Cached), CacheWrite: count(u.CacheWrite), Out: count(u.Out), USD: u.USD, Model: model}
}
