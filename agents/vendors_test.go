package agents_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/agents/agenttest"
)

// scripted makes the three agents' programs and a request for one that obeys the script.
// A tool server is this binary.
func scripted(t *testing.T, script string) agents.Request {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"gemini", "codex", "claude"} {
		if err := os.Symlink(executable(t), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	r := request(t)
	r.Home = filepath.Join(t.TempDir(), "homes", "add-oauth-proposer")
	r.Environ = []string{"HOME=" + home(r), "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}
	r.Tools = &agents.ToolServer{Command: executable(t), Args: []string{"toolserver"}, Env: []string{"TOOL_SERVER_NAME=it", "GORACE=atexit_sleep_ms=0"}, Names: []string{"repeat"}}
	agenttest.Install(t, home(r), script)
	return r
}

func scriptedAgent(name string) *agents.Program {
	return vendorNamed(name, agents.Vendor{Env: map[string]string{"GORACE": "atexit_sleep_ms=0"}})
}

func eachVendor(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range []string{"gemini", "codex", "claude"} {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

func TestVendors_Run_callTheToolsAndReport(t *testing.T) {
	eachVendor(t, func(t *testing.T, name string) {
		r := scripted(t, `
-- call `+name+` --
want prompt 'Write the proposal.'
start a-model
say 'I begin.'
tool repeat hi.json
tool repeat no.json refused
say 'That was it.'
done in=1200 cached=200 out=300
-- hi.json --
{"text":"hi"}
-- no.json --
{"text":"no"}
`)
		r.Model = "a-model"
		result, err := scriptedAgent(name).Run(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools := []agents.ToolCall{{Name: "repeat", OK: true, Message: "heard hi"}, {Name: "repeat", Message: "it refuses"}}
		if diff := cmp.Diff(tools, result.Tools); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		u := result.Usage
		if u.In != 1200 || u.Cached != 200 || u.Out != 300 || !u.Known || result.Model != "a-model" || result.Session.ID == "" || result.Session.Agent != name || result.Text == "" || result.Skipped != 0 {
			t.Errorf("result = %+v", result)
		}
		// Nothing is written where the person or the project keeps things.
		if left, err := os.ReadDir(r.Dir); err != nil || len(left) > 0 {
			t.Errorf("in the worktree: %v, %v", left, err)
		}
	})
}

// Each gets the keys that it signs in with, and nobody else's.
func TestVendors_Run_seeOnlyTheirOwnKeys(t *testing.T) {
	keys := []string{
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "CODEX_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_ADMIN_KEY", "CLAUDE_CODE_OAUTH_TOKEN",
		"GH_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "GIT_ASKPASS", "SSH_AUTH_SOCK", "NPM_TOKEN",
	}
	own := map[string][]string{
		"gemini": {"GEMINI_API_KEY", "GOOGLE_API_KEY"}, "codex": {"CODEX_API_KEY"}, "claude": {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"},
	}
	eachVendor(t, func(t *testing.T, name string) {
		r := scripted(t, "-- call "+name+" --\nstart\ndone\n")
		for _, key := range keys {
			r.Environ = append(r.Environ, key+"=0123456789-"+key)
		}
		if _, err := scriptedAgent(name).Run(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		var seen []string
		for _, key := range keys {
			if agenttest.Calls(t, home(r))[0].Env(key) != "" {
				seen = append(seen, key)
			}
		}
		if diff := cmp.Diff(own[name], seen); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	})
}

// NC-07: what will not pass by itself is not waited for, and what may pass is, but not for ever.
func TestVendors_Run_stopsRetriesThatAreOfNoUse_NC07(t *testing.T) {
	eachVendor(t, func(t *testing.T, name string) {
		for _, row := range []struct{ name, script, kind string }{
			{"a key that is refused", "start\nretry 401\nhang\n", "not-authenticated"},
			{"a door that stays closed", "start\nretry 403\nhang\n", "not-authenticated"},
			{"too many requests, three times", "start\nretry 429\nretry 429\nretry 429\nhang\n", "rate-limited"},
			{"with an answer in between", "start\nretry 429\nretry 429\nsay on\ntool repeat hi.json\nretry 429\nretry 429\nsay on\ndone\n", ""},
			{"down for a while", "start\nretry 503\nretry 503\nretry 503\nretry 503\nsay on\ndone\n", ""},
		} {
			t.Run(row.name, func(t *testing.T) {
				r := scripted(t, "-- call "+name+" --\n"+row.script+"-- hi.json --\n{\"text\":\"hi\"}\n")
				result, err := scriptedAgent(name).Run(t.Context(), r, nil)
				failed, _ := errors.AsType[*agents.Error](err)
				if row.kind == "" && err != nil || row.kind != "" && (failed == nil || failed.Kind.String() != row.kind) {
					t.Errorf("error = %v", err)
				}
				if failed != nil && failed.Session == "" {
					t.Errorf("the session is lost: %+v", result.Session)
				}
			})
		}
	})
}

// AG-22: leaving with status 0 is no success; the CLIs do so when they are interrupted.
func TestVendors_Run_exitZeroIsNoSuccess_AG22(t *testing.T) {
	eachVendor(t, func(t *testing.T, name string) {
		for script, kind := range map[string]agents.ErrorKind{
			"":                  agents.NoOutput,
			"start\nsay Done.":  agents.BadOutput,
			"start\nfail sorry": agents.Failed,
		} {
			r := scripted(t, "-- call "+name+" --\n"+script+"\nexit 0\n")
			_, failed := failure(t, scriptedAgent(name), r)
			if failed.Kind != kind || failed.Hint() == "" {
				t.Errorf("after %q: %s: %v", script, failed.Kind, failed)
			}
		}
	})
}

func TestVendors_Run_resume(t *testing.T) {
	eachVendor(t, func(t *testing.T, name string) {
		r := scripted(t, "-- call "+name+"/proposal-gen/1 --\nstart\ndone in=1000 out=100\n-- call "+name+"/proposal-gen/2 --\nstart\ntool repeat hi.json\ndone in=1500 out=200\n-- hi.json --\n{\"text\":\"hi\"}\n")
		agent := scriptedAgent(name)
		first, err := agent.Run(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Session = &first.Session
		r.RunDir = t.TempDir()
		left := filepath.Join(r.Home, ".gemini", "policies", "everything.toml")
		if name == "gemini" {
			writeFile(t, left, "an agent may have left this")
		}
		second, err := agent.Run(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		calls := agenttest.Calls(t, home(r))
		if !slices.Contains(calls[1].Args, first.Session.ID) || second.Session.Dir != first.Session.Dir {
			t.Errorf("it was told %q, and goes on in %+v", calls[1].Args, second.Session)
		}
		if name == "codex" && second.Usage.In != 500 || name != "codex" && second.Usage.In != 1500 {
			t.Errorf("usage = %+v", second.Usage)
		}
		if name == "gemini" && calls[1].Dir != calls[0].Dir {
			t.Errorf("gemini finds its sessions only in %s, and was started in %s", calls[0].Dir, calls[1].Dir)
		}
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is still there", left)
		}
	})
}

// A wrapper that prints what one of them prints is a full agent, and signs in like it.
func TestCommand_speaksLikeAVendor(t *testing.T) {
	eachVendor(t, func(t *testing.T, name string) {
		r := scripted(t, "-- call "+name+" --\nstart m-1\nwant env CODEX_API_KEY\nwant arg --for=proposal-gen\ntool repeat hi.json\nsay Done.\ndone in=10 out=2\n-- hi.json --\n{\"text\":\"hi\"}\n")
		r.Environ = append(r.Environ, "CODEX_API_KEY=0123456789", "GEMINI_API_KEY=0123456789", "ANTHROPIC_API_KEY=0123456789")
		script := strings.ReplaceAll("-- call "+name+" --\nstart m-1\nwant env KEY\nwant arg --for=proposal-gen\ntool repeat hi.json\nsay Done.\ndone in=10 out=2\n-- hi.json --\n{\"text\":\"hi\"}\n",
			"KEY", map[string]string{"gemini": "GEMINI", "codex": "CODEX", "claude": "ANTHROPIC"}[name]+"_API_KEY")
		agenttest.Install(t, home(r), script)
		agent, err := agents.Command{
			Name: "wrapped", Command: []string{name, "--for={step}", "{tools}"}, Output: name, Env: map[string]string{"GORACE": "atexit_sleep_ms=0"},
		}.Agent()
		if err != nil {
			t.Fatal(err)
		}
		result, err := agent.Run(t.Context(), r, nil)
		if err != nil || result.Usage.In != 10 || len(result.Tools) != 1 || result.Session.ID == "" {
			t.Errorf("%v, %+v", err, result)
		}
	})
}

// What a runner installs is what the adapters are tested with, and its key reaches the agent.
func TestMachineOf_isWhatIsTested(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "clis", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &pinned); err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]*agents.Program{
		"gemini": agents.NewGemini(agents.Vendor{}), "codex": agents.NewCodex(agents.Vendor{}), "claude": agents.NewClaude(agents.Vendor{}),
	} {
		machine, ok := agents.MachineOf(name)
		npm, release, _ := strings.Cut(strings.TrimPrefix(machine.Package, "@"), "@")
		if !ok || release == "" || pinned.Dependencies["@"+npm] != release || !slices.Contains(program.Keys, machine.Key) {
			t.Errorf("%s: %+v, and %v is tested", name, machine, pinned.Dependencies)
		}
	}
	if machine, ok := agents.MachineOf("mine"); ok {
		t.Errorf("a program of somebody's own is %+v", machine)
	}
}
