//go:build unix

package confine_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/internal/confine"
)

// place is a root in a folder "in" with a neighbour "out" that nobody may reach.
func place(t *testing.T) (root *confine.Root, in, out string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in, out = filepath.Join(base, "in"), filepath.Join(base, "out")
	for _, dir := range []string{in, out} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(out, "secret"), "secret")
	root, err = confine.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, in, out
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRoot_WriteFile_thenRead(t *testing.T) {
	root, in, _ := place(t)
	for _, text := range []string{"first", "second, and longer", ""} {
		if err := root.WriteFile("specs/login.md", []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := root.ReadFile("specs/login.md", 100)
		if err != nil || string(got) != text {
			t.Errorf("read %q, %v; want %q", got, err, text)
		}
	}
	put(t, filepath.Join(in, "a.md"), "a")
	names, err := root.List()
	if diff := cmp.Diff([]string{"a.md", "specs/login.md"}, names); diff != "" || err != nil {
		t.Errorf("list: %v\n%s", err, diff)
	}
	if err := root.Remove("specs/login.md"); err != nil {
		t.Error(err)
	}
	if _, err := root.ReadFile("specs/login.md", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read after remove: %v", err)
	}
	if err := root.Remove("specs/login.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("second remove: %v", err)
	}
}

func TestRoot_refusesNames_MC02(t *testing.T) {
	root, _, out := place(t)
	for _, name := range []string{
		"", ".", "..", "../STATE.yaml", "a/../../x", "a/../x", "./x", "a//b", "a/", "/etc/passwd", filepath.Join(out, "secret"),
		`..\x`, `a\b`, `C:\x`, "C:x", "x:stream", "%2e%2e/x", "a\x00b", "a\nb", "a\u202eb", "a\xffb", "...", "a.", "a /b", strings.Repeat("a", 5000),
	} {
		t.Run("MC-02 "+name[:min(len(name), 20)], func(t *testing.T) {
			_, readErr := root.ReadFile(name, 100)
			for op, err := range map[string]error{"read": readErr, "write": root.WriteFile(name, []byte("x")), "remove": root.Remove(name)} {
				if _, ok := errors.AsType[*confine.NameError](err); !ok {
					t.Errorf("%s %q: %v", op, name, err)
				}
			}
		})
	}
	if _, err := root.ReadFile("../x", 1); err == nil || err.Error() != `path "../x" is outside the folder` {
		t.Errorf("text = %v", err)
	}
}

func TestRoot_refusesWhatIsNoFile_MC04_AG19(t *testing.T) {
	root, in, out := place(t)
	link := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	link(os.Symlink(filepath.Join(out, "secret"), filepath.Join(in, "to-outside")))
	link(os.Symlink("../out/secret", filepath.Join(in, "to-outside-relative")))
	put(t, filepath.Join(in, "real.md"), "real")
	link(os.Symlink(filepath.Join(in, "real.md"), filepath.Join(in, "to-inside-absolute")))
	link(os.Symlink("real.md", filepath.Join(in, "to-inside")))
	link(os.Symlink("nowhere", filepath.Join(in, "dangling")))
	link(os.Link(filepath.Join(out, "secret"), filepath.Join(in, "hard")))
	link(syscall.Mkfifo(filepath.Join(in, "pipe"), 0o644))
	link(os.Mkdir(filepath.Join(in, "folder"), 0o755))
	socket, err := net.Listen("unix", filepath.Join(in, "socket"))
	link(err)
	defer socket.Close()

	for _, name := range []string{"to-outside", "to-outside-relative", "to-inside-absolute", "to-inside", "dangling", "hard", "pipe", "folder", "socket"} {
		t.Run("MC-03 MC-04 AG-19 "+name, func(t *testing.T) {
			_, readErr := root.ReadFile(name, 100)
			for op, err := range map[string]error{"read": readErr, "write": root.WriteFile(name, []byte("x"))} {
				if bad, ok := errors.AsType[*confine.FileError](err); !ok || bad.Name != name {
					t.Errorf("%s: %v", op, err)
				}
			}
		})
	}
	if _, err := root.List(); err == nil {
		t.Error("list passes over what is no file")
	}
	if text, err := os.ReadFile(filepath.Join(out, "secret")); err != nil || string(text) != "secret" {
		t.Errorf("the neighbour's file = %q, %v", text, err)
	}
}

func TestRoot_refusesFoldersThatAreLinks_MC03(t *testing.T) {
	root, in, out := place(t)
	put(t, filepath.Join(in, "real", "a.md"), "a")
	for name, target := range map[string]string{"outside": out, "inside": "real"} {
		if err := os.Symlink(target, filepath.Join(in, name)); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"/secret", "/a.md", "/new.md", "/deep/new.md"} {
			_, readErr := root.ReadFile(name+file, 100)
			if readErr == nil || root.WriteFile(name+file, []byte("x")) == nil || root.Remove(name+file) == nil {
				t.Errorf("%s%s: went through the link", name, file)
			}
		}
	}
	left, err := os.ReadDir(out)
	if err != nil || len(left) != 1 {
		t.Errorf("the neighbour has %v, %v", left, err)
	}
}

func TestRoot_Create_neverReplaces(t *testing.T) {
	root, in, out := place(t)
	folders, err := root.Create("a/b/c.md", []byte("first"))
	if diff := cmp.Diff([]string{"a", "a/b"}, folders); diff != "" || err != nil {
		t.Errorf("folders made, %v:\n%s", err, diff)
	}
	folders, err = root.Create("a/b/c.md", []byte("second"))
	if !errors.Is(err, fs.ErrExist) || len(folders) > 0 {
		t.Errorf("second time: %v, %v", folders, err)
	}
	if text, err := root.ReadFile("a/b/c.md", 100); err != nil || string(text) != "first" {
		t.Errorf("it holds %q, %v", text, err)
	}
	for name, target := range map[string]string{"dangling": filepath.Join(out, "new"), "folder": out} {
		if err := os.Symlink(target, filepath.Join(in, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := root.Create("dangling", []byte("x")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("on a link to nowhere: %v", err)
	}
	if _, err := root.Create("folder/new", []byte("x")); err == nil {
		t.Error("went through a link")
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 1 {
		t.Errorf("the neighbour has %v, %v", left, err)
	}
}

func TestRoot_RemoveFolder_onlyEmptyFolders(t *testing.T) {
	root, in, out := place(t)
	put(t, filepath.Join(in, "full", "a.md"), "a")
	put(t, filepath.Join(in, "file"), "a")
	for _, err := range []error{os.Mkdir(filepath.Join(in, "empty"), 0o755), os.Symlink(out, filepath.Join(in, "link"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"empty": true, "nowhere": true, "full": false, "file": false, "link": false} {
		gone, err := root.RemoveFolder(name)
		_, statErr := os.Lstat(filepath.Join(in, name))
		if gone != want || err != nil || gone != errors.Is(statErr, fs.ErrNotExist) {
			t.Errorf("%s: gone is %t, %v, %v", name, gone, err, statErr)
		}
	}
	if _, err := root.RemoveFolder("../out"); err == nil {
		t.Error("left the folder")
	}
}

func TestRoot_Remove_takesTheLinkNotItsTarget(t *testing.T) {
	root, in, out := place(t)
	if err := os.Symlink(filepath.Join(out, "secret"), filepath.Join(in, "link")); err != nil {
		t.Fatal(err)
	}
	if err := root.Remove("link"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "secret")); err != nil {
		t.Error(err)
	}
}

func TestRoot_staysInsideWhileFoldersAreSwapped_MC03(t *testing.T) {
	root, in, out := place(t)
	dir, aside, link := filepath.Join(in, "dir"), filepath.Join(in, "aside"), filepath.Join(in, "link")
	put(t, filepath.Join(dir, "secret"), "harmless")
	if err := os.Symlink(out, link); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var attacker sync.WaitGroup
	attacker.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(dir, aside)
			_ = os.Rename(link, dir)
			_ = os.Rename(dir, link)
			_ = os.Rename(aside, dir)
		}
	})
	for range 400 {
		if text, err := root.ReadFile("dir/secret", 100); err == nil && string(text) == "secret" {
			t.Error("read the neighbour's file")
			break
		}
		_ = root.WriteFile("dir/planted", []byte("x"))
	}
	close(stop)
	attacker.Wait()
	if left, err := os.ReadDir(out); err != nil || len(left) != 1 {
		t.Errorf("the neighbour has %v, %v", left, err)
	}
}

func TestRoot_ReadFile_boundsSize_AG19(t *testing.T) {
	root, in, _ := place(t)
	put(t, filepath.Join(in, "exact"), "12345")
	if _, err := root.ReadFile("exact", 5); err != nil {
		t.Error(err)
	}
	if _, err := root.ReadFile("exact", 4); err == nil || !strings.Contains(err.Error(), "larger than 4 bytes") {
		t.Errorf("error = %v", err)
	}
	sparse, err := os.Create(filepath.Join(in, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sparse.Truncate(10<<30), sparse.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := root.ReadFile("sparse", 1<<20); err == nil {
		t.Error("AG-19: read a file of 10 GiB")
	}
}

func TestRoot_WriteFile_leavesNothingHalf(t *testing.T) {
	root, in, _ := place(t)
	put(t, filepath.Join(in, "a.md"), strings.Repeat("old", 1000))
	texts := []string{strings.Repeat("old", 1000), strings.Repeat("new!", 5000)}
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				if err := root.WriteFile("a.md", []byte(texts[1])); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		// A reader holds its file while the name moves on, and a renamed file may show no link at all.
		if text, err := root.ReadFile("a.md", 1<<20); err == nil && !slices.Contains(texts, string(text)) {
			t.Errorf("read a part: %d bytes", len(text))
		}
	}
	writers.Wait()
	left, err := os.ReadDir(in)
	if err != nil || len(left) != 1 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

func FuzzCheckName_MC02(f *testing.F) {
	for _, seed := range []string{"a.md", "specs/a.md", "../x", "a/../../x", "%2e%2e", `..\x`, "", ".", "/", "a\x00", "con", "a:b", "~/.ssh"} {
		f.Add(seed)
	}
	base := f.TempDir()
	in := filepath.Join(base, "in")
	if err := os.Mkdir(in, 0o755); err != nil {
		f.Fatal(err)
	}
	root, err := confine.Open(in)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = root.Close() })
	f.Fuzz(func(t *testing.T, name string) {
		allowed := confine.CheckName(name) == nil
		err := root.WriteFile(name, []byte("x"))
		if err == nil && !allowed {
			t.Errorf("wrote %q although the name is refused", name)
		}
		if err == nil {
			names, err := root.List()
			if err != nil || !slices.Contains(names, name) {
				t.Errorf("%q is not in the list %q, %v", name, names, err)
			}
			top, _, _ := strings.Cut(name, "/")
			if err := os.RemoveAll(filepath.Join(in, top)); err != nil {
				t.Fatal(err)
			}
		}
		outside, err := os.ReadDir(base)
		if err != nil || len(outside) != 1 {
			t.Fatalf("outside the folder: %v, %v", outside, err)
		}
	})
}
