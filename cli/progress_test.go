package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
)

func newProgress(live, verbose bool) (*progress, *bytes.Buffer) {
	var b bytes.Buffer
	return &progress{w: &b, live: live, verbose: verbose, width: func() int { return 60 }, now: time.Now}, &b
}

func TestProgress_linesWithoutATerminal(t *testing.T) {
	p, b := newProgress(false, false)
	p.Note("add-oauth is proposed")
	p.Start("codex is challenging add-oauth (round 2)")
	p.Event("codex", agents.Event{Kind: agents.Text, Text: "thinking"})
	p.Event("codex", agents.Event{Kind: agents.Tool, Name: "append_review"})
	p.Event("codex", agents.Event{Kind: agents.Retry, Text: "provider is busy"})
	p.Done("codex challenged add-oauth: needs revision, 3 findings")
	p.Start("gemini is revising add-oauth")
	p.close(errors.New("it broke"))
	want := `add-oauth is proposed
- codex is challenging add-oauth (round 2)
! codex: provider is busy
✓ codex challenged add-oauth: needs revision, 3 findings
- gemini is revising add-oauth
X not finished: gemini is revising add-oauth
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgress_verboseTellsWhatAgentsDo(t *testing.T) {
	p, b := newProgress(false, true)
	p.Start("codex is challenging add-oauth (round 2)")
	p.Event("codex", agents.Event{Kind: agents.Text, Text: "thinking"})
	p.Event("codex", agents.Event{Kind: agents.Tool, Name: "append_review"})
	p.Done("codex challenged add-oauth")
	want := `- codex is challenging add-oauth (round 2)
  codex: thinking
  codex: uses append_review
✓ codex challenged add-oauth
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgress_liveLineHoldsTheFigures(t *testing.T) {
	p, b := newProgress(true, false)
	p.width = func() int { return 100 }
	p.Start("claude is implementing task 1.1 of add-oauth")
	p.Event("claude", agents.Event{Kind: agents.Tool, Name: "Read"})
	p.Event("claude", agents.Event{Kind: agents.Tool, Name: "Edit", Text: "auth.go"})
	p.Event("claude", agents.Event{Kind: agents.Spent, Usage: agents.Usage{In: 24_000, Out: 600, Known: true, USD: new(0.0123)}})
	lines := strings.Split(b.String(), "\r\x1b[2K")
	if got, want := lines[len(lines)-1], "- claude is implementing task 1.1 of add-oauth 2 tools, 24.6k tokens, $0.0123  uses Edit auth.go"; got != want {
		t.Errorf("the live line is %q, want %q", got, want)
	}
	p.Done("claude implemented task 1.1 of add-oauth")
	p.Start("codex is reviewing add-oauth")
	if got := b.String(); strings.Contains(got[strings.LastIndex(got, "codex is"):], "tool") {
		t.Errorf("the next agent's line begins with the figures of the one before: %q", got)
	}
}

// AG-08: what an agent says reaches the terminal as plain text on one line.
func TestProgress_foreignTextIsPlain_AG08(t *testing.T) {
	for _, live := range []bool{false, true} {
		p, b := newProgress(live, true)
		p.Start("codex\x1b]52;c;Zm9v\a is \u202echallenging")
		p.Event("codex", agents.Event{Kind: agents.Text, Text: "a\r\nb\x1b[2J\u009b31m\x00c"})
		p.Warn("w\x1b[31m\nX not finished")
		p.Done("d\x1b[0m")
		for line := range strings.Lines(strings.ReplaceAll(b.String(), "\r\x1b[2K", "")) {
			if text := strings.TrimSuffix(line, "\n"); strings.ContainsAny(text, "\x1b\x00\r\a\u009b\u202e") {
				t.Errorf("live %t: %q", live, line)
			}
			if strings.HasPrefix(line, "X") {
				t.Errorf("a newline in foreign text made a line of ours: %q", line)
			}
		}
	}
}

func TestProgress_liveLineIsRedrawnAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newProgress(true, false)
		p.Start("codex is challenging add-oauth (round 2)")
		time.Sleep(3*time.Second + time.Millisecond)
		p.Event("codex", agents.Event{Kind: agents.Text, Text: strings.Repeat("long ", 40)})
		p.Done("codex challenged add-oauth")
		redrawn := strings.Split(b.String(), "\r\x1b[2K")
		if !strings.Contains(b.String(), "(round 2) 3s") {
			t.Errorf("no time in %q", redrawn)
		}
		for _, line := range redrawn[:len(redrawn)-1] {
			if n := len([]rune(line)); n > 59 || strings.Contains(line, "\n") {
				t.Errorf("a live line of %d columns: %q", n, line)
			}
		}
		if last := redrawn[len(redrawn)-1]; last != "✓ codex challenged add-oauth\n" {
			t.Errorf("at the end: %q", last)
		}
		// A line that is printed meanwhile pushes the live one down and does not mix with it.
		b.Reset()
		p.Start("claude is implementing 1.1")
		p.Warn("claude wrote under agentd/: dropped")
		if !strings.Contains(b.String(), "\r\x1b[2K! claude wrote under agentd/: dropped\n\r\x1b[2K- claude is implementing 1.1") {
			t.Errorf("%q", b.String())
		}
		p.pause()
		if !strings.HasSuffix(b.String(), "\r\x1b[2K") {
			t.Errorf("the live line stays: %q", b.String())
		}
	})
}

// NC-07: while a provider is overloaded, the live line counts down to the next attempt.
func TestProgress_countsDownToARetry_NC07(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newProgress(true, false)
		p.Start("codex is challenging add-oauth")
		p.Wait(time.Now().Add(3 * time.Second))
		time.Sleep(4*time.Second + time.Millisecond)
		p.Done("codex challenged add-oauth")
		want := []string{
			"", "- codex is challenging add-oauth", "- codex is challenging add-oauth again in 3s", "- codex is challenging add-oauth again in 2s",
			"- codex is challenging add-oauth again in 1s, 2s", "- codex is challenging add-oauth 3s", "- codex is challenging add-oauth 4s",
			"✓ codex challenged add-oauth\n",
		}
		if diff := cmp.Diff(want, strings.Split(b.String(), "\r\x1b[2K")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0s", 4200 * time.Millisecond: "4s", 130 * time.Second: "2m10s", 65 * time.Minute: "1h5m",
	} {
		if got := duration(d); got != want {
			t.Errorf("duration(%v) = %s, want %s", d, got, want)
		}
	}
}
