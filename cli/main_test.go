package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// said is what a run left behind.
type said struct {
	out, err string
	code     int
}

// testEnv is a run in an empty folder, with nothing of the developer's world but the PATH.
func testEnv(t *testing.T, args ...string) Env {
	t.Helper()
	home := t.TempDir()
	return Env{
		Args: args,
		In:   strings.NewReader(""),
		Out:  &bytes.Buffer{},
		Err:  &bytes.Buffer{},
		Environ: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + home, "TERM=dumb",
		},
		Dir:        home,
		Executable: "/nowhere/gh-agentd",
		Now:        func() time.Time { return time.Date(2026, 1, 19, 10, 30, 0, 0, time.UTC) },
	}
}

func runEnv(t *testing.T, env Env) said {
	t.Helper()
	return runContext(t, t.Context(), env)
}

func runContext(t *testing.T, ctx context.Context, env Env) said {
	t.Helper()
	code := Main(ctx, env)
	return said{out: env.Out.(*bytes.Buffer).String(), err: env.Err.(*bytes.Buffer).String(), code: code}
}

func runCLI(t *testing.T, args ...string) said {
	t.Helper()
	return runEnv(t, testEnv(t, args...))
}

func TestMain_answersWithoutARepository(t *testing.T) {
	for _, args := range [][]string{
		{"version"}, {"completion", "bash"}, {"help"}, {"help", "plan"}, {"plan", "--help"}, {"--help"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			env := testEnv(t, append([]string{"gh-agentd"}, args...)...)
			env.Environ = []string{"PATH="} // not even git is there
			run := runEnv(t, env)
			if run.code != ExitOK || run.out == "" || run.err != "" {
				t.Errorf("exit code %d\nstdout: %.200s\nstderr: %s", run.code, run.out, run.err)
			}
		})
	}
}

func TestMain_usageErrorsEndOnStandardError(t *testing.T) {
	tests := []struct {
		name, args, says string
	}{
		{"ID-08 missing argument", "plan", "the change's id is missing"},
		{"unknown command", "plam", `unknown command "plam", did you mean plan?`},
		{"unknown flag", "list --nope", "unknown flag: --nope"},
		{"too many arguments", "archive add-oauth now", `unexpected argument "now"`},
		{"step without a name", "step", "the step is missing"},
		{"unknown step", "step dance add-oauth", `unknown command "dance"`},
		{"bad id", "impl Add_OAuth", `"Add_OAuth"`},
		{"contradicting flags", "plan add-oauth --auto --no-auto", "--auto and --no-auto exclude each other"},
		{"unknown phase", "list --phase done", `"done"`},
		{"jq without json", "list --jq .", "cannot use `--jq` without `--json`"},
		{"nothing to validate", "validate", "name a change, or say --all"},
		{"take without id", "doctor --take remote", "--take needs a change's id"},
		{"take who", "doctor add-oauth --take theirs", "--take knows remote and local"},
		{"unknown shell", "completion tcsh", `unknown shell "tcsh"`},
		{"usage by what", "usage --by colour", `--by knows change, step, role, agent, month, not "colour"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := runCLI(t, append([]string{"gh-agentd"}, strings.Fields(tt.args)...)...)
			checkRefusal(t, run, ExitError, tt.says)
			if !strings.Contains(run.err, "\nUsage:\n  gh-agentd") {
				t.Errorf("no usage in:\n%s", run.err)
			}
		})
	}
	for _, id := range []string{"", "   "} {
		t.Run("ID-08 empty id "+id, func(t *testing.T) {
			run := runCLI(t, "gh-agentd", "plan", id, "a description")
			checkRefusal(t, run, ExitError, "")
			if !strings.Contains(run.err, "\nUsage:\n  gh-agentd plan <id>") {
				t.Errorf("no usage in:\n%s", run.err)
			}
		})
	}
}

// checkRefusal holds every refusal to the same form:
// nothing on standard output, one line "error:" and one line "hint:" on standard error.
func checkRefusal(t *testing.T, run said, code int, says string) {
	t.Helper()
	if run.code != code {
		t.Errorf("exit code %d, want %d", run.code, code)
	}
	if run.out != "" {
		t.Errorf("standard output: %q", run.out)
	}
	if n := strings.Count(run.err, "gh-agentd: error: "); n != 1 {
		t.Errorf("%d error lines in:\n%s", n, run.err)
	}
	if n := strings.Count(run.err, "gh-agentd: hint: "); n != 1 {
		t.Errorf("%d hint lines in:\n%s", n, run.err)
	}
	if !strings.Contains(run.err, says) {
		t.Errorf("standard error does not say %q:\n%s", says, run.err)
	}
}

func TestMain_outsideARepository(t *testing.T) {
	for _, args := range []string{"list", "status add-oauth", "plan add-oauth text", "doctor", "init"} {
		t.Run(args, func(t *testing.T) {
			run := runCLI(t, append([]string{"gh-agentd"}, strings.Fields(args)...)...)
			checkRefusal(t, run, ExitError, "not in a git repository")
		})
	}
}

func TestMain_directoryFlag(t *testing.T) {
	run := runCLI(t, "gh-agentd", "-C", "nowhere", "list")
	checkRefusal(t, run, ExitError, "nowhere\" is not a directory")
}

func TestMain_interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := runContext(t, ctx, testEnv(t, "gh-agentd", "plan", "add-oauth", "a b"))
	checkRefusal(t, run, ExitInterrupted, "to go on: `gh-agentd plan add-oauth 'a b'`")
}
