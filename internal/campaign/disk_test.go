//go:build linux

package campaign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestDiskFull_RP12: no file may grow beyond a limit, as on a full disk. Old state intact, and the same command goes on.
func TestDiskFull_RP12(t *testing.T) {
	for _, c := range []struct {
		chapter string
		blocks  int // of 512 bytes
	}{{"clarify", 0}, {"clarify", 1}, {"clarify", 4}, {"plan", 8}, {"plan", 24}, {"impl", 8}, {"impl", 32}, {"archive", 1}, {"archive", 16},
		{"merge", 2}, {"conflict", 1}, {"continue", 2}, {"moved", 1}, {"unarchive", 1}, {"unarchive", 2}} {
		if !full() && c.chapter != "clarify" && c.chapter != "archive" && c.chapter != "continue" {
			continue
		}
		t.Run(fmt.Sprintf("RP-12 %s with files of at most %d bytes", c.chapter, c.blocks*512), func(t *testing.T) {
			t.Parallel()
			w, story := from(t, c.chapter)
			// What is said goes through cat: the limit would hold for our own notes as well.
			line := fmt.Sprintf("(ulimit -f %d; exec \"$@\") 2>&1 | cat; exit ${PIPESTATUS[0]}", c.blocks)
			code, said := w.run("bash", append([]string{"-c", line, "bash", shared.real(t)}, story.args...))
			w.refused(t, story, code, said)
		})
	}
}

// refused checks that a run without room failed as it should, and that with room the same command ends as ever.
func (w *world) refused(t *testing.T, story *chapter, code int, said string) {
	t.Helper()
	if code != story.code && (code != 1 || !strings.Contains(said, "error: ")) {
		t.Errorf("ended with %d:\n%s", code, said)
	}
	if code == story.code {
		t.Log("it had room enough")
	}
	if err := w.touched(); err != nil {
		t.Error(err)
	}
	if out, err := w.do("fsck", "--full", "--strict", "--no-dangling"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if w.tip() != "" {
		w.legal(t)
	}
	if t.Failed() {
		return
	}
	w.again(t, story)
}

// mount makes a small file system of its own for a world's repository and worktrees.
func mount(t *testing.T, w *world, size string) {
	t.Helper()
	if os.Getuid() != 0 {
		cannot(t, "only root may mount")
	}
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", w.dir).CombinedOutput()
	if err != nil {
		cannot(t, fmt.Sprintf("mount: %v\n%s", err, out))
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(w.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// TestDiskFull_fileSystem_RP12: the disk itself is full, but for a little.
func TestDiskFull_fileSystem_RP12(t *testing.T) {
	for _, c := range []struct {
		chapter string
		free    int // KiB
	}{{"clarify", 0}, {"clarify", 16}, {"plan", 64}, {"plan", 400}, {"impl", 32}, {"impl", 600}, {"archive", 0}, {"archive", 40}, {"archive", 120}} {
		if !full() && c.chapter != "archive" {
			continue
		}
		t.Run(fmt.Sprintf("RP-12 %s with %d KiB left", c.chapter, c.free), func(t *testing.T) {
			t.Parallel()
			story := shared.goldenStory(t).chapter(c.chapter)
			place := &world{dir: shared.place(t), id: story.before.id}
			if err := os.MkdirAll(place.dir, 0o777); err != nil {
				t.Fatal(err)
			}
			mount(t, place, "64m")
			w, err := story.before.copyTo(place.dir)
			if err != nil {
				t.Fatal(err)
			}
			ballast := filepath.Join(w.cache(), "ballast")
			fill(t, w.dir, ballast, c.free)
			code, said := w.run(shared.real(t), story.args)
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			w.refused(t, story, code, said)
		})
	}
}

// fill writes until only so many KiB are free.
func fill(t *testing.T, dir, path string, free int) {
	t.Helper()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	room := int64(disk.Bavail)*disk.Bsize - int64(free)<<10
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	chunk := make([]byte, 4096)
	for ; room > 0; room -= int64(len(chunk)) {
		if _, err := file.Write(chunk); err != nil {
			return
		}
	}
}

// TestReadOnly_RP13: a repository that nobody may write. Refused before an agent is asked, and nothing is different.
func TestReadOnly_RP13(t *testing.T) {
	for _, name := range []string{"clarify", "plan", "impl", "archive", "merge", "continue", "unarchive"} {
		if !full() && name != "archive" {
			continue
		}
		t.Run("RP-13 "+name, func(t *testing.T) {
			t.Parallel()
			w, story := from(t, name)
			if os.Getuid() != 0 {
				cannot(t, "only root may mount")
			}
			bind := exec.Command("sh", "-c", `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"`, "sh", w.repo())
			if out, err := bind.CombinedOutput(); err != nil {
				cannot(t, fmt.Sprintf("mount: %v\n%s", err, out))
			}
			free := func() { _ = syscall.Unmount(w.repo(), syscall.MNT_DETACH) }
			t.Cleanup(free)
			tip := w.tip()
			code, said := w.run(shared.real(t), story.args)
			if code != 1 || !strings.Contains(said, "read-only file system") || strings.Contains(said, "replay is ") {
				t.Errorf("ended with %d:\n%s", code, said)
			}
			free()
			w.stays(t, tip)
			w.again(t, story)
		})
	}
}
