package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentd/gh-agentd/agents/agenttest"
)

// TestMain makes this binary also gh-agentd and every agent: a script starts them as programs of their own.
func TestMain(m *testing.M) {
	agent := func() { os.Exit(agenttest.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Environ())) }
	testscript.Main(m, map[string]func(){
		"gh-agentd": main,
		"scripted":  agent,
		"gemini":    agent,
		"codex":     agent,
		"claude":    agent,
	})
}

// TestScript runs the product's specification: every file in testdata/script.
func TestScript(t *testing.T) { runScripts(t, filepath.Join("testdata", "script")) }

// TestScript_variations runs the stories that are long or that vary another one.
// They would make every `go test ./...` twice as long; .ci/run always plays them.
func TestScript_variations(t *testing.T) {
	if os.Getenv("CI") != "true" && os.Getenv("AGENTD_CAMPAIGN") != "full" {
		t.Skip("AGENTD_CAMPAIGN=full or CI=true plays the stories of testdata/script/variations")
	}
	runScripts(t, filepath.Join("testdata", "script", "variations"))
}

// TestScript_hookManagers plays our hooks beside the real hook managers, where they are on the PATH.
func TestScript_hookManagers(t *testing.T) {
	need(t, "lefthook", "husky", "pre-commit")
	runScripts(t, filepath.Join("testdata", "script", "managers"))
}

// TestScript_openSpec imports what the real OpenSpec has made, where it is on the PATH.
func TestScript_openSpec(t *testing.T) {
	need(t, "openspec")
	runScripts(t, filepath.Join("testdata", "script", "openspec"))
}

// TestScript_gh plays with the real gh, where it is on the PATH.
func TestScript_gh(t *testing.T) {
	need(t, "gh")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "gh-agentd")
	mustRun(t, here, "go", "build", "-buildvcs=false", "-o", program, ".") // what a name says is decided by how it is started
	runScripts(t, filepath.Join("testdata", "script", "gh"), "PROGRAM="+program, "SYSTEM="+runtime.GOOS+"-"+runtime.GOARCH)
}

// need skips a test whose programs are not all installed, but not in CI.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, and CI must have it", name)
		}
		t.Skipf("%s is not installed; `.ci/run test` has it", name)
	}
}

// runScripts plays the scripts of a folder, with further variables of the environment.
func runScripts(t *testing.T, dir string, environ ...string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, environ...)
			return isolate(env)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":    cmdRepo,
			"play":    cmdPlay,
			"agent":   cmdAgent,
			"status":  cmdStatus,
			"cmpjson": cmdCmpJSON,
			"tty":     cmdTTY,
			"at":      cmdAt,
			"github":  cmdGitHub,
			"act":     cmdAct,
		},
	})
}

// condition knows what a script may ask about the world: [git254], whether git runs hooks from its configuration.
func condition(name string) (bool, error) {
	if name != "git254" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	out, err := exec.Command("git", "version").Output()
	if err != nil {
		return false, err
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); err != nil {
		return false, err
	}
	return major > 2 || major == 2 && minor >= 54, nil
}

// The time at which a script begins, until it says `at`.
const beginning = "2026-01-19T10:30:00Z"

// isolate gives a script a world of its own: no person's configuration, fixed names and times.
func isolate(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	gitConfig := "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitConfig), 0o600); err != nil {
		return err
	}
	for _, entry := range fixedEnvironment(home) {
		key, value, _ := strings.Cut(entry, "=")
		env.Setenv(key, value)
	}
	recordings, err := filepath.Abs(filepath.Join("testdata", "cassette"))
	env.Values[cassettes{}] = recordings
	env.Values[theHub{}] = &hub{}
	return err
}

// fixedEnvironment is the same on every machine.
func fixedEnvironment(home string) []string {
	return []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"GH_CONFIG_DIR=" + filepath.Join(home, "gh"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
		"GIT_AUTHOR_NAME=Ada",
		"GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_DATE=" + beginning,
		"GIT_COMMITTER_DATE=" + beginning,
		"TERM=dumb",
		// A race-built process sleeps a second before it exits, and scripts start hundreds of them.
		"GORACE=atexit_sleep_ms=0",
	}
}

// The recordings of a change that nobody objects to.
const goodStory = "plan,challenge-approves,implement,review-approves"

// cmdRepo makes a repository with a first commit and enters it: repo [-play PARTS | -agent NAME] [DIR].
func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! repo")
	}
	dir, player, story := "repo", "replay", goodStory
	for len(args) > 0 {
		switch {
		case args[0] == "-play" && len(args) > 1:
			story, args = args[1], args[2:]
		case args[0] == "-agent" && len(args) > 1:
			player, args = args[1], args[2:]
		case len(args) == 1 && !strings.HasPrefix(args[0], "-"):
			dir, args = args[0], nil
		default:
			ts.Fatalf("usage: repo [-play parts | -agent name] [dir]")
		}
	}
	top := ts.MkAbs(dir)
	cassette := filepath.Join(ts.Getenv("WORK"), "cassette.yaml")
	cmdPlay(ts, false, []string{story})
	ts.Check(os.MkdirAll(filepath.Join(top, "agentd"), 0o777))
	write := func(name, content string) {
		path := filepath.Join(top, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return // the script brought its own
		}
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o777))
		ts.Check(os.WriteFile(path, []byte(content), 0o666))
	}
	write("README.md", "# Sample\n")
	write("agentd/config.toml", sampleConfig(player, cassette))
	ts.Check(ts.Chdir(top))
	for _, line := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "--message", "First"}} {
		ts.Check(ts.Exec("git", line...))
	}
	ts.Defer(func() {
		// Whatever a script did to it, the repository is whole.
		if err := ts.Exec("git", "-C", top, "fsck", "--full", "--no-dangling"); err != nil {
			ts.Fatalf("git fsck of %s: %v", dir, err)
		}
	})
}

// cmdPlay says what the replay agent does from here on: play PARTS.
// A part is a file in testdata/cassette, or one of the script's own with the ending .yaml.
func cmdPlay(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: play part[,part...]")
	}
	root, ok := ts.Value(cassettes{}).(string)
	if !ok {
		ts.Fatalf("no folder of cassettes")
	}
	work := ts.Getenv("WORK")
	tape, err := recording(root, work, args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(work, "cassette.yaml"), []byte(tape), 0o666))
}

// recording puts a cassette together: a part is a file of root, or with the ending .yaml one of own.
func recording(root, own, story string) (string, error) {
	var b strings.Builder
	b.WriteString("version: 1\ncalls:\n")
	for part := range strings.SplitSeq(story, ",") {
		path := filepath.Join(root, part+".yaml")
		if strings.HasSuffix(part, ".yaml") {
			path = filepath.Join(own, part)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		b.Write(data)
	}
	return b.String(), nil
}

// cmdAgent gives the scripted agents their script: agent FILE.
// FILE is a txtar within the script, so that each of its lines begins with ">".
func cmdAgent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: agent file")
	}
	script, err := txtar.Unquote([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	folder := filepath.Join(ts.Getenv("HOME"), ".agenttest")
	ts.Check(os.MkdirAll(folder, 0o700))
	ts.Check(os.WriteFile(filepath.Join(folder, "script.txtar"), script, 0o600))
}

// cassettes is the key of the folder of recordings among a script's values.
type cassettes struct{}

func sampleConfig(player, cassette string) string {
	var b strings.Builder
	b.WriteString("project_name = \"sample\"\n\n[roles]\n")
	for _, role := range []string{"proposer", "challenger", "implementer", "reviewer"} {
		fmt.Fprintf(&b, "%s = %q\n", role, player)
	}
	fmt.Fprintf(&b, "\n[agents.%s]\n", player)
	if player == "replay" {
		fmt.Fprintf(&b, "cassette = %q\n", cassette)
	} else {
		fmt.Fprintf(&b, "command = [%q, \"--tools={tools}\"]\noutput = \"replay\"\n", player)
	}
	b.WriteString("\n[review]\ncommands = [\"true\"]\nscan = \"off\"\n")
	return b.String()
}

// cmdStatus runs a program and demands an exact exit code: status N program args...
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// cmdCmpJSON compares two JSON texts by their meaning: cmpjson GOT WANT.
// A string "<any>" in WANT fits every value, but not one that is missing.
func cmdCmpJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: cmpjson got want")
	}
	values := make([]any, 2)
	for i, name := range args {
		if err := json.Unmarshal([]byte(ts.ReadFile(name)), &values[i]); err != nil {
			ts.Fatalf("%s is not JSON: %v\n%s", name, err, ts.ReadFile(name))
		}
	}
	diff := cmp.Diff(values[1], blank(values[0], values[1]))
	if (diff == "") == neg {
		ts.Fatalf("%s and %s (-want +got):\n%s", args[0], args[1], diff)
	}
}

// blank puts "<any>" into got wherever want has it.
func blank(got, want any) any {
	switch want := want.(type) {
	case string:
		if want == "<any>" {
			return want
		}
	case map[string]any:
		fields, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := make(map[string]any, len(fields))
		for key, value := range fields {
			out[key] = value
			if w, ok := want[key]; ok {
				out[key] = blank(value, w)
			}
		}
		return out
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return got
		}
		out := make([]any, len(items))
		for i := range items {
			out[i] = blank(items[i], want[i])
		}
		return out
	}
	return got
}

// cmdAt sets the time of the commits to come: at 2026-01-20T09:00:00Z.
func cmdAt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: at time")
	}
	if _, err := time.Parse(time.RFC3339, args[0]); err != nil {
		ts.Fatalf("at: %v", err)
	}
	ts.Setenv("GIT_AUTHOR_DATE", args[0])
	ts.Setenv("GIT_COMMITTER_DATE", args[0])
}

// scriptEnvironment is what the script would give a program that it starts.
func scriptEnvironment(ts *testscript.TestScript) []string {
	var environ []string
	more := []string{
		"PATH=", "WORK=", "CI=", "NO_COLOR=", "GH_PROMPT_DISABLED=", "GH_FORCE_TTY=",
		"GITHUB_API_URL=", "GITHUB_SERVER_URL=", "GH_ENTERPRISE_TOKEN=", "GIT_TOKEN=",
	}
	for _, entry := range append(fixedEnvironment(""), more...) {
		key, _, _ := strings.Cut(entry, "=")
		if value := ts.Getenv(key); value != "" {
			environ = append(environ, key+"="+value)
		}
	}
	return slices.Clip(environ)
}
