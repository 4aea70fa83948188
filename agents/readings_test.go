package agents_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentd/gh-agentd/agents"
)

// What is read from a run with two turns of tools: one of ours that answers, one that refuses, and what is not allowed.
func TestVendors_recordedTools(t *testing.T) {
	for _, row := range []struct {
		file string
		want agents.Result
	}{
		{"gemini/tools", agents.Result{
			Text: "The proposal is written.", Model: "gemini-3-flash-preview",
			// The server counted 3 × (1000 in, 400 of them cached, 100 out of which 20 thinking).
			Usage: agents.Usage{In: 3000, Cached: 1200, Out: 300, Known: true, Model: "gemini-3-flash-preview"},
			Tools: []agents.ToolCall{
				{Name: "create_proposal", OK: true, Message: "wrote proposal.md"},
				{Name: "read_file", OK: true},
				{Name: "create_proposal", Message: "refused: bad summary"},
				{Name: "write_file", Message: `Tool "write_file" not found. Did you mean one of: "read_file", "grep_search", "glob"?`},
			},
			Denied: []string{`write_file: Tool "write_file" not found. Did you mean one of: "read_file", "grep_search", "glob"?`},
		}},
		{"codex/tools", agents.Result{
			Text: "The proposal is written.", Model: "sonnet",
			Usage: agents.Usage{In: 3000, Cached: 1200, Out: 300, Known: true, Model: "sonnet"},
			Tools: []agents.ToolCall{
				{Name: "create_proposal", OK: true, Message: "wrote proposal.md"},
				{Name: "shell", OK: true, Message: "# demo"},
				{Name: "create_proposal", Message: "refused: bad summary"},
				{Name: "shell", Message: "touch: cannot touch 'x.txt': Read-only file system"},
			},
		}},
		{"claude/tools", agents.Result{
			Text: "The proposal is written.", Model: "claude-sonnet-5-5",
			Usage: agents.Usage{In: 3000, Cached: 1200, Out: 300, Known: true, Model: "claude-sonnet-5-5", USD: new(0.00672)},
			Tools: []agents.ToolCall{
				{Name: "create_proposal", OK: true, Message: "wrote proposal.md"},
				{Name: "Read", OK: true, Message: "1\t# demo\n2"},
				{Name: "create_proposal", Message: "refused: bad summary"},
				{Name: "Write", Message: "<tool_use_error>Error: No such tool available: Write. Write is disabled for this session, in subagents as well as here.</tool_use_error>"},
			},
			Denied: []string{"Write"},
		}},
		{"claude/write", agents.Result{
			Text: "Done.", Model: "claude-sonnet-5-5",
			Usage:  agents.Usage{In: 2000, Cached: 800, Out: 200, Known: true, Model: "claude-sonnet-5-5", USD: new(0.00448)},
			Denied: []string{"Write /home/ada/outside.txt", "Write /srv/shortener/.claude/settings.json"},
		}},
	} {
		t.Run(row.file, func(t *testing.T) {
			vendor, _, _ := strings.Cut(row.file, "/")
			h := hear(t, vendor, recordedRequest(t), readRecording(t, filepath.Join("testdata", row.file+".txtar")))
			if h.err != nil {
				t.Fatal(h.err)
			}
			options := cmp.Options{cmpopts.IgnoreFields(agents.Result{}, "Session"), cmpopts.EquateApprox(0, 1e-9)}
			if row.want.Tools == nil {
				options = append(options, cmpopts.IgnoreFields(agents.Result{}, "Tools"))
			}
			if diff := cmp.Diff(row.want, h.result, options); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			open := 0
			for _, e := range h.events {
				switch e.Kind {
				case agents.Tool:
					open++
				case agents.ToolDone:
					open--
				}
			}
			if open != 0 || h.events[0].Kind != agents.Started {
				t.Errorf("%d tools are left open; first event %s", open, h.events[0].Kind)
			}
		})
	}
}

// The second run of a session counts only what it used itself: each server answered once, with 1000 in and 100 out.
func TestVendors_resumedUsageIsOfThisRunOnly(t *testing.T) {
	for _, row := range []struct {
		vendor string
		base   agents.Usage // as the first run returned it
		known  bool
		usd    *float64
		next   agents.Usage
	}{
		{"gemini", agents.Usage{}, true, nil, agents.Usage{}},
		{"codex", agents.Usage{In: 3000, Cached: 1200, Out: 300, Known: true}, true, nil, agents.Usage{In: 4000, Cached: 1600, Out: 400, Known: true, Model: "sonnet"}},
		{"codex", agents.Usage{}, false, nil, agents.Usage{In: 4000, Cached: 1600, Out: 400, Known: true, Model: "sonnet"}},
		{"claude", agents.Usage{USD: new(0.00672)}, true, new(0.00224), agents.Usage{USD: new(0.00896)}},
		{"claude", agents.Usage{}, true, new(0.00224), agents.Usage{USD: new(0.00896)}}, // it says so itself
	} {
		r := recordedRequest(t)
		rec := readRecording(t, filepath.Join("testdata", row.vendor, "resumed.txtar"))
		r.Session = sessionOf(r, row.base)
		h := hear(t, row.vendor, r, rec)
		if h.err != nil {
			t.Fatal(h.err)
		}
		want := agents.Usage{Model: h.result.Usage.Model, USD: row.usd}
		if row.known {
			want.In, want.Cached, want.Out, want.Known = 1000, 400, 100, true
		}
		near := cmpopts.EquateApprox(0, 1e-9)
		if diff := cmp.Diff(want, h.result.Usage, near); diff != "" {
			t.Errorf("%s with %+v (-want +got):\n%s", row.vendor, row.base, diff)
		}
		if diff := cmp.Diff(row.next, h.result.Session.Base, near); diff != "" {
			t.Errorf("%s keeps for the next run (-want +got):\n%s", row.vendor, diff)
		}
	}
}

// An older Claude that does not account for the run leaves only the difference of totals, or nothing.
func TestVendors_claudeCostIsADifference(t *testing.T) {
	rec := readRecording(t, filepath.Join("testdata", "claude", "resumed.txtar"))
	rec.stdout = strings.ReplaceAll(rec.stdout, "model_usage_since_last_result", "something_else")
	for _, row := range []struct{ base, want *float64 }{{new(0.00672), new(0.00224)}, {nil, nil}, {new(1.0), nil}} {
		r := recordedRequest(t)
		r.Session = sessionOf(r, agents.Usage{USD: row.base})
		h := hear(t, "claude", r, rec)
		if diff := cmp.Diff(row.want, h.result.Usage.USD, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
