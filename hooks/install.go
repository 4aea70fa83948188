package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/agentd/gh-agentd/internal/confine"
)

// Done says what became of a hook's file.
type Done string

// What [Install] and [Uninstall] do to a file.
const (
	Written Done = "written"
	Updated Done = "updated"
	Present Done = "present"
	Removed Done = "removed"
	Absent  Done = "absent"
)

// KeptError says that a file was left as it is.
type KeptError struct {
	Path   string
	Reason string // the end of a sentence about the path
	Next   string // what a person can do about it
}

func (e *KeptError) Error() string { return e.Path + " " + e.Reason }

// Hint says what a person can do about it.
func (e *KeptError) Hint() string { return e.Next }

// Install makes a script the hook of that name in a folder of hooks.
// A hook that is there already gets another name and is called by ours, with the same arguments and the same standard input.
// Killed in between, it leaves the hook that was there under its other name; Install and [Uninstall] go on from there.
// The error is a [*KeptError] where something is in the way.
func Install(dir string, s Script) (Done, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	found, err := Look(dir, s.Hook)
	if err != nil {
		return "", err
	}
	file := s.Hook
	if found.Kind == Foreign {
		// What was installed over ours and calls it stays where it is.
		if legacy, err := Look(dir, Legacy(file)); err != nil {
			return "", err
		} else if legacy.Kind == Ours || legacy.Kind == Changed {
			file, found = Legacy(file), legacy
		}
	}
	path := filepath.Join(dir, string(file))
	done := Written
	switch found.Kind {
	case Ours:
		done = Updated
		// The text is compared, not the values: a newer version of the script says the same in other words.
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, s.text()) && Runnable(path) {
			return Present, nil
		}
	case Changed:
		return "", &KeptError{Path: path, Reason: "was changed since it was installed", Next: "move it away, then `gh agentd hook install`"}
	case Foreign:
		if err := setAside(dir, s.Hook, found); err != nil {
			return "", err
		}
	}
	root, err := confine.Open(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return done, root.WriteExact(string(file), s.text(), true)
}

// Runnable says whether a file may be run. Windows keeps no such mark.
func Runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// Legacy is where pre-commit keeps, and calls, the hook that it found under a name.
func Legacy(name Name) Name { return name + ".legacy" }

// byName finds hooks that look at the name they were started under, and would do something else under another.
var byName = regexp.MustCompile(`\bbasename\b|0##\*/|\bPROGRAM_NAME\b|\bargv\[0\]`)

// setAside renames the hook that is there. It stays in its folder, so that links and files beside it are found as before.
func setAside(dir string, name Name, found Found) error {
	path, aside := filepath.Join(dir, string(name)), filepath.Join(dir, beforeName(name))
	switch info, err := os.Lstat(path); {
	case err != nil:
		return err
	case info.IsDir():
		return &KeptError{Path: path, Reason: "is a folder", Next: "move it away, then `gh agentd hook install`"}
	case found.Before:
		return &KeptError{
			Path: path, Reason: fmt.Sprintf("is not ours, and %s is there as well", filepath.Base(aside)),
			Next: "move one of the two away, then `gh agentd hook install`",
		}
	}
	text := found.Text
	if text == nil {
		text, _ = os.ReadFile(path) // through a link; what cannot be read is a program
	}
	if byName.Match(text) {
		return &KeptError{
			Path: path, Reason: "goes by the name it is called under, and under another it might do something else",
			Next: "`gh agentd hook status` prints the lines to add to it",
		}
	}
	return os.Rename(path, aside)
}

// Uninstall takes our hook out of a folder, and gives the hook that was there before its name back.
// What somebody changed is left: the error is then a [*KeptError].
func Uninstall(dir string, name Name) (Done, error) {
	found, err := Look(dir, name)
	if err != nil {
		return "", err
	}
	file, back := name, name
	if found.Kind == Foreign {
		// Something was installed over ours and calls it; what ours calls is called by that from now on.
		legacy, err := Look(dir, Legacy(name))
		if err != nil || legacy.Kind == None || legacy.Kind == Foreign {
			return Absent, err
		}
		file, back = Legacy(name), Legacy(name)
		found.Kind = legacy.Kind
	}
	path := filepath.Join(dir, string(file))
	switch found.Kind {
	case Changed:
		return "", &KeptError{Path: path, Reason: "was changed since it was installed", Next: "look at it, and delete it yourself"}
	case Ours:
		if err := os.Remove(path); err != nil {
			return "", err
		}
	}
	if found.Before {
		if err := giveBack(dir, name, back); err != nil {
			return "", err
		}
	}
	if found.Kind == None && !found.Before {
		return Absent, nil
	}
	return Removed, nil
}

// giveBack renames the hook that was there before.
// Where it is the same as the one that is there now, because its manager was installed once more, one of them is enough.
func giveBack(dir string, name, to Name) error {
	aside := filepath.Join(dir, beforeName(name))
	if to != name {
		now, nowErr := os.ReadFile(filepath.Join(dir, string(name)))
		was, wasErr := os.ReadFile(aside)
		if nowErr == nil && wasErr == nil && bytes.Equal(now, was) {
			return os.Remove(aside)
		}
	}
	return os.Rename(aside, filepath.Join(dir, string(to)))
}

// RemoveFolder removes a folder of hooks in which nothing is left.
func RemoveFolder(dir string) error {
	left, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || len(left) > 0 {
		return err
	}
	return os.Remove(dir)
}
