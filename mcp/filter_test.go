package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzJudge holds the line filter to its promises:
// it never panics, what it lets through the SDK can decode and give back with the same id,
// and what it refuses gets an answer that is one line of JSON.
func FuzzJudge_MC01(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `{}`, `[]`, `17`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"a":"` + "\xff" + `"}}}`,
		`{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, `{"jsonrpc":"2.0","id":" ","result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`, "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"x\"}", `{"jsonrpc":"2.0","id":"\ud800","method":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l := newLineReader(bytes.NewReader(text)).next()
		if l.err != nil {
			return
		}
		message, refused := judge(l)
		if refused != nil {
			answer := refused.encode()
			if !json.Valid(answer) || !utf8.Valid(answer) || bytes.ContainsRune(answer, '\n') {
				t.Errorf("answer to %q is %q", l.text, answer)
			}
			return
		}
		if message == nil {
			if len(l.text) != 0 {
				t.Errorf("%q was passed over", l.text)
			}
			return
		}
		if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
			sameID(t, l.text, request.ID)
		}
	})
}

// sameID fails if the SDK would answer with another id than the client sent.
func sameID(t *testing.T, text []byte, id jsonrpc.ID) {
	t.Helper()
	var sent struct{ ID any }
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&sent); err != nil {
		t.Fatalf("accepted %q: %v", text, err)
	}
	// "-0" is the one number that has two spellings here.
	if got, want := fmt.Sprint(id.Raw()), strings.Replace(fmt.Sprint(sent.ID), "-0", "0", 1); got != want && fmt.Sprint(sent.ID) != got {
		t.Errorf("the id of %q comes back as %s", text, got)
	}
}

func FuzzLineReader_MC09(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nlast"), 3)
	f.Add([]byte("\n\n\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, chunk int) {
		reader := newLineReader(iotest.OneByteReader(bytes.NewReader(text)))
		if chunk%2 == 0 {
			reader = newLineReader(iotest.HalfReader(bytes.NewReader(text)))
		}
		var got []string
		for {
			l := reader.next()
			if l.err != nil {
				if l.err != io.EOF {
					t.Fatal(l.err)
				}
				break
			}
			got = append(got, string(l.text))
		}
		var want []string
		for line := range bytes.Lines(text) {
			want = append(want, string(bytes.TrimSpace(line)))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	})
}

func TestLineReader_brokenInput(t *testing.T) {
	reader := newLineReader(io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(io.ErrNoProgress)))
	if l := reader.next(); string(l.text) != "one" {
		t.Errorf("line is %+v", l)
	}
	if l := reader.next(); l.err != io.ErrNoProgress {
		t.Errorf("line is %+v", l)
	}
}

func TestLineReader_longLines_MC09(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	reader := newLineReader(strings.NewReader(long[1:] + "\n" + long + "\nshort\n"))
	if l := reader.next(); l.size != maxLine+1 || !l.tooLong() {
		// The line end counts: what must be held is what is bounded.
		t.Errorf("first line: %d bytes, too long %v", l.size, l.tooLong())
	}
	if l := reader.next(); !l.tooLong() || len(l.text) != maxLine || len(l.tail) != tailBytes {
		t.Errorf("second line: %d bytes kept, %d of the tail", len(l.text), len(l.tail))
	}
	if l := reader.next(); string(l.text) != "short" {
		t.Errorf("third line is %q", l.text)
	}
}
