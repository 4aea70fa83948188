package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocumentsAreFresh(t *testing.T) {
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range all {
		have, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is stale; run `go generate ./...`\n%s", name, cmp.Diff(string(have), string(want)))
		}
	}
}

// What is no longer generated would stay, and agents would go on reading it.
func TestGeneratedFoldersHoldNothingElse(t *testing.T) {
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range generatedFolders {
		err := filepath.WalkDir(filepath.Join(top, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(top, path)
			if err == nil && all[filepath.ToSlash(rel)] == nil {
				t.Errorf("%s is not generated: remove it", rel)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Claude Code refuses names that do not fit together without saying so.
func TestPlugin_namesFitTogether(t *testing.T) {
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	var p plugin
	var m marketplace
	if err := errors.Join(json.Unmarshal(all[".claude-plugin/plugin.json"], &p), json.Unmarshal(all[".claude-plugin/marketplace.json"], &m)); err != nil {
		t.Fatal(err)
	}
	if p.Name != "agentd" || p.Description == "" || p.Author.Name == "" || m.Owner.Name == "" ||
		len(m.Plugins) != 1 || m.Plugins[0].Name != p.Name || m.Plugins[0].Source != "./" {
		t.Errorf("plugin %+v, marketplace %+v", p, m)
	}
	for _, name := range []string{"plan", "impl", "archive"} {
		if all["commands/"+name+".md"] == nil || all["skills/agentd-"+name+"/SKILL.md"] == nil {
			t.Errorf("/%s:%s or the skill agentd-%s is missing", p.Name, name, name)
		}
	}
}

func TestParseRows(t *testing.T) {
	rows, err := parseRows("# comment\nDC-01 broken YAML\n\nID-02 letters of other scripts :: not yet: a reason\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []row{{"ID-02", "letters of other scripts", "not yet: a reason"}, {"DC-01", "broken YAML", ""}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"XX-01 what", "ID-1 what", "ID-02 a\nID-02 b"} {
		if _, err := parseRows(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestNamedTests_findsEveryKindOfName(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a/a_test.go", "package a\n\nfunc TestX_AG01_AG02(t *testing.T) { t.Run(\"RP-14 locked\", nil) }\n\nfunc helper_AG03() { _ = \"see RP-15\" }\n")
	write("testdata/script/one.txtar", "# DC-08, DC-09: a story\nexec true\n# DC-10 is not in the first lines\n")
	write("testdata/script/fault_MC-01_MC-02_lines.txtar", "exec true\n")
	got, err := namedTests(root)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"AG-01": {"a"}, "AG-02": {"a"}, "RP-14": {"a"}, "DC-08": {"scripts"}, "DC-09": {"scripts"},
		"MC-01": {"scripts"}, "MC-02": {"scripts"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
