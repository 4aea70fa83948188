package inbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/inbox"
)

func TestBox_Call_concurrentEdits_MC12(t *testing.T) {
	const writers = 64
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "proposal-review", Created: created, MaxCalls: 100_000}, files())
	second, err := inbox.Open(b.Dir()) // as another process has it
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range writers {
		box := []*inbox.Box{b, second}[i%2]
		wg.Go(func() { appendLine(t, box, fmt.Sprintf("- change %d\n", i)) })
	}
	wg.Wait()

	got := file(t, b, "proposal.md")
	for i := range writers {
		if n := strings.Count(got, fmt.Sprintf("- change %d\n", i)); n != 1 {
			t.Errorf("change %d is there %d times", i, n)
		}
	}
}

// appendLine adds a line as a patient agent does: read, edit, and read again on a conflict.
func appendLine(t *testing.T, b *inbox.Box, line string) {
	for {
		reply, err := b.Call(t.Context(), "read_file", json.RawMessage(`{"path":"proposal.md"}`))
		if err != nil {
			t.Error(err)
			return
		}
		_, rest, _ := strings.Cut(reply.Text, "hash: ")
		hash, _, _ := strings.Cut(rest, "\n")
		args := object{"path": "proposal.md", "hash": hash, "find": "## Impact\n", "replace": line + "## Impact\n"}
		_, err = b.Call(t.Context(), "edit_file", encode(t, args))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "conflict: proposal.md changed since it was read") {
			t.Error(err)
			return
		}
	}
}

func TestBox_Call_concurrentVerdicts_MC12(t *testing.T) {
	b := box(t, "challenge")
	var wg sync.WaitGroup
	outcomes := make(chan error, 64)
	for i := range cap(outcomes) {
		verdict := []string{"NEEDS_REVISION", "REJECTED"}[i%2]
		wg.Go(func() {
			_, err := b.Call(t.Context(), "append_review", encode(t, challenge(verdict, "HIGH")))
			outcomes <- err
		})
	}
	wg.Wait()
	close(outcomes)
	taken := 0
	for err := range outcomes {
		if err == nil {
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("%d verdicts were taken", taken)
	}
}

func TestBox_Call_cancelledWritesNothing_MC13(t *testing.T) {
	b := box(t, "proposal-gen")
	if _, err := b.Call(cancelled(t), "create_proposal", encode(t, proposal())); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	unchanged(t, b, files())
	if calls, err := b.Calls(); err != nil || len(calls) != 0 {
		t.Errorf("calls %v, %v", calls, err)
	}
}

func TestBox_Call_cancelledWhileItWaits_MC13(t *testing.T) {
	b := box(t, "proposal-gen")
	hold, err := inbox.HoldLock(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	other, err := inbox.Open(b.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Call(ctx, "create_proposal", encode(t, proposal())); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	hold()
	unchanged(t, b, files())
	call(t, other, "create_proposal", proposal())
}

func TestBox_Call_budget_MC19(t *testing.T) {
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "challenge", Created: created, MaxCalls: 3}, files())
	call(t, b, "list_specs", object{})
	refused(t, b, "read_file", object{"path": "../x"}) // refused calls count
	call(t, b, "list_specs", object{})
	if b.Exhausted() {
		t.Error("exhausted before the limit")
	}
	for range 5 {
		wantText(t, refused(t, b, "append_review", challenge("APPROVED", "")), "call budget used up", "3 calls")
	}
	if !b.Exhausted() {
		t.Error("the run's holder is not told")
	}
	if _, ok, _ := b.Verdict(); ok {
		t.Error("a verdict beyond the budget was taken")
	}
	calls, err := b.Calls()
	if err != nil || len(calls) != 4 {
		t.Fatalf("%d records, %v; want the three calls and the first one too many", len(calls), err)
	}
	if c := calls[1]; c.Tool != "read_file" || c.OK || !strings.Contains(c.Error, "outside the change folder") || c.Time.IsZero() {
		t.Errorf("record is %+v", c)
	}
	if c := calls[2]; c.Tool != "list_specs" || !c.OK || c.Error != "" {
		t.Errorf("record is %+v", c)
	}
}

func TestBox_Call_defaultBudget_MC19(t *testing.T) {
	b := box(t, "challenge")
	for range inbox.DefaultMaxCalls {
		call(t, b, "list_specs", object{})
	}
	wantText(t, refused(t, b, "list_specs", object{}), "call budget used up", "200 calls")
}

func TestBox_Calls_areBounded(t *testing.T) {
	b := box(t, "challenge")
	long := strings.Repeat("x\n", 10_000)
	refused(t, b, "read_file", object{"path": long})
	refused(t, b, long, object{})
	info, err := os.Stat(filepath.Join(b.Dir(), "calls.jsonl"))
	if err != nil || info.Size() > 2000 {
		t.Errorf("calls.jsonl has %d bytes, %v", info.Size(), err)
	}
	calls, err := b.Calls()
	if err != nil || len(calls) != 2 || strings.Contains(calls[0].Error, "\n") {
		t.Errorf("calls are %+v, %v", calls, err)
	}
}

func TestBox_Calls_survivesHalfALine_MC15(t *testing.T) {
	b := box(t, "challenge")
	call(t, b, "list_specs", object{})
	path := filepath.Join(b.Dir(), "calls.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, whole[:10]...), 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, b, "list_specs", object{})
	calls, err := b.Calls()
	if err != nil || len(calls) != 2 {
		t.Errorf("%d calls, %v", len(calls), err)
	}
}
