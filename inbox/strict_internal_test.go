package inbox

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzReadArguments holds the strict reader against encoding/json:
// what is accepted is what the library reads, but for normalisation.
func FuzzReadArguments(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"a":1}`, `{"a":{"b":[1,"x",null,true]}}`, `{"a":1,"a":2}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`,
		`{"a":"\\ud83d"}`, "{\"a\":\"\xff\"}", `{"a":"\u0000"}`, `[]`, `{"a":"x\r\ny"}`, `{"a":1e400}`, `{"":{"":{}}}`,
		`{"a":1}}`, `{"a":`, "{\"a\":\"\xc3\\u00e9\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := readArguments(src)
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("refusal is no text: %q", err)
			}
			return
		}
		if len(strings.TrimSpace(string(src))) == 0 {
			return
		}
		if !utf8.Valid(src) {
			t.Errorf("accepted what is not UTF-8: %q", src)
		}
		dec := json.NewDecoder(strings.NewReader(string(src)))
		dec.UseNumber()
		var want map[string]any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("accepted %q, which is not JSON: %v", src, err)
		}
		if !reflect.DeepEqual(got, normaliseAll(want)) {
			t.Errorf("%q is read as %v, want %v", src, got, want)
		}
	})
}

func normaliseAll(value any) any {
	switch value := value.(type) {
	case string:
		return normalise(value)
	case []any:
		for i := range value {
			value[i] = normaliseAll(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = normaliseAll(value[key])
		}
	}
	return value
}

func FuzzNormalise_MC11(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb\rc", "\ufeff\ufeffx", "\x1b[31mred\x1b[0m", "\x1b\x1b[[31m", "\u009b31m", "a\x00\x07\x7f", "\x01\ufeffx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := normalise(s)
		if twice := normalise(once); twice != once {
			t.Errorf("normalise(%q) = %q, and again %q", s, once, twice)
		}
		if i := strings.IndexFunc(once, unfit); i >= 0 {
			t.Errorf("normalise(%q) = %q", s, once)
		}
		if strings.HasPrefix(once, "\ufeff") {
			t.Errorf("normalise(%q) keeps the byte order mark", s)
		}
	})
}
