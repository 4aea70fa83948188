package inbox

import (
	"context"
	"encoding/json"

	"github.com/agentd/gh-agentd/specs"
)

// Source is where a [View] reads a change from.
type Source interface {
	// Files returns the change's folder, names relative to it.
	Files(ctx context.Context) (map[string][]byte, error)
	// ChangedFiles returns the files outside agentd/ that the change touches.
	ChangedFiles(ctx context.Context) ([]string, error)
}

// View serves the read-only tools on a change without a run:
// what a person's own agent session gets. It never writes.
type View struct {
	Change     string // required
	Source     Source // required
	Validation specs.ValidateOptions
}

// Tools returns the names of the read-only tools.
func (v View) Tools() []string { return ToolsFor("") }

// Call runs one read-only tool, under the rules of [Box.Call].
func (v View) Call(ctx context.Context, tool string, args json.RawMessage) (Reply, error) {
	reply, err := v.serve(ctx, tool, args)
	if ctx.Err() != nil {
		return Reply{}, ctx.Err()
	}
	return reply, named(tool, err)
}

func (v View) serve(ctx context.Context, tool string, args json.RawMessage) (Reply, error) {
	arguments, err := prepare(v.Change, "", v.Tools(), tool, args)
	if err != nil {
		return Reply{}, err
	}
	if tool == toolListChangedFiles {
		files, err := v.Source.ChangedFiles(ctx)
		if err != nil {
			return Reply{}, err
		}
		return changedFilesReply(files), nil
	}
	files, err := v.Source.Files(ctx)
	if err != nil {
		return Reply{}, err
	}
	lib := library{change: v.Change, files: files, validation: v.Validation}
	if tool == toolReadFile {
		return lib.readFile(arguments)
	}
	return readOnly(tool, lib, arguments)
}
