package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/internal/proc"
)

// tools starts the MCP server, makes the recorded calls, and ends it.
func (p *player) tools(ctx context.Context, calls []CassetteTool) (err error) {
	if len(calls) == 0 {
		return nil
	}
	session, server, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		_ = session.Close() // the server's own end, just below, says more
		if closeErr := server.Close(); closeErr != nil && err == nil {
			err = fmt.Errorf("end the tool server: %w", closeErr)
		}
	}()
	read := hashes{}
	for _, call := range calls {
		call.Arguments = read.complete(call)
		if err := p.call(ctx, session, call, read); err != nil {
			return fmt.Errorf("%w%s", err, complaint(server))
		}
	}
	return nil
}

func (p *player) connect(ctx context.Context) (*mcp.ClientSession, *proc.Process, error) {
	o := p.options
	if o.Tools.Command == "" {
		return nil, nil, errors.New("the call uses tools, and no tool server was given")
	}
	path, err := proc.Look(o.Tools.Command, lookup(o.Environ, "PATH"))
	if err != nil {
		return nil, nil, fmt.Errorf("find the tool server: %w", err)
	}
	server, err := proc.Start(ctx, proc.Cmd{
		Path: path, Args: o.Tools.Args, Dir: o.Dir, Env: lastWins(append(o.Environ[:len(o.Environ):len(o.Environ)], o.Tools.Env...)),
		Limits: proc.Limits{Grace: 5 * time.Second},
	})
	if err != nil {
		return nil, nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "agentd-replay", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: server.Stdout, Writer: server.Stdin}, nil)
	if err != nil {
		closeErr := server.Close()
		return nil, nil, errors.Join(fmt.Errorf("connect to the tool server: %w%s", err, complaint(server)), closeErr)
	}
	return session, server, nil
}

// call makes one call and compares the answer's kind with what was recorded.
func (p *player) call(ctx context.Context, session *mcp.ClientSession, call CassetteTool, read hashes) error {
	if err := p.emit(wireEvent{Type: wireTool, Name: call.Name}); err != nil {
		return err
	}
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
	if err != nil {
		return fmt.Errorf("tool %s: %w", call.Name, err)
	}
	read.remember(answer.StructuredContent)
	text := answerText(answer)
	ok := !answer.IsError
	if err := p.emit(wireEvent{Type: wireToolDone, Name: call.Name, OK: &ok, Text: text}); err != nil {
		return err
	}
	switch {
	case answer.IsError && !call.ExpectError:
		return fmt.Errorf("tool %s refused: %s", call.Name, text)
	case !answer.IsError && call.ExpectError:
		return fmt.Errorf("tool %s was expected to refuse and answered: %s", call.Name, text)
	}
	return nil
}

// answerText is what a tool said in words, cut to what an event may carry.
func answerText(answer *mcp.CallToolResult) string {
	var texts []string
	for _, content := range answer.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	text := strings.Join(texts, "\n")
	const longest = 4000
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

// complaint is the last thing that a server said on standard error, to be put behind an error.
func complaint(server *proc.Process) string {
	if last := lastWords(string(server.Stderr())); last != "" {
		return " (the tool server says: " + last + ")"
	}
	return ""
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
