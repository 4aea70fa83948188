package proc_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/internal/proc"
)

func TestTail_marksWhatIsLeftOut_AG06(t *testing.T) {
	tail := proc.Tail{HeadBytes: 5, EndBytes: 4}
	for _, piece := range []string{"abc", "defghi", strings.Repeat("-", 3000), "wx", "yz"} {
		if n, err := tail.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("write = %d, %v", n, err)
		}
	}
	if got, want := tail.String(), "abcde\n[… 2 KiB left out …]\nwxyz"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	if tail.Len() != 3013 || tail.Cut() != 3004 {
		t.Errorf("len %d, cut %d", tail.Len(), tail.Cut())
	}
}

func TestTail_keepsBeginningAndEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, end := rapid.IntRange(0, 20).Draw(t, "head"), rapid.IntRange(1, 20).Draw(t, "end")
		pieces := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 30)).Draw(t, "pieces")
		tail := proc.Tail{HeadBytes: head, EndBytes: end}
		var all []byte
		for _, p := range pieces {
			_, _ = tail.Write(p)
			all = append(all, p...)
		}
		got := tail.Bytes()
		if len(all) <= head+end {
			if !bytes.Equal(got, all) {
				t.Fatalf("kept %q of %q", got, all)
			}
			return
		}
		if !bytes.HasPrefix(got, all[:head]) || !bytes.HasSuffix(got, all[len(all)-end:]) || !bytes.Contains(got, []byte(" left out …]\n")) {
			t.Fatalf("kept %q of %q", got, all)
		}
	})
}
