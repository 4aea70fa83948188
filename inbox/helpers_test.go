package inbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agentd/gh-agentd/inbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// proposalMD is the proposal that the change of these tests has: it affects the specs auth and tokens.
const proposalMD = `---
id: add-oauth
type: proposal
version: 1
created_at: 2026-01-19T10:30:00Z
updated_at: 2026-01-19T10:30:00Z
author: gemini
status: proposed
iteration: 1
summary: "Sign in with OAuth"
impact:
  scope: minor
  affected_files: 3
  new_files: 1
affected_specs:
  - id: auth
    path: specs/auth.md
  - id: tokens
    path: specs/tokens.md
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
- **Affected Files**: ~3
- **New Files**: ~1
- Affected specs: ` + "`auth`, `tokens`" + `
`

const authMD = `---
id: auth
type: spec
title: "Sign in"
version: 1
---

# Specification: Sign in

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

// files is the change's folder that most tests start from.
func files() map[string][]byte {
	return map[string][]byte{
		"STATE.yaml":    []byte("change_id: add-oauth\nschema_version: \"2.0\"\nphase: proposed\n"),
		"proposal.md":   []byte(proposalMD),
		"specs/auth.md": []byte(authMD),
		"CHALLENGE.md":  []byte("# Challenge: add-oauth\n"),
	}
}

// created is the time that every draft of these tests bears.
var created = time.Date(2026, 1, 19, 10, 45, 0, 0, time.UTC)

// box makes a run folder for a step over files().
func box(t testing.TB, step string) *inbox.Box {
	t.Helper()
	return boxOf(t, inbox.Run{Change: "add-oauth", Step: step, Role: "author", Author: "gemini", Created: created}, files())
}

func boxOf(t testing.TB, run inbox.Run, files map[string][]byte) *inbox.Box {
	t.Helper()
	b, err := inbox.Create(filepath.Join(t.TempDir(), "run"), run, files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// object is the arguments of a call, written in Go.
type object = map[string]any

// call calls a tool that must succeed.
func call(t testing.TB, b *inbox.Box, tool string, args object) inbox.Reply {
	t.Helper()
	reply, err := b.Call(t.Context(), tool, encode(t, args))
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return reply
}

// refused calls a tool that must be refused, and returns what the model is told.
func refused(t testing.TB, b *inbox.Box, tool string, args any) string {
	t.Helper()
	raw, ok := args.(string)
	if !ok {
		raw = string(encode(t, args))
	}
	_, err := b.Call(t.Context(), tool, json.RawMessage(raw))
	refusal, ok := errors.AsType[*inbox.ToolError](err)
	if !ok {
		t.Fatalf("%s(%.200s) = %v, want a refusal", tool, raw, err)
	}
	if refusal.Tool != tool {
		t.Errorf("refusal names tool %q, want %q", refusal.Tool, tool)
	}
	return refusal.Text
}

func encode(t testing.TB, args any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// file returns one file of the change as it is now.
func file(t testing.TB, b *inbox.Box, name string) string {
	t.Helper()
	files, err := b.Files()
	if err != nil {
		t.Fatal(err)
	}
	data, ok := files[name]
	if !ok {
		t.Fatalf("%s does not exist", name)
	}
	return string(data)
}

// unchanged fails if the change's folder is not what it was.
func unchanged(t testing.TB, b *inbox.Box, before map[string][]byte) {
	t.Helper()
	now, err := b.Files()
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(before, now, func(x, y []byte) bool { return string(x) == string(y) }) {
		t.Errorf("the change's folder was touched")
	}
}

func wantText(t testing.TB, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("text %q does not contain %q", got, part)
		}
	}
}

// hashOf reads a file through the tool and returns its hash.
func hashOf(t testing.TB, b *inbox.Box, path string) string {
	t.Helper()
	reply := call(t, b, "read_file", object{"path": path})
	for line := range strings.Lines(reply.Text) {
		if hash, ok := strings.CutPrefix(line, "hash: "); ok {
			return strings.TrimSpace(hash)
		}
	}
	t.Fatalf("no hash in %q", reply.Text)
	return ""
}

func cancelled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func proposal() object {
	return object{
		"change_id":    "add-oauth",
		"summary":      "Sign in with OAuth.",
		"why":          "Passwords are asked for too often.",
		"what_changes": []string{"A sign-in page", "A token store"},
		"impact": object{
			"scope": "minor", "affected_specs": []string{"auth", "tokens"}, "affected_files": 3,
			"affected_code": []string{"internal/auth"}, "breaking_changes": "",
		},
	}
}

func spec(id string) object {
	return object{
		"spec_id": id, "title": "Sign in", "overview": "Who may come in, and how.",
		"requirements": []object{
			{"id": "R1", "title": "Start", "description": "The system SHALL send the person to the provider.", "priority": "high"},
		},
		"scenarios": []object{
			{"name": "start", "given": "a person without a session", "when": "they sign in", "then": []string{"the provider is asked"}, "requirement": "R1"},
		},
	}
}

func tasks(n int) object {
	var list []object
	for i := range n {
		list = append(list, object{
			"layer": "logic", "number": i + 1, "title": "Write the handler",
			"file":     object{"path": "internal/auth/handler.go", "action": "MODIFY"},
			"spec_ref": "auth#R1", "description": "Send the person to the provider.",
		})
	}
	return object{"tasks": list}
}

func challenge(verdict, severity string) object {
	args := object{"verdict": verdict, "summary": "The plan was read.", "findings": []object{}}
	if severity != "" {
		args["findings"] = []object{{
			"severity": severity, "description": "The state parameter is not checked.",
			"suggestion": "Check it.", "spec_ref": "auth#R1",
		}}
	}
	return args
}
