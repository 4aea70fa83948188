package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agentd/gh-agentd/internal/confine"
)

// PlayOptions say which call of a cassette to play, and on what.
type PlayOptions struct {
	Cassette     []byte // required: the file's content
	CassetteName string // its name, for messages
	Step         string // required
	Round        int
	Task         string
	Change       string
	// Dir is the folder that files are written to and deleted from; nothing outside it is touched.
	Dir string
	// Tools is the MCP server to call; without Command there is none.
	Tools ToolServer
	// Out receives the events that [NewJSONLCodec] reads.
	Out io.Writer // required
	// Environ is the environment of the MCP server, and has the PATH to find it on.
	Environ []string
}

// PlayedExit says that the cassette wants the program to end with this exit status.
type PlayedExit struct{ Code int }

func (e *PlayedExit) Error() string {
	return fmt.Sprintf("the cassette ends with exit status %d", e.Code)
}

// Play plays one call of a cassette: the body of the replay command.
//
// It fails loudly: without a call for the request, when a tool refuses that was expected to answer,
// and when one answers that was expected to refuse. A failure is printed as an event too.
// A call with an exit status ends in [*PlayedExit].
func Play(ctx context.Context, o PlayOptions) error {
	p := &player{options: o, out: json.NewEncoder(o.Out)}
	err := p.play(ctx)
	if _, wanted := errors.AsType[*PlayedExit](err); err != nil && !wanted {
		return errors.Join(err, p.emit(wireEvent{Type: wireError, Kind: Failed.String(), Text: err.Error()}))
	}
	return err
}

type player struct {
	options PlayOptions
	out     *json.Encoder
}

func (p *player) play(ctx context.Context) error {
	o := p.options
	cassette, err := ParseCassette(o.CassetteName, o.Cassette)
	if err != nil {
		return err
	}
	call, err := cassette.Find(o.Step, o.Round, o.Task)
	if err != nil {
		return err
	}
	at := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s:%d: %w", o.CassetteName, call.Line, err)
	}
	start := wireEvent{Type: wireStart, Session: "replay", Model: "replay"}
	if call.Usage != nil && call.Usage.Model != "" {
		start.Model = call.Usage.Model
	}
	if err := p.emit(start); err != nil {
		return err
	}
	if err := pause(ctx, call.Sleep); err != nil {
		return err
	}
	if err := at(p.files(call)); err != nil {
		return err
	}
	if err := at(p.tools(ctx, call.Tools)); err != nil {
		return err
	}
	return p.close(call)
}

// files writes and deletes inside the working directory. To delete a file that is gone is no error:
// the call may be played a second time on what it has left.
func (p *player) files(call CassetteCall) error {
	if len(call.Write)+len(call.Delete) == 0 {
		return nil
	}
	if p.options.Dir == "" {
		return errors.New("the call writes files, and no folder was given")
	}
	root, err := confine.Open(p.options.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range call.Delete {
		if err := root.Remove(name); err != nil && !isNotExist(err) {
			return err
		}
	}
	for _, file := range call.Write {
		// A folder that the deleted files have left empty may be where a file comes; any other stays, and the write says so.
		if _, err := root.RemoveFolder(file.Path); err != nil && !isNotExist(err) {
			return err
		}
		if err := root.WriteExact(file.Path, []byte(file.Content), file.Executable); err != nil {
			return err
		}
	}
	return nil
}

// close says what the cassette says, and how it ended.
func (p *player) close(call CassetteCall) error {
	for _, text := range call.Say {
		if err := p.emit(wireEvent{Type: wireText, Text: text}); err != nil {
			return err
		}
	}
	if u := call.Usage; u != nil {
		err := p.emit(wireEvent{Type: wireUsage, In: u.In, Cached: u.Cached, CacheWrite: u.CacheWrite, Out: u.Out, USD: u.USD, Model: u.Model})
		if err != nil {
			return err
		}
	}
	if call.Exit != 0 {
		return &PlayedExit{Code: call.Exit}
	}
	return p.emit(wireEvent{Type: wireDone})
}

func (p *player) emit(e wireEvent) error {
	if err := p.out.Encode(e); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
