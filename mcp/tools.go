package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/inbox"
)

// caller is what stands behind the tools: a box, or a view of a change without a run.
type caller interface {
	Tools() []string
	Call(ctx context.Context, tool string, args json.RawMessage) (inbox.Reply, error)
}

// toolset is what one server offers.
type toolset struct {
	caller caller
	names  []string
	change string
	step   string
}

// tools chooses the box or the view.
func (o Options) tools() (toolset, error) {
	if o.Box != nil {
		run := o.Box.Run()
		return toolset{caller: o.Box, names: run.Tools(), change: run.Change, step: run.Step}, nil
	}
	if o.Reader == nil || o.Change == "" {
		return toolset{}, errors.New("serve MCP: neither a run nor a change to read")
	}
	view := inbox.View{Change: o.Change, Source: o.Reader, Validation: o.Validation}
	return toolset{caller: view, names: view.Tools(), change: o.Change}, nil
}

// instructions tell a model in two sentences where it is.
func (t toolset) instructions() string {
	if t.step == "" {
		return fmt.Sprintf("These tools read the agentd change %q. They change nothing.", t.change)
	}
	return fmt.Sprintf("These tools serve step %q of the agentd change %q. "+
		"Hand your result over by calling them: text in your answer is not read.", t.step, t.change)
}

// register adds the tools and the guard around them.
func (t toolset) register(server *sdk.Server, log *slog.Logger) {
	for _, name := range t.names {
		tool, ok := inbox.Describe(name)
		if !ok {
			continue
		}
		server.AddTool(describe(tool), t.handle(log))
	}
	server.AddReceivingMiddleware(guard(log), t.refuseOthers)
}

// describe turns a tool into its wire form.
// Clients that run without a person let a tool through
// if it is read-only, or neither destructive nor open to the world: ours are all one or the other.
func describe(tool inbox.Tool) *sdk.Tool {
	no := false
	annotations := &sdk.ToolAnnotations{Title: tool.Title, DestructiveHint: &no, OpenWorldHint: &no}
	if tool.ReadOnly {
		annotations.ReadOnlyHint, annotations.IdempotentHint = true, true
	}
	return &sdk.Tool{
		Name:        tool.Name,
		Title:       tool.Title,
		Description: tool.Description,
		InputSchema: inbox.Schema(tool.Name),
		Annotations: annotations,
	}
}

// handle runs a listed tool.
func (t toolset) handle(log *slog.Logger) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		reply, err := t.caller.Call(ctx, request.Params.Name, request.Params.Arguments)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			return &sdk.CallToolResult{Content: text(reply.Text), StructuredContent: reply.Structured}, nil
		}
		if _, ok := errors.AsType[*inbox.ToolError](err); !ok {
			log.Error("tool failed", "tool", request.Params.Name, "error", err)
		}
		return &sdk.CallToolResult{Content: text(err.Error()), IsError: true}, nil
	}
}

func text(s string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: s}} }

// refuseOthers answers calls of tools that are not listed.
// They go to the caller too: it knows why not, counts the call and records it.
func (t toolset) refuseOthers(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		call, ok := request.(*sdk.CallToolRequest)
		if !ok || slices.Contains(t.names, call.Params.Name) {
			return next(ctx, method, request)
		}
		_, err := t.caller.Call(ctx, call.Params.Name, call.Params.Arguments)
		if err == nil {
			err = fmt.Errorf("unknown tool %q", call.Params.Name)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
}

// guard turns a panic into an answer. The stack goes to the log; the next call works.
func guard(log *slog.Logger) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
			defer func() {
				cause := recover()
				if cause == nil {
					return
				}
				log.Error("panic in the MCP server", "method", method, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
				result, err = afterPanic(request)
			}()
			return next(ctx, method, request)
		}
	}
}

// afterPanic is a tool error where a tool was called, so that the model sees it, and an error of the protocol elsewhere.
func afterPanic(request sdk.Request) (sdk.Result, error) {
	const message = "this is a bug of agentd: the call was not carried out; details are in the log of the run"
	if _, ok := request.(*sdk.CallToolRequest); ok {
		return &sdk.CallToolResult{Content: text(message), IsError: true}, nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: message}
}
