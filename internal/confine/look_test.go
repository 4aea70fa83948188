package confine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/internal/confine"
)

func TestRoot_Look(t *testing.T) {
	if runtime.GOOS == "windows" {
		const why = "symbolic links need rights there"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	dir := t.TempDir()
	for _, name := range []string{"tree/b/c.md", "tree/a.md", "tree/.git/config", "beside/x.md"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"tree/b/out": dir, "tree/passwd.md": "/etc/passwd", "link": "tree"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := confine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()

	files, odd, err := root.Look("tree", 10)
	if err != nil || !slices.Equal(files, []string{"tree/a.md", "tree/b/c.md"}) {
		t.Errorf("got %v, %v", files, err)
	}
	var names []string
	for _, fault := range odd {
		names = append(names, fault.Name)
	}
	if !slices.Equal(names, []string{"tree/b/out", "tree/passwd.md"}) {
		t.Errorf("odd are %v", names)
	}
	if files, odd, err := root.Look("link", 10); err != nil || len(files) != 0 || len(odd) != 1 || odd[0].Name != "link" {
		t.Errorf("through a link: %v, %v, %v", files, odd, err)
	}
	if files, odd, err := root.Look("nowhere", 10); err != nil || len(files)+len(odd) != 0 {
		t.Errorf("nowhere: %v, %v, %v", files, odd, err)
	}
	if _, _, err := root.Look("tree", 3); err == nil || !strings.Contains(err.Error(), "more than 3 files") {
		t.Errorf("too many: %v", err)
	}
	if _, _, err := root.Look("../x", 3); err == nil {
		t.Error("a folder outside was looked into")
	}
}
