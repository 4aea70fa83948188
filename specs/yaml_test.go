package specs

import (
	"errors"
	"strings"
	"testing"
)

type yamlExample struct {
	ID    string   `yaml:"id"`
	Phase string   `yaml:"phase"`
	Count int      `yaml:"count"`
	List  []string `yaml:"list"`
}

func TestDecodeYAML_refusals(t *testing.T) {
	tests := []struct {
		name   string
		src    string
		strict bool
		want   string
	}{
		{"DC-01 a tab where indent belongs", "id: x\nlist:\n\t- a\n", true, "S.yaml:3: found character that cannot start any token"},
		{"DC-01 a mapping that is not closed", "id: {a: 1\n", true, "S.yaml:2: did not find expected ',' or '}'"},
		{"DC-01 a list in a mapping", "id: x\ncount: 1\n- a\n", true, "S.yaml:3: did not find expected key"},
		{"DC-01 a colon too many", "id: a: b\n", true, "S.yaml:1: mapping values are not allowed in this context"},
		{"DC-02 an anchor", "id: &a x\n", true, "S.yaml:1: anchor &a is not allowed"},
		{"DC-02 an alias bomb", "a: &a [x,x]\nb: &b [*a,*a]\n", false, "S.yaml:1: anchor &a is not allowed"},
		{"DC-04 a key twice", "id: x\ncount: 1\nid: y\n", true, `S.yaml:3: key "id" is already defined at line 1`},
		{"DC-05 a second document", "id: x\n---\nid: y\n", true, "S.yaml:2: more than one YAML document"},
		{"DC-06 octal", "id: x\ncount: 010\n", true, "S.yaml:2: number 010 is ambiguous, write it in plain digits or in quotes"},
		{"DC-06 underscores", "count: 1_000\n", true, "S.yaml:1: number 1_000 is ambiguous, write it in plain digits or in quotes"},
		{"DC-06 binary", "id: !!binary aGk=\n", true, "S.yaml:1: tag !!binary is not allowed"},
		{"DC-06 a foreign object", "id: !!python/object x\n", true, "S.yaml:1: tag !!python/object is not allowed"},
		{"DC-06 a merge key", "list: []\n<<: {id: x}\n", true, "S.yaml:2: merge key << is not allowed"},
		{"DC-06 a number that fits nowhere", "count: 99999999999999999999\n", true, `S.yaml:1: want a whole number, found "9999999..."`},
		{"a list where text belongs", "id: [a]\n", true, "S.yaml:1: want text, found a list"},
		{"an unknown key", "id: x\nphases: y\n", true, `S.yaml:2: unknown key "phases"`},
		{"nothing", "", true, "S.yaml:1: document is empty"},
		{"DC-10 merge conflict", "id: x\n\n\n<<<<<<< HEAD\nphase: a\n=======\nphase: b\n\n>>>>>>> theirs\n", true,
			"unresolved merge conflict in S.yaml lines 4–9"},
		{"DC-03 DC-16 too large", "id: " + strings.Repeat("[", 50<<20), true, "S.yaml: document has 52428804 bytes, the limit is 262144"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var into yamlExample
			err := decodeYAML("S.yaml", []byte(tt.src), &into, tt.strict)
			if err == nil {
				t.Fatalf("decoded to %+v, want %q", into, tt.want)
			}
			if err.Error() != tt.want {
				t.Errorf("got  %q\nwant %q", err, tt.want)
			}
		})
	}
}

func TestDecodeYAML_deepNesting_DC03(t *testing.T) {
	var into any
	err := decodeYAML("S.yaml", []byte(strings.Repeat("[", 20_000)), &into, true)
	if _, ok := errors.AsType[*DocumentError](err); !ok {
		t.Fatalf("got %v, want a document error", err)
	}
}

func TestDecodeYAML_accepts(t *testing.T) {
	src := "\xef\xbb\xbfid: x\r\nphase: no # not a boolean\r\ncount: -3\r\nlist: [a, \"b: c\"]\r\n"
	var got yamlExample
	if err := decodeYAML("S.yaml", []byte(src), &got, true); err != nil {
		t.Fatal(err)
	}
	if got.ID != "x" || got.Phase != "no" || got.Count != -3 || len(got.List) != 2 || got.List[1] != "b: c" {
		t.Errorf("got %+v", got)
	}
}

func TestConflictMarkers_areNotHeadings_DC10(t *testing.T) {
	src := "Title\n=======\n\n<<<<<<<x\n<<<<<<< only an opening\n"
	if first, last, found := conflictMarkers([]byte(src)); found {
		t.Errorf("found a conflict in lines %d–%d", first, last)
	}
}

func TestSplitFrontmatter_DC15(t *testing.T) {
	tests := []struct {
		name, src, yaml, body, err string
	}{
		{"none", "# A\n---\nx\n---\n", "", "# A\n---\nx\n---\n", ""},
		{"plain", "---\nid: x\n---\n# A\n", "id: x\n", "# A\n", ""},
		{"windows", "---\r\nid: x\r\n---\r\n# A\r\n", "id: x\r\n", "# A\r\n", ""},
		{"dashes in a value", "---\nid: \"a --- b\"\ntext: |\n  ---\n---\nbody\n", "id: \"a --- b\"\ntext: |\n  ---\n", "body\n", ""},
		{"a second block is body", "---\nid: x\n---\n---\nid: y\n---\n", "id: x\n", "---\nid: y\n---\n", ""},
		{"empty", "---\n---\n", "", "", ""},
		{"no end", "---\nid: x\n# A\n", "", "", "f:1: front matter begins here but is never closed by a line of three dashes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			front, err := splitFrontmatter("f", []byte(tt.src))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("got %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(front.yaml) != tt.yaml || tt.src[front.body:] != tt.body {
				t.Errorf("got %q and %q", front.yaml, tt.src[front.body:])
			}
		})
	}
}

func FuzzDecodeYAML(f *testing.F) {
	for _, seed := range []string{"id: x\n", "a: &a [*a]\n", "? [a]\n: b\n", "%YAML 1.1\n---\nx: 1\n", "\t", "<<: *x", "a: !!float 1\n", "- - - -\n", "a: |\n  x\n b\n", "\"\\ud800\": 1\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var into any
		if err := decodeYAML("f", src, &into, true); err != nil {
			_, document := errors.AsType[*DocumentError](err)
			_, conflict := errors.AsType[*ConflictError](err)
			if !document && !conflict {
				t.Errorf("error without a place: %v", err)
			}
		}
		var example yamlExample
		_ = decodeYAML("f", src, &example, false)
	})
}
