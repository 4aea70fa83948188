package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// world is a folder with a repository, a home and nothing else, in which gh-agentd runs as a program.
type world struct {
	t    *testing.T
	root string
}

func newWorld(t *testing.T, story string) world {
	t.Helper()
	w := world{t: t, root: t.TempDir()}
	w.write("home/.gitconfig", "[init]\n\tdefaultBranch = main\n")
	w.play(story)
	w.write("repo/README.md", "# Sample\n")
	w.write("repo/agentd/config.toml", sampleConfig("replay", filepath.Join(w.root, "cassette.yaml")))
	w.git("init", "--quiet", "--template=")
	w.git("add", "--all")
	w.git("commit", "--quiet", "--message", "First")
	return w
}

// copy is the same world in another place, with a linked worktree of its own again where it is needed.
func (w world) copy(t *testing.T) world {
	t.Helper()
	next := world{t: t, root: t.TempDir()}
	if err := os.CopyFS(next.root, os.DirFS(w.root)); err != nil {
		t.Fatal(err)
	}
	return next
}

func (w world) write(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) play(story string) {
	w.t.Helper()
	tape, err := recording(filepath.Join("testdata", "cassette"), "", story)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write("cassette.yaml", tape)
}

// said is what a program left behind.
type said struct {
	out, err string
	code     int
}

func (w world) run(program string, args ...string) said {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), program, args...)
	cmd.Dir = filepath.Join(w.root, "repo")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(fixedEnvironment(filepath.Join(w.root, "home")), "PATH="+os.Getenv("PATH"))
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s %v: %v", program, args, err)
	}
	return said{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

func (w world) git(args ...string) string {
	w.t.Helper()
	run := w.run("git", args...)
	if run.code != 0 {
		w.t.Fatalf("git %v: exit code %d\n%s", args, run.code, run.err)
	}
	return run.out
}

// agentd runs a command line of ours that must succeed.
func (w world) agentd(line ...string) string {
	w.t.Helper()
	run := w.run("gh-agentd", line...)
	if run.code != 0 {
		w.t.Fatalf("gh-agentd %v: exit code %d\n%s", line, run.code, run.err)
	}
	return run.out
}

// phase is what status proves, "none" where there is no such change.
func (w world) phase() string {
	w.t.Helper()
	run := w.run("gh-agentd", "status", "add-greeting", "--json", "phase", "--jq", ".phase")
	if run.code != 0 {
		return "none"
	}
	return strings.TrimSpace(run.out)
}

// settle makes the world cheap to copy: without linked worktrees, whose paths would not survive it,
// without run folders, and with its objects in one file.
func (w world) settle() {
	w.t.Helper()
	for line := range strings.Lines(w.git("worktree", "list", "--porcelain")) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if ok && filepath.Base(path) == "add-greeting" {
			w.git("worktree", "remove", path)
		}
	}
	w.git("repack", "-a", "-d", "--quiet")
	if err := os.RemoveAll(filepath.Join(w.root, "home", "cache")); err != nil {
		w.t.Fatal(err)
	}
}

// worlds builds one world per phase, each from the commands that a person would type.
func worlds(t *testing.T) map[string]world {
	t.Helper()
	all := map[string]world{"none": newWorld(t, goodStory)}
	next := func(from, to string, lines ...string) {
		w := all[from].copy(t)
		w.write("repo/agentd/config.toml", sampleConfig("replay", filepath.Join(w.root, "cassette.yaml")))
		for _, line := range lines {
			w.agentd(strings.Fields(line)...)
		}
		w.settle()
		if got := w.phase(); got != to {
			t.Fatalf("the world of phase %s is at %s", to, got)
		}
		all[to] = w
	}
	write := "proposal add-greeting"
	next("none", "proposed", write+" Greet", write, write, write, write, write)
	next("proposed", "challenged", "challenge add-greeting")
	next("challenged", "implementing", "implement add-greeting")
	next("implementing", "complete", "review add-greeting")
	next("complete", "archived", "archive add-greeting")

	rejected := all["proposed"].copy(t)
	rejected.play("plan,challenge-rejects")
	rejected.write("repo/agentd/config.toml", sampleConfig("replay", filepath.Join(rejected.root, "cassette.yaml")))
	if run := rejected.run("gh-agentd", "challenge", "add-greeting"); run.code != 10 {
		t.Fatalf("a challenge that rejects ends with %d\n%s", run.code, run.err)
	}
	rejected.settle()
	all["rejected"] = rejected
	return all
}

// TestMatrix gives every command in every phase: exit code, and the phase afterwards.
// A refusal leaves every ref where it was, and says in one line what is wrong and in one line what to type next.
func TestMatrix(t *testing.T) {
	phases := []string{"none", "proposed", "challenged", "rejected", "implementing", "complete", "archived"}
	type answer struct {
		code  int
		after string // "" means: as before
	}
	ok, done, missing, gate, person := func(after string) answer { return answer{0, after} }, answer{code: 0}, answer{code: 1}, answer{code: 11}, answer{code: 10}
	table := []struct {
		line    string
		answers []answer // one per phase
	}{
		{"plan add-greeting Greet --skip-clarify", []answer{ok("challenged"), ok("challenged"), done, person, done, done, done}},
		{"plan add-greeting", []answer{missing, ok("challenged"), done, person, done, done, done}},
		{"impl add-greeting", []answer{missing, gate, ok("complete"), gate, ok("complete"), done, gate}},
		{"archive add-greeting", []answer{missing, gate, gate, gate, gate, ok("archived"), done}},
		{"approve add-greeting --yes", []answer{missing, ok("challenged"), gate, gate, ok("complete"), gate, gate}},
		{"reopen add-greeting --yes", []answer{missing, gate, ok("proposed"), ok("proposed"), ok("proposed"), ok("proposed"), gate}},
		{"abandon add-greeting --yes", []answer{missing, ok("rejected"), ok("rejected"), done, ok("rejected"), ok("rejected"), gate}},
		{"challenge add-greeting", []answer{missing, ok("challenged"), gate, person, gate, gate, gate}},
		{"reproposal add-greeting", []answer{missing, gate, gate, person, gate, gate, gate}},
		{"implement add-greeting", []answer{missing, gate, ok("implementing"), person, done, gate, gate}},
		{"review add-greeting", []answer{missing, gate, gate, person, ok("complete"), done, gate}},
		{"resolve add-greeting", []answer{missing, gate, gate, person, gate, gate, gate}},
		{"impl add-greeting --again", []answer{missing, gate, ok("complete"), gate, ok("complete"), done, gate}},
		{"approve add-greeting", []answer{missing, missing, gate, gate, missing, gate, gate}},
	}
	all := worlds(t)
	for _, row := range table {
		for i, phase := range phases {
			t.Run(row.line+"/"+phase, func(t *testing.T) {
				t.Parallel()
				want := row.answers[i]
				if want.after == "" {
					want.after = phase
				}
				w := all[phase].copy(t)
				w.write("repo/agentd/config.toml", sampleConfig("replay", filepath.Join(w.root, "cassette.yaml")))
				refs := w.git("for-each-ref")
				run := w.run("gh-agentd", strings.Fields(row.line)...)
				if run.code != want.code {
					t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", run.code, want.code, run.out, run.err)
				}
				if got := w.phase(); got != want.after {
					t.Errorf("the phase is %s, want %s\nstderr: %s", got, want.after, run.err)
				}
				if run.code == 0 {
					if strings.Contains(run.err, "gh-agentd: error:") || run.out == "" {
						t.Errorf("done, and says:\nstdout: %s\nstderr: %s", run.out, run.err)
					}
				} else {
					checkRefusal(t, run)
					if now := w.git("for-each-ref"); now != refs {
						t.Errorf("a refusal moved refs:\n%s\nbefore:\n%s", now, refs)
					}
				}
				if phase != "none" || want.after != "none" {
					w.agentd("doctor")
				}
			})
		}
	}
}

// checkRefusal: nothing on standard output, one error, one hint that names a command (I7).
func checkRefusal(t *testing.T, run said) {
	t.Helper()
	if run.out != "" {
		t.Errorf("standard output of a refusal: %q", run.out)
	}
	for _, mark := range []string{"gh-agentd: error: ", "gh-agentd: hint: "} {
		if n := strings.Count("\n"+run.err, "\n"+mark); n != 1 {
			t.Errorf("%d lines %q in:\n%s", n, mark, run.err)
		}
	}
	_, hint, _ := strings.Cut(run.err, "gh-agentd: hint: ")
	if !strings.Contains(hint, "`") {
		t.Errorf("the hint names no command: %q", hint)
	}
	if strings.Contains(hint, "<id>") {
		t.Errorf("the hint leaves the id to the reader: %q", hint)
	}
}
