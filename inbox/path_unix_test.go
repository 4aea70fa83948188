//go:build unix

package inbox_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestBox_Call_refusesSpecialFiles_MC04(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.WriteFile(outside, []byte("not yours"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := box(t, "reproposal")
	change := filepath.Join(b.Dir(), "change")
	if err := os.Link(outside, filepath.Join(change, "specs", "hard.md")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(change, "specs", "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"specs/hard.md", "specs/pipe.md"} {
		wantText(t, refused(t, b, "read_file", object{"path": name}), "is not a regular file")
		wantText(t, refused(t, b, "edit_file", object{"path": name, "find": "not yours", "replace": "mine", "hash": "0"}), "is not a regular file")
	}
	wantText(t, refused(t, b, "read_file", object{"path": "specs"}), "is a folder")
	if data, _ := os.ReadFile(outside); string(data) != "not yours" {
		t.Errorf("the file outside was changed: %q", data)
	}
}
