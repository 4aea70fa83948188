package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/mcp"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// client speaks raw lines to a server.
// Every byte that the server writes must be part of a line of JSON (MC-16): the driver fails the test otherwise.
type client struct {
	t       *testing.T
	in      io.WriteCloser
	answers chan message
	done    chan error // what Serve returned, or how the process ended
	id      int
}

// message is one line of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// start serves opts in this process; In and Out of opts are the driver's.
func start(t *testing.T, opts mcp.Options) *client {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	opts.In, opts.Out, opts.Version = inRead, outWrite, "test"
	ctx, cancel := context.WithCancel(t.Context())
	c := &client{t: t, in: inWrite, answers: make(chan message, 1024), done: make(chan error, 1)}
	go func() {
		c.done <- mcp.Serve(ctx, opts)
		outWrite.Close()
	}()
	read := make(chan struct{})
	go func() { defer close(read); c.readAnswers(outRead) }()
	t.Cleanup(func() {
		inWrite.Close()
		cancel()
		<-read
	})
	return c
}

// readAnswers takes the server's output apart, and insists that it is nothing but lines of JSON.
func (c *client) readAnswers(out io.Reader) {
	defer close(c.answers)
	reader := bufio.NewReader(out)
	for {
		text, err := reader.ReadString('\n')
		if err != nil {
			if text != "" {
				c.t.Errorf("output ends with half a line: %.200q", text)
			}
			return
		}
		m := message{raw: text}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			c.t.Errorf("output is no JSON: %.200q", text)
			continue
		}
		if !strings.HasPrefix(text, `{"jsonrpc":"2.0"`) {
			c.t.Errorf("output is no JSON-RPC: %.200q", text)
		}
		c.answers <- m
	}
}

// send writes one line.
func (c *client) send(format string, args ...any) {
	c.t.Helper()
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if _, err := io.WriteString(c.in, text+"\n"); err != nil {
		c.t.Fatalf("send %.100q: %v", text, err)
	}
}

// receive returns the next line of the server.
func (c *client) receive() message {
	c.t.Helper()
	select {
	case m, ok := <-c.answers:
		if !ok {
			c.t.Fatal("the server has ended")
		}
		return m
	case <-time.After(patience):
		c.t.Fatal("no answer")
	}
	panic("unreachable")
}

// silent fails if the server says anything within a moment.
func (c *client) silent() {
	c.t.Helper()
	select {
	case m, ok := <-c.answers:
		if ok {
			c.t.Errorf("unexpected answer %s", m.raw)
		}
	case <-time.After(50 * time.Millisecond):
	}
}

// initialize shakes hands in a version of the protocol.
func (c *client) initialize(version string) message {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"driver","version":"1"}}}`, version)
	answer := c.receive()
	if string(answer.ID) != `"init"` || answer.Error != nil {
		c.t.Fatalf("initialize: %s", answer.raw)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// sendCall calls a tool without waiting, and returns the id of the request.
func (c *client) sendCall(tool, args string) int {
	c.t.Helper()
	c.id++
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.id, tool, args)
	return c.id
}

// call calls a tool and returns its text, and whether it is an error for the model.
func (c *client) call(tool, args string) (text string, isError bool) {
	c.t.Helper()
	id := c.sendCall(tool, args)
	answer := c.receive()
	if string(answer.ID) != fmt.Sprint(id) {
		c.t.Fatalf("answer to %d is %s", id, answer.raw)
	}
	return toolResult(c.t, answer)
}

// works fails unless an ordinary call succeeds: the server is alive and well.
func (c *client) works() {
	c.t.Helper()
	if text, isError := c.call("list_specs", "{}"); isError {
		c.t.Fatalf("list_specs: %s", text)
	}
}

func toolResult(t *testing.T, answer message) (text string, isError bool) {
	t.Helper()
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if answer.Error != nil || json.Unmarshal(answer.Result, &result) != nil || len(result.Content) != 1 || result.Content[0].Type != "text" {
		t.Fatalf("no result of a tool: %s", answer.raw)
	}
	return result.Content[0].Text, result.IsError
}

// wantError fails unless an answer is an error of the protocol.
func wantError(t *testing.T, answer message, id string, code int, part string) {
	t.Helper()
	if answer.Error == nil || answer.Error.Code != code || string(answer.ID) != id || !strings.Contains(answer.Error.Message, part) {
		t.Errorf("answer is %.300s\nwant error %d for id %s with %q", answer.raw, code, id, part)
	}
}

// ended fails unless the server ends within a second, and returns what it ended with.
func (c *client) ended() error {
	c.t.Helper()
	began := time.Now()
	select {
	case err := <-c.done:
		if took := time.Since(began); took > time.Second {
			c.t.Errorf("the server took %v to end", took)
		}
		return err
	case <-time.After(patience):
		c.t.Fatal("the server does not end")
	}
	return nil
}

// created is the time that drafts of these tests bear.
var created = time.Date(2026, 1, 19, 10, 45, 0, 0, time.UTC)

// box makes a run folder for a step.
func box(t *testing.T, step string) *inbox.Box {
	t.Helper()
	return boxOf(t, inbox.Run{Change: "add-oauth", Step: step, Role: "agent", Author: "gemini", Created: created})
}

func boxOf(t *testing.T, run inbox.Run) *inbox.Box {
	t.Helper()
	b, err := inbox.Create(filepath.Join(t.TempDir(), "run"), run, map[string][]byte{
		"STATE.yaml":    []byte("change_id: add-oauth\nphase: proposed\n"),
		"proposal.md":   []byte(proposalMD),
		"specs/auth.md": []byte(authMD),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const proposalMD = `---
id: add-oauth
type: proposal
version: 1
status: proposed
iteration: 1
summary: "Sign in"
impact:
  scope: minor
affected_specs:
  - id: auth
    path: specs/auth.md
---

# Change: add-oauth

## Summary

Sign in with OAuth.

## Why

Passwords are asked for too often.

## What Changes

- A sign-in page.

## Impact

- **Scope**: minor
`

const authMD = `# Specification: Sign in

## Overview

Who may come in.

## Requirements

### R1: Start

The system SHALL send the person to the provider.

## Acceptance Criteria

### Scenario: R1 start

- **WHEN** a person signs in
- **THEN** the provider is asked
`
