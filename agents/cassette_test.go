package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentd/gh-agentd/agents"
)

const cassette = `version: 1
calls:
  - step: challenge
    say: [any round]
  - step: challenge
    round: 2
    tools:
      - name: repeat
        arguments: {text: hello, when: 2026-01-02, n: 3, deep: [1, {a: true}]}
  - step: implement
    task: "1.1"
    write:
      - path: src/a.go
        content: |
          package a
  - step: implement
    round: 2
    say: [round 2]
`

func TestParseCassette_andFind(t *testing.T) {
	c, err := agents.ParseCassette("demo.yaml", []byte(cassette))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		step  string
		round int
		task  string
		line  int // 0 = none
	}{
		{"challenge", 1, "", 3},
		{"challenge", 2, "", 5},
		{"challenge", 2, "9", 5},
		{"implement", 1, "1.1", 10},
		{"implement", 2, "1.1", 10}, // a task is more exact than a round
		{"implement", 2, "1.2", 16},
		{"implement", 1, "1.2", 0},
		{"review", 1, "", 0},
	} {
		call, err := c.Find(row.step, row.round, row.task)
		if call.Line != row.line || (err == nil) != (row.line != 0) {
			t.Errorf("Find(%q, %d, %q) = line %d, %v; want line %d", row.step, row.round, row.task, call.Line, err, row.line)
		}
	}
	_, err = c.Find("review", 1, "")
	if want := "demo.yaml: no call for step review, round 1; it has: step challenge; step challenge, round 2; step implement, task 1.1; step implement, round 2"; err == nil || err.Error() != want {
		t.Errorf("error = %v", err)
	}
	call, err := c.Find("challenge", 2, "")
	if want := `{"deep":[1,{"a":true}],"n":3,"text":"hello","when":"2026-01-02"}`; err != nil || string(call.Tools[0].Arguments) != want {
		t.Errorf("arguments = %s", call.Tools[0].Arguments)
	}
}

func TestParseCassette_errorsNameFileAndLine(t *testing.T) {
	for _, row := range []struct{ name, src, want string }{
		{"empty", "", "demo.yaml:1: the cassette is empty"},
		{"no YAML", "version: 1\ncalls: [\n", "demo.yaml:"},
		{"other version", "version: 2\n", "demo.yaml:1: version is 2"},
		{"unknown field", "version: 1\ncalls:\n  - step: a\n    tool: []\n", "demo.yaml:4: field tool not found"},
		{"wrong type", "version: 1\ncalls:\n  - step: a\n    round: first\n", "demo.yaml:4: cannot unmarshal"},
		{"no step", "version: 1\ncalls:\n  - step: a\n  - round: 1\n", "demo.yaml:4: a call needs a step"},
		{"negative round", "version: 1\ncalls:\n  - step: a\n    round: -1\n", "demo.yaml:3: round is -1"},
		{"outside", "version: 1\ncalls:\n  - step: a\n    write: [{path: ../x, content: y}]\n", `demo.yaml:3: path "../x" is outside the folder`},
		{"git's own files", "version: 1\ncalls:\n  - step: a\n    delete: [.GIT/config]\n", `demo.yaml:3: path ".GIT/config" is inside .git`},
		{"the same request twice", "version: 1\ncalls:\n  - step: a\n  - step: b\n  - step: a\n", "demo.yaml:5: step a is there already, in line 3"},
		{"arguments no mapping", "version: 1\ncalls:\n  - step: a\n    tools:\n      - name: x\n        arguments: [1]\n", "demo.yaml:6: arguments must be a mapping"},
		{"argument twice", "version: 1\ncalls:\n  - step: a\n    tools:\n      - name: x\n        arguments:\n          a: 1\n          a: 2\n", "demo.yaml:8: "},
		{"bad sleep", "version: 1\ncalls:\n  - step: a\n    sleep: soon\n", `demo.yaml:3: sleep is "soon"`},
		{"bad exit", "version: 1\ncalls:\n  - step: a\n    exit: 300\n", "demo.yaml:3: exit is 300"},
		{"two documents", "version: 1\n---\nversion: 1\n", "demo.yaml: a cassette is one YAML document"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := agents.ParseCassette("demo.yaml", []byte(row.src)); err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("error = %v, want %q", err, row.want)
			}
		})
	}
}

func FuzzParseCassette(f *testing.F) {
	f.Add([]byte(cassette))
	f.Add([]byte("version: 1\ncalls:\n  - &a {step: x, tools: [{name: y, arguments: {z: *a}}]}\n"))
	f.Add([]byte("calls: &a [*a]\nversion: 1\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := agents.ParseCassette("f.yaml", src)
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("error does not name the file: %v", err)
		}
		if err == nil {
			for _, call := range c.Calls {
				if found, err := c.Find(call.Step, call.Round, call.Task); err != nil || found.Line != call.Line {
					t.Errorf("call of line %d is not found by its own request", call.Line)
				}
			}
			rereadCassette(t, c)
		}
	})
}

// rereadCassette demands that a cassette that was written is read as the same.
func rereadCassette(t *testing.T, c *agents.Cassette) {
	t.Helper()
	written, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := agents.ParseCassette(c.Name, written)
	if err != nil {
		t.Fatalf("%v in what was written:\n%s", err, written)
	}
	if diff := cmp.Diff(c.Calls, again.Calls, cmpopts.IgnoreFields(agents.CassetteCall{}, "Line"), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("written as\n%s\n%s", written, diff)
	}
}

func TestCassette_YAML_isReadAsTheSame(t *testing.T) {
	c, err := agents.ParseCassette("demo.yaml", []byte(cassette))
	if err != nil {
		t.Fatal(err)
	}
	in, none := 1200.0, 0.0
	c.Put(agents.CassetteCall{
		Step: "implement", Task: "1.1", Say: []string{"- no\nlist: x", "yes", "1.1"}, Delete: []string{"old.txt"},
		Write: []agents.CassetteFile{
			{Path: "run.sh", Content: "#!/bin/sh\n\techo\n", Executable: true},
			{Path: "binary", Content: "\x00\xff\xfe"}, {Path: "empty"}, {Path: "windows.txt", Content: "a\r\nb"},
			{Path: "blank", Content: "\n"}, {Path: "blanks", Content: "\n\n  x\n"}, {Path: "indented", Content: "  x\n y\n"}, {Path: "tab", Content: "\tx\n"},
		},
		Tools: []agents.CassetteTool{{Name: "create_spec", Arguments: []byte(`{"a":"2026-01-02","b":[1.5,true,null,"no","0x1f","\n\n x"],"n":12345678901}`)}},
		Usage: &agents.Claim{In: &in, Cached: &none, Model: "gpt-6-sol"},
	})
	if len(c.Calls) != 4 {
		t.Errorf("%d calls, want 4: an answer takes the place of the one before", len(c.Calls))
	}
	rereadCassette(t, c)
}

func TestReadCassette_onlyFiles(t *testing.T) {
	for _, path := range []string{t.TempDir(), os.DevNull} {
		if _, err := agents.ReadCassette(path); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	large := filepath.Join(t.TempDir(), "large.yaml")
	writeFile(t, large, "")
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := agents.ReadCassette(large); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
}
