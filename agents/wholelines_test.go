package agents

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

func TestWholeLines_areNotTornApart(t *testing.T) {
	var log bytes.Buffer
	var turn sync.Mutex
	out, err := &wholeLines{to: &log, turn: &turn}, &wholeLines{to: &log, turn: &turn}
	for _, step := range []struct {
		w    *wholeLines
		text string
	}{{out, `{"type":"thr`}, {err, "ERROR: failed"}, {out, "ead\"}\n{\"ty"}, {err, " to connect\nagain"}, {out, "pe\":1}\n"}} {
		if n, e := step.w.Write([]byte(step.text)); n != len(step.text) || e != nil {
			t.Fatalf("%d, %v", n, e)
		}
	}
	if e := err.Close(); e != nil {
		t.Fatal(e)
	}
	if e := out.Close(); e != nil {
		t.Fatal(e)
	}
	if want := "{\"type\":\"thread\"}\nERROR: failed to connect\n{\"type\":1}\nagain\n"; log.String() != want {
		t.Errorf("got %q, want %q", log.String(), want)
	}
	endless := strings.Repeat("x", longestHeld+1)
	if _, e := out.Write([]byte(endless)); e != nil || !strings.HasSuffix(log.String(), endless) {
		t.Errorf("a line without an end is held back for ever: %v", e)
	}
}
