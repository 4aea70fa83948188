//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crowd fills a repository with changes: on branches that end in a commit of ours or of a person, and archived ones.
// They are copies of the one that is there, under other names.
func (w world) crowd(n int) {
	w.t.Helper()
	message := w.git("log", "-1", "--format=%B", "agentd/add-greeting")
	state := w.git("show", "agentd/add-greeting:agentd/changes/add-greeting/STATE.yaml")
	archived := strings.Replace(state, "\nphase: challenged", "\nphase: archived", 1)
	if archived == state {
		w.t.Fatalf("no phase in STATE.yaml:\n%s", state)
	}
	var stream strings.Builder
	begun := map[string]bool{} // branches that fast-import knows by now
	commit := func(branch, from, message string, files map[string]string) {
		fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Ada <ada@example.com> 1768818600 +0000\ndata %d\n%s\n", branch, len(message), message)
		if !begun[branch] {
			fmt.Fprintf(&stream, "from refs/heads/%s^0\n", from)
		}
		begun[branch] = true
		for _, path := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", path, len(files[path]), files[path])
		}
		stream.WriteString("\n")
	}
	archive := map[string]string{}
	for i := 1; i < n; i++ {
		name := fmt.Sprintf("change-%d", i)
		branch, folder := "agentd/"+name, "agentd/changes/"+name
		commit(branch, "agentd/add-greeting", strings.ReplaceAll(message, "add-greeting", name),
			map[string]string{folder + "/STATE.yaml": strings.ReplaceAll(state, "add-greeting", name)})
		if i%2 == 0 {
			commit(branch, branch, "By hand", map[string]string{folder + "/proposal.md": "# Edited\n"})
		}
		archive[fmt.Sprintf("agentd/archive/old-%d/STATE.yaml", i)] = strings.ReplaceAll(archived, "add-greeting", fmt.Sprintf("old-%d", i))
	}
	for i := range n {
		commit("agentd/add-greeting", "agentd/add-greeting", "By hand", map[string]string{"src/by-hand.txt": fmt.Sprint(i)})
	}
	commit("main", "main", "Archived long ago", archive)
	w.write("stream", stream.String())
	run := w.run("sh", "-c", "git fast-import --quiet --date-format=raw <../stream && git switch --quiet --detach && git switch --quiet main")
	if run.code != 0 {
		w.t.Fatal(run.err)
	}
}

// gits are the git commands that a command line of ours started, by what their own trace says.
func (w world) gits(line ...string) (commands []string, out string) {
	w.t.Helper()
	trace := filepath.Join(w.root, "trace")
	if err := os.RemoveAll(trace); err != nil {
		w.t.Fatal(err)
	}
	run := w.run("env", append([]string{"GIT_TRACE=" + trace, "gh-agentd"}, line...)...)
	if run.code != 0 {
		w.t.Fatalf("gh-agentd %v: exit code %d\n%s", line, run.code, run.err)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, command, ok := strings.Cut(line, "trace: built-in: git "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
			commands = append(commands, name)
		}
	}
	slices.Sort(commands) // some run side by side
	return commands, run.out
}

// However many changes there are, and however many commits a change has, the same few git processes read them.
func TestGitProcessesDoNotGrowWithTheNumberOfChanges_RP32(t *testing.T) {
	t.Parallel()
	one := newWorld(t, goodStory)
	one.agentd("plan", "add-greeting", "Greet", "--skip-clarify")
	one.settle()
	few, many := one.copy(t), one.copy(t)
	few.crowd(3)
	many.crowd(30)
	for _, tt := range []struct {
		line  []string
		limit int // of processes, so that few cannot become many for both
		lines func(n int) int
	}{
		{[]string{"list"}, 10, func(n int) int { return n }},
		{[]string{"list", "--all"}, 10, func(n int) int { return 2*n - 1 }},
		{[]string{"status"}, 10, func(n int) int { return n }},
		{[]string{"status", "add-greeting"}, 10, nil},
	} {
		t.Run(strings.Join(tt.line, " "), func(t *testing.T) {
			want, small := few.gits(tt.line...)
			got, large := many.gits(tt.line...)
			t.Logf("%d git processes: %s", len(got), strings.Join(got, " "))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("git commands of 3 and of 30 changes (-few +many):\n%s", diff)
			}
			if len(got) == 0 || len(got) > tt.limit {
				t.Errorf("%d git processes: %q", len(got), got)
			}
			if tt.lines == nil {
				return
			}
			for n, out := range map[int]string{3: small, 30: large} {
				if lines := strings.Count(out, "\n"); lines != tt.lines(n) || strings.Contains(out, "problem") {
					t.Errorf("%d lines of %d changes:\n%s", lines, n, out)
				}
			}
		})
	}
}
