//go:build linux

package campaign

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/agentd/gh-agentd/phases"
)

// facts is everything about a world that must not depend on how often the program died on the way.
// Ids of commits, times and durations are not among it.
type facts struct {
	Steps     []string          // of the change, oldest first
	Branch    map[string]string // path → mode and content at the tip of the branch
	Main      map[string]string // the same on main
	Story     []string          // subjects on main, oldest first
	Refs      []string
	Worktrees []string
	Status    map[string]string // of each checkout
	Leavings  []string          // files in .git that are not objects
	Around    []string          // files beside the repository, but for the cache
	Personal  map[string]string // the person's files and staged entries
	Decided   map[string]string // files of the worktrees in which a person decides about specs
}

// observe reads the facts, with git and the file system alone.
func (w *world) observe() (facts, error) {
	f := facts{Status: map[string]string{}, Personal: map[string]string{}, Decided: map[string]string{}}
	var errs []error
	git := func(args ...string) string {
		out, err := w.do(args...)
		errs = append(errs, err)
		return out
	}
	for name := range strings.Lines(git("for-each-ref", "--format=%(refname)")) {
		f.Refs = append(f.Refs, strings.TrimSpace(name))
	}
	first := strings.TrimSpace(git("rev-list", "--max-parents=0", "main"))
	branch := "refs/heads/agentd/" + w.id
	if slices.Contains(f.Refs, branch) {
		log := git("log", "-z", "--first-parent", "--reverse", "--format=%B", branch, "--not", first)
		for message := range strings.SplitSeq(strings.TrimSuffix(log, "\x00"), "\x00") {
			step, err := stepOf(message)
			errs = append(errs, err)
			f.Steps = append(f.Steps, step)
		}
		f.Branch = w.content(branch, &errs)
	}
	f.Main = w.content("main", &errs)
	for subject := range strings.Lines(git("log", "--first-parent", "--reverse", "--format=%s", "main")) {
		f.Story = append(f.Story, strings.TrimSpace(subject))
	}
	for line := range strings.Lines(git("worktree", "list", "--porcelain")) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
			name := strings.TrimPrefix(path, w.dir+"/")
			f.Worktrees = append(f.Worktrees, name)
			status, err := w.doIn(path, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored")
			errs = append(errs, err)
			f.Status[name] = withoutIDs(status)
		}
	}
	f.Leavings = names(w.git(), &errs, "objects", "refs", "logs", "packed-refs")
	f.Around = names(w.dir, &errs, "repo", "cache", "repo-agentd")
	decided, err := filepath.Glob(filepath.Join(w.dir, "repo-agentd", "*.archive", "agentd", "specs", "*"))
	errs = append(errs, err)
	for _, path := range decided {
		text, err := os.ReadFile(path)
		errs = append(errs, err)
		f.Decided[filepath.Base(path)] = settle(string(text))
	}
	for name := range personal {
		text, err := os.ReadFile(filepath.Join(w.repo(), name))
		errs = append(errs, err)
		f.Personal[name] = string(text)
		f.Personal[name+" staged"] = git("ls-files", "--stage", "--", name)
	}
	return f, errors.Join(errs...)
}

// stepOf is what a commit's record says, without what is the run's own: ids, times, cost.
func stepOf(message string) (string, error) {
	m, err := phases.ParseMessage(message)
	if err != nil {
		return "", err
	}
	t := m.Transition
	if t == nil {
		return "a person's: " + m.Subject, nil
	}
	return fmt.Sprintf("%s: %s -> %s round=%d verdict=%s tasks=%v evidence=%d | %s",
		t.Step, t.From, t.Phase, t.Round, t.Verdict, t.Tasks, len(t.Evidence), m.Subject), nil
}

// content is the tree of a revision. What we write ourselves is compared without times and ids.
func (w *world) content(rev string, errs *[]error) map[string]string {
	listing, err := w.do("ls-tree", "-r", "-z", rev)
	*errs = append(*errs, err)
	tree := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if len(words) != 3 {
			continue
		}
		tree[path] = words[0] + " " + words[2]
		if strings.HasPrefix(path, "agentd/changes/") || strings.HasPrefix(path, "agentd/archive/") || strings.HasPrefix(path, "agentd/specs/") {
			text, err := w.do("cat-file", "blob", words[2])
			*errs = append(*errs, err)
			tree[path] = words[0] + " " + sum(text)
			if os.Getenv("AGENTD_CAMPAIGN_TEXT") != "" {
				tree[path] = words[0] + " " + settle(text)
			}
		}
	}
	return tree
}

var volatile = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z`), "<time>"},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}`), "<date>"},
	{regexp.MustCompile(`\b[0-9a-f]{40,64}\b`), "<id>"},
	{regexp.MustCompile(`\b[0-9a-f]{7,12}\b`), "<short>"},
	{regexp.MustCompile(`\bms=\d+`), "ms=<n>"},
	{regexp.MustCompile(`(exit \d+ in) [\dµmsh.]+`), "$1 <time>"},
	{regexp.MustCompile(`((?:ms|millis|duration_ms|duration|elapsed)["']?: )[\d.]+`), "$1<n>"},
}

func settle(text string) string {
	for _, v := range volatile {
		text = v.find.ReplaceAllString(text, v.put)
	}
	return text
}

func sum(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(settle(text))))[:16]
}

var branchLines = regexp.MustCompile(`(?m)^# branch\.(oid|ab|upstream).*\n`)

func withoutIDs(status string) string { return branchLines.ReplaceAllString(status, "") }

// names lists the files below a folder, but for some entries at its top.
func names(top string, errs *[]error, but ...string) []string {
	var all []string
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		name, relErr := filepath.Rel(top, path)
		if err != nil || relErr != nil {
			return errors.Join(err, relErr)
		}
		if slices.Contains(but, name) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.IsDir() {
			all = append(all, name)
		}
		return nil
	})
	*errs = append(*errs, err)
	return all
}

// sound says what is wrong with the repository itself, whatever happened in it.
func (w *world) sound() error {
	var errs []error
	if out, err := w.do("fsck", "--full", "--strict", "--no-dangling"); err != nil {
		errs = append(errs, fmt.Errorf("fsck: %w\n%s", err, out))
	}
	locks, err := filepath.Glob(filepath.Join(w.git(), "agentd", "locks", "*"))
	errs = append(errs, err)
	for _, path := range locks {
		if strings.Contains(filepath.Base(path), ".") {
			continue // notes, which are among the leavings
		}
		errs = append(errs, unlocked(path))
	}
	errs = append(errs, filepath.WalkDir(w.git(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			err = fmt.Errorf("%s was left behind", path)
		}
		return err
	}))
	return errors.Join(errs...)
}

// unlocked says whether anybody holds a lock of ours.
func unlocked(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("%s is held: %w", path, err)
	}
	return nil
}

// touched says which of the person's files is not as they left it.
func (w *world) touched() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(personal)) {
		text, err := os.ReadFile(filepath.Join(w.repo(), name))
		if err == nil && string(text) != personal[name] {
			err = fmt.Errorf("%s of the person now holds %q", name, text)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
