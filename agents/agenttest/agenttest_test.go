package agenttest_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/agents/agenttest"
)

func TestMain_choosesTheMostExactSection(t *testing.T) {
	s := newStage(t, `
-- call scripted --
say 'any'
done
-- call scripted/review --
say 'review'
done
-- call scripted/review/2 --
say 'second review'
done
-- call scripted/*/5 --
say 'fifth of all'
done
`)
	for i, row := range []struct{ step, want string }{
		{"implement", "any"}, {"review", "review"}, {"review", "second review"}, {"review", "review"}, {"implement", "fifth of all"}, {"implement", "any"},
	} {
		s.request.Step = row.step
		if result := s.mustPlay("agentd", "scripted"); result.Text != row.want {
			t.Errorf("call %d, step %s: %q, want %q", i+1, row.step, result.Text, row.want)
		}
	}
}

func TestMain_unknownCallIsLoud(t *testing.T) {
	s := newStage(t, "-- call codex --\ndone\n-- call scripted/review --\ndone\n")
	for _, name := range []string{"gemini", "scripted"} {
		result, err := s.play("text", name)
		if err == nil || result.ExitCode != agenttest.ExitUnknownCall || !strings.Contains(s.stderr(), "UNKNOWN CALL") {
			t.Errorf("%s: status %d, %v, stderr %q", name, result.ExitCode, err, s.stderr())
		}
	}
}

func TestMain_mistakesInTheScriptAreLoud(t *testing.T) {
	for _, line := range []string{
		"nonsensical", "write only-path", "write path no-such-section", "say 'open", "exit soon", "want prompt 'something else'", "want arg --missing",
		"want env NOBODY", "refuse env HOME", "want file nowhere x", "want mood good", "sleep soon", "flood everywhere 5", "flood stdout many",
		"ignore EVERYTHING", "child weird", "edit nowhere a b", "delete nowhere", "done cost=1", "retry soon", "tool repeat broken.json", "run no-such-program",
		"tool repeat refuses.json", "tool repeat good.json refused", "submit challenge refuses.json", "submit challenge good.json refused",
	} {
		t.Run(line, func(t *testing.T) {
			home, bin := t.TempDir(), programs(t)
			agenttest.Install(t, home, "-- call scripted --\nprint before\n"+line+"\nprint after\n-- broken.json --\n{\n-- good.json --\n{\"text\":\"hi\"}\n-- refuses.json --\n{\"text\":\"no\",\"note\":\"bad\"}\n")
			var stdout, stderr strings.Builder
			env := []string{"HOME=" + home, "PATH=" + bin, "AGENTD_BIN=" + filepath.Join(bin, "gh-agentd"), "GORACE=atexit_sleep_ms=0"}
			status := agenttest.Main([]string{"scripted", "--tool-command=toolserver"}, strings.NewReader("prompt"), &stdout, &stderr, env)
			if status != agenttest.ExitScriptError || !strings.Contains(stderr.String(), `section "call scripted", line 2: `) || strings.Contains(stdout.String(), "after") {
				t.Errorf("status %d, stdout %q, stderr %q", status, &stdout, &stderr)
			}
		})
	}
}

func TestMain_recordsWhatItWasTold(t *testing.T) {
	s := newStage(t, "-- call gemini --\ndone\n")
	s.request.Prompt = []byte("a prompt\nof two lines\n")
	s.mustPlay("text", "gemini", "-m", "model with spaces", "--flag=")
	if version, err := exec.Command(filepath.Join(s.programs, "gemini"), "--version").Output(); err != nil || string(version) != "0.61.0\n" {
		t.Errorf("version = %q, %v", version, err)
	}
	calls := agenttest.Calls(t, s.home)
	if len(calls) != 1 {
		t.Fatalf("%d calls recorded", len(calls))
	}
	c := calls[0]
	if c.Name != "gemini" || c.Step != "implement" || c.Number != 1 || c.Stdin != "a prompt\nof two lines\n" || c.Env("AGENTD_CHANGE") != "add-oauth" || c.Dir != s.request.Dir {
		t.Errorf("call = %+v", c)
	}
	if want := []string{"-m", "model with spaces", "--flag="}; !slices.Equal(c.Args, want) {
		t.Errorf("arguments = %q", c.Args)
	}
}

func TestMain_files(t *testing.T) {
	s := newStage(t, `
-- call scripted --
want prompt 'Do it.'
want env AGENTD_STEP=implement
refuse env GH_TOKEN
refuse prompt secret
write src/a.go a.go
edit src/a.go old new
append src/a.go "// more\n"
text notes.txt 'one line' # and a comment
want file notes.txt 'one line'
delete gone.txt
mkdir empty/deep
text $HOME/outside.txt 'it writes anywhere'
symlink /etc/passwd link
hardlink notes.txt twin
fifo pipe
sparse huge 10737418240
done
-- a.go --
package old
`)
	if err := os.WriteFile(filepath.Join(s.request.Dir, "gone.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.mustPlay("agentd", "scripted")
	if got := s.file("src/a.go"); got != "package new\n// more\n" {
		t.Errorf("a.go = %q", got)
	}
	for name, want := range map[string]fs.FileMode{"link": fs.ModeSymlink, "pipe": fs.ModeNamedPipe, "huge": 0, "twin": 0, "empty/deep": fs.ModeDir} {
		info, err := os.Lstat(filepath.Join(s.request.Dir, name))
		if err != nil || info.Mode().Type() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.home, "outside.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(s.request.Dir, "gone.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone.txt: %v", err)
	}
}

func TestMain_output(t *testing.T) {
	s := newStage(t, `
-- call scripted --
print two words
printerr complaint
raw "\xff\x1b[31m\x00"
rawerr "\u202e"
cat page
flood both 100000
longline stdout 3000000
-- page --
A page.
`)
	s.mustPlay("text", "scripted")
	if out := s.stdout(); !strings.HasPrefix(out, "two words\n\xff\x1b[31m\x00A page.\n0123") || !strings.Contains(out, "left out …]") {
		t.Errorf("stdout = %.100q", out)
	}
	if errs := s.stderr(); !strings.HasPrefix(errs, "complaint\n\u202e0123") {
		t.Errorf("stderr = %.100q", errs)
	}
}

func TestMain_eachAgentsEvents(t *testing.T) {
	script := `
start model-1
retry 429
tool repeat hello.json
say 'All done.'
done in=100 cached=40 out=7
-- hello.json --
{"text": "hello"}
`
	for name, want := range map[string][]string{
		"scripted": {`{"model":"model-1","session":`, `"type":"retry"`, `{"name":"repeat","type":"tool"}`, `"ok":true`, `{"text":"All done.","type":"text"}`, `"in":100`, `{"type":"done"}`},
		"gemini":   {`"type":"init"`, `"tool_name":"mcp_agentd_repeat"`, `"status":"success"`, `"delta":true`, `"total_tokens":107`, `"type":"result"`},
		"codex":    {`"type":"thread.started"`, `Reconnecting... 2/5`, `"type":"item.started"`, `"tool":"repeat"`, `"type":"agent_message"`, `"type":"turn.completed"`, `"cached_input_tokens":40`},
		"claude":   {`"subtype":"init"`, `"subtype":"api_retry"`, `"name":"mcp__agentd__repeat"`, `"tool_result"`, `"text":"All done."`, `"type":"result"`, `"cache_read_input_tokens":40`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "-- call "+name+" --"+script)
			s.mustPlay("text", name, "{tools}")
			rest := s.stdout()
			for _, part := range want {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("%s is not in its place in\n%s", part, s.stdout())
				}
				rest = after
			}
			if name == "gemini" && !strings.Contains(s.stderr(), "Attempt 1 failed with status 429") {
				t.Errorf("stderr = %s", s.stderr())
			}
		})
	}
}

func TestMain_findsTheToolServerAsEachAgentDoes(t *testing.T) {
	script := "\nstart\ntool repeat hello.json\ntool repeat no.json refused\nnonsense garbage\nsubmit challenge hello.json\nsubmit challenge bad.json refused\ndone\n" +
		"-- hello.json --\n{\"text\": \"hello\"}\n-- no.json --\n{\"text\": \"no\"}\n-- bad.json --\n{\"verdict\": \"bad\"}\n-- garbage --\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"server/discover\"}\n"
	for _, row := range []struct {
		name, agent string
		words       func(s *stage) []string
		want        string
	}{
		{"claude's flag with a file", "claude", func(*stage) []string { return []string{"--mcp-config", "{tools}"} }, `heard hello, run true, extra \"1\"`},
		{"claude's flag with JSON", "claude", func(s *stage) []string {
			return []string{"--mcp-config", `{"mcpServers":{"agentd":{"command":"` + s.request.Tools.Command + `"}}}`}
		}, "heard hello, run true"},
		{"codex's configuration, and next to no environment", "codex", func(s *stage) []string {
			return []string{"-c", `mcp_servers.agentd={command="` + s.request.Tools.Command + `",args=[],env={EXTRA="2"},required=true}`}
		}, `heard hello, run false, extra \"2\"`},
		{"gemini's settings in the directory", "gemini", func(s *stage) []string {
			dir := filepath.Join(s.request.Dir, ".gemini")
			settings := []byte(`{"mcpServers":{"agentd":{"command":"` + s.request.Tools.Command + `","trust":true}}}`)
			if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o644)); err != nil {
				t.Fatal(err)
			}
			return nil
		}, "heard hello, run true"},
		{"replay's flags", "scripted", func(s *stage) []string { return []string{"--tool-command=" + s.request.Tools.Command, "--tool-arg=x"} }, "heard hello, run true"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStage(t, "-- call "+row.agent+" --"+script)
			s.mustPlay("text", row.agent, row.words(s)...)
			if !strings.Contains(s.stdout(), row.want) {
				t.Errorf("%s is not in\n%s", row.want, s.stdout())
			}
			call := agenttest.Calls(t, s.home)[0]
			if out, err := os.ReadFile(filepath.Join(call.Folder, "nonsense.out")); err != nil || len(out) == 0 {
				t.Errorf("the answer to nonsense is %q, %v", out, err)
			}
		})
	}
}

func TestMain_processesThatStay_AG09_I5(t *testing.T) {
	for _, row := range []struct {
		name, script string
		wantErr      bool
		survivors    bool
	}{
		{"AG-09 hangs", "hang", true, false},
		{"AG-09 hangs and does not listen", "ignore INT TERM HUP\nhang", true, false},
		{"AG-09 prints for ever", "chatter 24h", true, false},
		{"AG-27 asks", "ask 'Really? [y/N]'", false, false},
		{"I5 leaves a child", "child", false, true},
		{"I5 leaves a child in another session", "child setsid", false, true},
		{"I5 leaves a child that is deaf, bare, and in another session", "child setsid bare deaf", false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStage(t, "-- call scripted --\n"+row.script+"\nprint end\n")
			if row.wantErr {
				s.request.Limits.Wall = 1500 * time.Millisecond
			}
			result, err := s.play("text", "scripted")
			if failed, ok := errors.AsType[*agents.Error](err); ok != row.wantErr || ok && failed.Kind != agents.TimedOut {
				t.Errorf("error = %v", err)
			}
			if (len(result.Survivors) > 0) != row.survivors {
				t.Errorf("survivors = %q", result.Survivors)
			}
		})
	}
}

func TestMain_exitStatus(t *testing.T) {
	s := newStage(t, "-- call scripted --\nfail 'credit too low'\nexit 41\nprint never\n")
	if result, err := s.play("agentd", "scripted"); err == nil || result.ExitCode != 41 || strings.Contains(s.stdout(), "never") {
		t.Errorf("status %d, %v", result.ExitCode, err)
	}
	s = newStage(t, "-- call scripted --\n# nothing at all\n")
	if _, err := s.play("agentd", "scripted"); err == nil {
		t.Error("AG-22: doing nothing passed for success")
	}
}

func TestMain_tampersWithGit(t *testing.T) {
	s := newStage(t, `
-- call scripted --
text a.txt 'changed'
git add a.txt
git -c user.name=agent -c user.email=agent@example.com commit -qm 'by itself'
git switch -qc elsewhere
git checkout -q --detach
gitfile hooks/pre-commit "#!/bin/sh\n"
gitfile config "[core]\n\thooksPath = evil\n"
`)
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.request.Dir, []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("-c", "user.name=p", "-c", "user.email=p@example.com", "commit", "-qm", "first", "--allow-empty")
	s.mustPlay("text", "scripted")
	if got := git("log", "--format=%an %s", "-1"); got != "agent by itself" {
		t.Errorf("last commit: %s", got)
	}
	if head := s.file(".git/HEAD"); strings.HasPrefix(head, "ref:") {
		t.Errorf("HEAD = %s", head)
	}
	if !strings.Contains(s.file(".git/config"), "hooksPath = evil") || s.file(".git/hooks/pre-commit") == "" {
		t.Error("git's own files are untouched")
	}
}
