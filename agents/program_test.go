package agents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/internal/proc"
)

// failure runs an agent that must fail, and returns how.
func failure(t *testing.T, p *agents.Program, r agents.Request) (agents.Result, *agents.Error) {
	t.Helper()
	result, err := p.Run(t.Context(), r, nil)
	failed, ok := errors.AsType[*agents.Error](err)
	if !ok {
		t.Fatalf("error = %#v, want an *agents.Error", err)
	}
	return result, failed
}

func TestProgram_Run_success(t *testing.T) {
	var events []agents.Event
	r := request(t)
	result, err := behaving(t, jsonl, "say",
		`{"type":"start","session":"s-1","model":"m-1"}`, `{"type":"text","text":"First."}`, `{"type":"tool","name":"create_proposal"}`,
		`{"type":"tool_done","name":"create_proposal","text":"wrote it"}`, `{"type":"text","text":"Done."}`, `{"type":"denied","text":"rm"}`,
		`{"type":"usage","in":120,"cached":20,"out":30,"usd":0.5,"model":"m-1"}`, `{"type":"done"}`,
	).Run(t.Context(), r, func(e agents.Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	want := agents.Result{
		Text: "Done.", Model: "m-1", Session: agents.Session{Agent: "gemini", ID: "s-1"}, Elapsed: result.Elapsed,
		Usage:  agents.Usage{In: 120, Cached: 20, Out: 30, Known: true, USD: new(0.5), Model: "m-1"},
		Tools:  []agents.ToolCall{{Name: "create_proposal", OK: true, Message: "wrote it"}},
		Denied: []string{"rm"},
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind.String())
	}
	if diff := cmp.Diff([]string{"started", "text", "tool", "tool-done", "text", "warning", "spent"}, kinds); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	for name, want := range map[string]string{"prompt.md": "Write the proposal.\n", "stdout.log": `{"type":"done"}`} {
		text, err := os.ReadFile(filepath.Join(r.RunDir, "call-1", name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s = %q, %v", name, text, err)
		}
	}
	if _, err := behaving(t, plain, "say", "again").Run(t.Context(), r, nil); err != nil {
		t.Errorf("second call of the run: %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.RunDir, "call-2")); err != nil {
		t.Error(err)
	}
}

func TestProgram_Run_promptIsNeverAnArgument_AG28(t *testing.T) {
	r := request(t)
	r.Prompt = bytes.Repeat([]byte("0123456789abcde\n"), 2<<20/16)
	result, err := behaving(t, plain, "stdin").Run(t.Context(), r, nil)
	if err != nil || result.Text != fmt.Sprintln(2<<20) {
		t.Errorf("AG-28: read %q of standard input, %v", result.Text, err)
	}
	for _, mode := range []string{"file", "arg", "stdin"} {
		words := []string{executable(t), "behave", "say", "{prompt_file}"}
		if mode == "arg" {
			words[3] = "{prompt}"
		}
		agent, err := agents.Command{Name: "mine", Command: words, Prompt: mode}.Agent()
		if err != nil {
			t.Fatal(err)
		}
		result, err := agent.Run(t.Context(), r, nil)
		if err != nil || !strings.Contains(result.Text, "prompt.md") {
			t.Errorf("AG-28 mode %s: agent was told %.100q, %v", mode, result.Text, err)
		}
	}
}

func TestProgram_Run_environmentIsAnAllowList(t *testing.T) {
	r := request(t)
	r.Bin = "/usr/bin/gh-agentd"
	r.Environ = append(r.Environ,
		"LC_ALL=C", "XDG_CACHE_HOME=/tmp/x", "HTTPS_PROXY=http://p", "TERM=dumb", "GEMINI_API_KEY=0123456789", "OPENAI_API_KEY=other",
		"GH_TOKEN=canary", "GITHUB_TOKEN=canary", "GIT_DIR=canary", "GIT_ASKPASS=canary", "SSH_AUTH_SOCK=canary", "LD_PRELOAD=canary", "EDITOR=canary",
		"AGENTD_STEP=outer")
	agent := behaving(t, plain, "env")
	agent.Keys = []string{"GEMINI_*", "GH_TOKEN", "GIT_DIR"} // whatever a configuration asks for
	agent.NewCodec = func() agents.Codec {
		return agents.NewPlainCodec(func(agents.Request) (agents.Invocation, error) {
			return agents.Invocation{Env: []string{"TERM=other", "GITHUB_TOKEN=canary"}}, nil
		}, nil)
	}
	if _, err := agent.Run(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(r.RunDir, "call-1", "stdout.log"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(log)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		names = append(names, name)
		if strings.Contains(value, "canary") || name == "TERM" && value != "other" || name == "AGENTD_STEP" && value != r.Step {
			t.Errorf("variable %s", line)
		}
	}
	slices.Sort(names)
	want := []string{
		"AGENTD_BIN", "AGENTD_CHANGE", "AGENTD_RUN", "AGENTD_RUN_MARK", "AGENTD_STEP",
		"GEMINI_API_KEY", "GH_CONFIG_DIR", "GIT_CONFIG_PARAMETERS", "GIT_TERMINAL_PROMPT", "HOME", "HTTPS_PROXY", "LC_ALL", "PATH", "TERM", "XDG_CACHE_HOME",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestProgram_Run_limits_AG09(t *testing.T) {
	start := `{"type":"start","session":"s-9"}`
	for _, row := range []struct {
		name     string
		words    []string
		limits   proc.Limits
		toolIdle time.Duration
		want     string // "" = success
	}{
		{"AG-09 no output", []string{"hang", start}, proc.Limits{Idle: 2 * time.Second}, 0, "gemini gave no output for 2s (step proposal-gen)"},
		{"AG-09 endless output", []string{"repeat", `{"type":"text","text":"…"}`}, proc.Limits{Wall: 300 * time.Millisecond}, 0, "gemini was not done after 300ms (step proposal-gen)"},
		{"AG-09 nothing but retries", []string{"repeat", `{"type":"retry","text":"429"}`}, proc.Limits{Idle: 300 * time.Millisecond}, 0, "gemini gave no output for 300ms (step proposal-gen)"},
		{"a tool may take longer", []string{"slow", `{"type":"tool","name":"check"}`, `{"type":"done"}`}, proc.Limits{Idle: 2 * time.Second}, 20 * time.Second, ""},
		{"but not for ever", []string{"hang", `{"type":"tool","name":"check"}`}, proc.Limits{Idle: 2 * time.Second}, 2100 * time.Millisecond, "gemini gave no output for 2.1s (step proposal-gen)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // they wait, and do not work
			r := request(t)
			r.Limits, r.ToolIdle = row.limits, row.toolIdle
			r.Limits.Grace = 50 * time.Millisecond
			started := false // on a busy machine the limit may come first
			_, err := behaving(t, jsonl, row.words...).Run(t.Context(), r, func(e agents.Event) { started = started || e.Kind == agents.Started })
			if row.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			failed, ok := errors.AsType[*agents.Error](err)
			if !ok || failed.Kind != agents.TimedOut || failed.Error() != row.want || !strings.Contains(failed.Hint(), "by hand") {
				t.Errorf("error = %v", err)
			}
			if started && failed.Session != "s-9" {
				t.Errorf("session %q is lost", failed.Session)
			}
		})
	}
}

func TestProgram_Run_asksOnStdin_AG27(t *testing.T) {
	r := request(t)
	r.Prompt = nil
	r.Limits.Idle = 5 * time.Second
	result, err := behaving(t, plain, "stdin").Run(t.Context(), r, nil)
	if err != nil || result.Text != "0\n" {
		t.Errorf("AG-27: %q, %v; want the end of input at once", result.Text, err)
	}
}

func TestProgram_Run_cancelled_RP23(t *testing.T) {
	why := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := behaving(t, jsonl, "hang", `{"type":"start","session":"s-1"}`).Run(ctx, request(t), func(agents.Event) { cancel(why) })
	failed, ok := errors.AsType[*agents.Error](err)
	if !ok || failed.Kind != agents.Cancelled || !errors.Is(err, why) || failed.Session != "s-1" {
		t.Errorf("error = %#v", err)
	}
}

func TestProgram_Run_missing(t *testing.T) {
	agent := &agents.Program{ID: "codex", Path: "codex-is-not-here", NewCodec: plain}
	_, failed := failure(t, agent, request(t))
	if failed.Kind != agents.NotInstalled || !strings.Contains(failed.Hint(), "install codex") {
		t.Errorf("error = %v", failed)
	}
	if err := agent.Check(t.Context()); err == nil {
		t.Error("check passes")
	}
	agent.Path = executable(t)
	if err := agent.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProgram_Check_isNoProgram(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	writeFile(t, text, "I am no program.")
	for path, want := range map[string]string{
		folder: "own failed: " + folder + " is a folder, and no program",
		text:   "own failed: " + text + " is there and cannot be run",
	} {
		err := (&agents.Program{ID: "own", Path: path, NewCodec: plain}).Check(t.Context())
		failed, ok := errors.AsType[*agents.Error](err)
		if !ok || failed.Error() != want || failed.Hint() != "name a program that can be run as the command of own in agentd/config.toml" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestProgram_Run_exitStatuses_AG11(t *testing.T) {
	exits := agents.Exits{
		41: {Kind: agents.NotAuthenticated, Sentence: "no way to sign in is configured"},
		42: {Kind: agents.SessionGone}, 52: {Kind: agents.Config, Sentence: "its settings are wrong"}, 53: {Kind: agents.Limit}, 130: {Kind: agents.Cancelled},
	}
	codec := func() agents.Codec { return agents.NewPlainCodec(noArguments, exits) }
	for _, row := range []struct {
		code string
		kind agents.ErrorKind
		text string
	}{
		{"41", agents.NotAuthenticated, "gemini is not signed in (step proposal-gen): no way to sign in is configured: last words"},
		{"42", agents.SessionGone, "gemini did not find the session to resume (step proposal-gen): last words"},
		{"52", agents.Config, "gemini refused its configuration (step proposal-gen): its settings are wrong: last words"},
		{"53", agents.Limit, "gemini reached its own limit (step proposal-gen): last words"},
		{"130", agents.Cancelled, "gemini was cancelled (step proposal-gen): last words"},
		{"7", agents.Failed, "gemini failed (step proposal-gen): exit status 7: last words"},
	} {
		t.Run("AG-11 exit "+row.code, func(t *testing.T) {
			result, failed := failure(t, behaving(t, codec, "fail", row.code, "last \x1b[31mwords\x1b[0m"), request(t))
			if failed.Kind != row.kind || failed.Error() != row.text || failed.Hint() == "" || fmt.Sprint(result.ExitCode) != row.code {
				t.Errorf("error = %v, result = %+v", failed, result)
			}
		})
	}
}

func TestProgram_Run_exitZeroIsNoSuccess_AG22(t *testing.T) {
	for _, row := range []struct {
		name  string
		words []string
		want  agents.ErrorKind
	}{
		{"AG-22 nothing at all", []string{"say"}, agents.NoOutput},
		{"AG-22 no final event", []string{"say", `{"type":"text","text":"I did it"}`}, agents.BadOutput},
		{"AG-21 last line cut", []string{"say", `{"type":"usage","in":5,"out":5}`, `{"type":"do`}, agents.BadOutput},
		{"an error event", []string{"say", `{"type":"error","kind":"rate-limited","text":"slow down","retry_after_s":7}`, `{"type":"done"}`}, agents.RateLimited},
	} {
		t.Run(row.name, func(t *testing.T) {
			result, failed := failure(t, behaving(t, jsonl, row.words...), request(t))
			if failed.Kind != row.want || result.ExitCode != 0 || result.Usage.Known {
				t.Errorf("error = %v, result = %+v", failed, result)
			}
			if row.want == agents.RateLimited && (failed.RetryAfter != 7*time.Second || !failed.Temporary()) {
				t.Errorf("retry after %s", failed.RetryAfter)
			}
		})
	}
}

func TestProgram_Run_secretsAreBlanked_AG24(t *testing.T) {
	const secret, token = "canary-of-the-environment", "ghp_0123456789abcdefghij0123456789abcdef"
	r := request(t)
	r.Environ = append(r.Environ, "SOME_API_KEY="+secret)
	r.Secrets = []string{"canary-of-the-caller"}
	var log, shown strings.Builder
	r.Log = &log
	say := "keys: " + secret + " canary-of-the-caller " + token
	for _, words := range [][]string{
		{"say", `{"type":"start","model":"` + say + `","session":"` + say + `"}`, `{"type":"tool_done","name":"` + say + `","text":"` + say + `"}`, `{"type":"text","text":"` + say + `"}`, `{"type":"denied","text":"` + say + `"}`, `{"type":"done"}`},
		{"fail", "3", say},
	} {
		result, err := behaving(t, jsonl, words...).Run(t.Context(), r, func(e agents.Event) { fmt.Fprintf(&shown, "%+v\n", e) })
		fmt.Fprintf(&shown, "%+v %v\n", result, err)
	}
	for _, call := range []string{"call-1/stdout.log", "call-2/stderr.log"} {
		text, err := os.ReadFile(filepath.Join(r.RunDir, call))
		if err != nil || !strings.Contains(string(text), "[redacted]") {
			t.Errorf("%s = %q, %v", call, text, err)
		}
		shown.Write(text)
	}
	for _, canary := range []string{secret, "canary-of-the-caller", token} {
		if strings.Contains(shown.String(), canary) || strings.Contains(log.String(), canary) {
			t.Errorf("AG-24 I8: %q is in\n%s\n%s", canary, shown.String(), log.String())
		}
	}
}

func TestProgram_Run_showsCleanTextAndLogsItRaw_AG07_AG08(t *testing.T) {
	r := request(t)
	var texts []string
	result, err := behaving(t, plain, "say", "caf\xe9 \x1b]52;c;cm0=\x07\x1b[31mred\x1b[0m\u202e").Run(t.Context(), r,
		func(e agents.Event) { texts = append(texts, e.Text) })
	if err != nil {
		t.Fatal(err)
	}
	if want := "caf\uFFFD red"; len(texts) != 1 || texts[0] != want || result.Text != want+"\n" {
		t.Errorf("shown %q, result %q", texts, result.Text)
	}
	raw, err := os.ReadFile(filepath.Join(r.RunDir, "call-1", "stdout.log"))
	if err != nil || !bytes.Contains(raw, []byte("caf\xe9 \x1b]52")) {
		t.Errorf("log = %q, %v", raw, err)
	}
}

func TestProgram_Run_oneGiantLine_AG06_AG21(t *testing.T) {
	r := request(t)
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := behaving(t, jsonl, "flood").Run(t.Context(), r, nil)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	if result.Skipped != 1 || result.Usage.Known {
		t.Errorf("result = %+v, want the line counted and the usage unknown", result)
	}
	for _, name := range []string{"stdout.log", "stderr.log"} {
		text, err := os.ReadFile(filepath.Join(r.RunDir, "call-1", name))
		if err != nil || len(text) > 3<<20 || !bytes.Contains(text, []byte("[… 48 MiB left out …]")) {
			t.Errorf("%s has %d bytes, %v", name, len(text), err)
		}
	}
}

func TestProgram_Run_endsWhatWasLeftBehind_I5(t *testing.T) {
	var warned string
	result, err := behaving(t, plain, "leave").Run(t.Context(), request(t), func(e agents.Event) {
		if e.Kind == agents.Warning {
			warned = e.Text
		}
	})
	if err != nil || len(result.Survivors) != 1 || !strings.Contains(warned, "sleep 300") {
		t.Errorf("survivors %q, warned %q, %v", result.Survivors, warned, err)
	}
}

// hopeless is a codec that knows at the first line that nothing will come of this.
type hopeless struct{ agents.Codec }

func (hopeless) Line([]byte) []agents.Event {
	return []agents.Event{{Kind: agents.Retry, Text: "401", Fatal: &agents.Error{Kind: agents.NotAuthenticated, Detail: "key refused"}}}
}

func TestProgram_Run_codecStopsWhatIsHopeless(t *testing.T) {
	_, failed := failure(t, behaving(t, func() agents.Codec { return hopeless{plain()} }, "hang", "x"), request(t))
	if failed.Kind != agents.NotAuthenticated || failed.Agent != "gemini" || failed.Detail != "key refused" {
		t.Errorf("error = %+v", failed)
	}
}

// tryingAgain is a codec to which every line says that the provider is down and will be asked again.
type tryingAgain struct{ agents.Codec }

func (tryingAgain) Line([]byte) []agents.Event {
	return []agents.Event{{Kind: agents.Retry, Text: "500", Why: &agents.Error{Kind: agents.Unavailable, Detail: "status 500"}}}
}

func TestProgram_Run_limitDuringRetriesIsTheProvidersFault(t *testing.T) {
	r := request(t)
	r.Limits.Idle = 300 * time.Millisecond
	_, failed := failure(t, behaving(t, func() agents.Codec { return tryingAgain{plain()} }, "hang", "x"), r)
	if failed.Kind != agents.Unavailable || failed.Detail != "status 500" || !failed.Temporary() {
		t.Errorf("error = %+v", failed)
	}
}

func TestProgram_Run_refusesAFolderThatIsNone(t *testing.T) {
	r := request(t)
	r.RunDir = "relative"
	failure(t, behaving(t, plain, "say", "x"), r)
	r = request(t)
	r.Dir = filepath.Join(r.Dir, "gone")
	failure(t, behaving(t, plain, "say", "x"), r)
}
