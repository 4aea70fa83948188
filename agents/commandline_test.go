package agents_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the difference before committing it")

// sessionOf is a session that an earlier call in the request's Home began.
func sessionOf(r agents.Request, base agents.Usage) *agents.Session {
	return &agents.Session{ID: "01a1ff0f-08fd-7a01-9091-d5bc88520e10", Dir: r.Home, Base: base}
}

// commandLine is what a real agent is started with, for a person to read.
func commandLine(t testing.TB, vendor string, v agents.Vendor, r agents.Request) string {
	t.Helper()
	inv, err := vendorNamed(vendor, v).NewCodec().Args(r)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	show := func(format string, values ...any) { fmt.Fprintf(&out, format+"\n", values...) }
	for i := 0; i < len(inv.Args); i++ {
		if strings.HasPrefix(inv.Args[i], "-") && i+1 < len(inv.Args) && !strings.HasPrefix(inv.Args[i+1], "-") {
			show("%s %s", inv.Args[i], inv.Args[i+1])
			i++
			continue
		}
		show("%s", inv.Args[i])
	}
	for _, entry := range inv.Env {
		show("env %s", entry)
	}
	show("in %s, files in %q, no prompt %v, instead %q", inv.Dir, inv.Home, inv.NoStdin, inv.Stdin)
	var names []string
	for name := range inv.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		show("-- %s --\n%s", name, strings.TrimSpace(string(inv.Files[name])))
	}
	return strings.NewReplacer(r.RunDir, "$RUN", r.Home, "$HOME").Replace(out.String())
}

func TestVendors_commandLines(t *testing.T) {
	for _, vendor := range []string{"gemini", "codex", "claude"} {
		for _, row := range []struct {
			name string
			edit func(*agents.Request)
		}{
			{"reads", func(r *agents.Request) { r.Access, r.System = agents.ReadOnly, "You plan.\n" }},
			{"tools", func(r *agents.Request) { r.Access, r.Effort = agents.ToolsOnly, "high" }},
			{"documents", func(r *agents.Request) { r.Access, r.System = agents.Documents, "You plan.\n" }},
			{"writes", func(r *agents.Request) {
				r.Access, r.Allow = agents.Write, []string{"go test *", "git diff *"}
				r.Tools.Env = []string{`A="1"`}
			}},
			{"resumes", func(r *agents.Request) { r.Session = sessionOf(*r, agents.Usage{}) }},
			{"without_tools", func(r *agents.Request) { r.Tools, r.Model = nil, "" }},
		} {
			t.Run(vendor+"/"+row.name, func(t *testing.T) {
				r := recordedRequest(t)
				r.Model = map[string]string{"gemini": "gemini-3-flash-preview", "codex": "gpt-6.1-sol", "claude": "sonnet"}[vendor]
				r.Tools.Args = []string{"mcp", "--change", "add-oauth", "--run", r.RunDir}
				row.edit(&r)
				golden(t, filepath.Join("testdata", "commandline", vendor+"_"+row.name), commandLine(t, vendor, agents.Vendor{}, r))
			})
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// A prompt that is too long for some standard input is named instead; one that just fits is not.
func TestVendors_longPromptStaysInItsFile_AG28(t *testing.T) {
	for _, vendor := range []string{"gemini", "codex", "claude"} {
		r := recordedRequest(t)
		r.Access = agents.ToolsOnly
		for _, row := range []struct {
			bytes int
			named bool
		}{{1 << 20, false}, {1<<20 + 1, true}} {
			r.Prompt = []byte(strings.Repeat("x", row.bytes))
			inv, err := vendorNamed(vendor, agents.Vendor{}).NewCodec().Args(r)
			if err != nil {
				t.Fatal(err)
			}
			r.Access = agents.Documents
			documents, err := vendorNamed(vendor, agents.Vendor{}).NewCodec().Args(r)
			if err != nil {
				t.Fatal(err)
			}
			r.Access = agents.ToolsOnly
			if same := slices.Equal(documents.Args, inv.Args); same != row.named {
				t.Errorf("%s with %d bytes: %q has no way to read the prompt", vendor, row.bytes, documents.Args)
			}
			if named := strings.Contains(string(inv.Stdin), r.PromptFile()); named != row.named || inv.NoStdin {
				t.Errorf("%s with %d bytes: standard input is %q", vendor, row.bytes, inv.Stdin)
			}
			if vendor != "codex" && slices.Contains(inv.Args, r.CallDir) != row.named { // codex reads anywhere
				t.Errorf("%s with %d bytes may look into the call's folder: %q", vendor, row.bytes, inv.Args)
			}
			for _, word := range inv.Args {
				if len(word) > 4096 {
					t.Errorf("%s has an argument of %d bytes", vendor, len(word))
				}
			}
		}
	}
}

func TestVendors_refuseWhatTheyCannotSay(t *testing.T) {
	for _, row := range []struct {
		vendor, kind, want string
		edit               func(*agents.Request)
	}{
		{"gemini", "config", `effort is "turbo", and must be one of high, low, max, medium, minimal, xhigh`, func(r *agents.Request) { r.Effort = "turbo" }},
		{"codex", "config", `effort is "extra high"`, func(r *agents.Request) { r.Effort = "extra high" }},
		{"claude", "config", `effort is "minimal"`, func(r *agents.Request) { r.Effort = "minimal" }},
		{"claude", "config", `model "--dangerously-skip-permissions" is no name`, func(r *agents.Request) { r.Model = "--dangerously-skip-permissions" }},
		{"gemini", "config", "a comma", func(r *agents.Request) { r.Dir = "/srv/a,b" }},
		{"codex", "session", `"--last" is no session`, func(r *agents.Request) { r.Session = &agents.Session{ID: "--last"} }},
		{"codex", "session", "belongs to gemini", func(r *agents.Request) {
			r.Session = &agents.Session{Agent: "gemini", ID: "01a1ff0f-08fd-7a01-9091-d5bc88520e10"}
		}},
		{"codex", "config", "config.toml", func(r *agents.Request) {
			writeFile(t, filepath.Join(home(*r), ".codex", "config.toml"), "[mcp_servers")
		}},
	} {
		t.Run(row.vendor+" "+row.kind, func(t *testing.T) {
			r := request(t)
			row.edit(&r)
			_, failed := failure(t, vendorNamed(row.vendor, agents.Vendor{Command: []string{executable(t), "behave", "say"}}), r)
			if failed.Kind.String() != row.kind || !strings.Contains(failed.Error(), row.want) {
				t.Errorf("%s: %v", failed.Kind, failed)
			}
		})
	}
}

// Gemini finds a session only where it began.
func TestGemini_resumesOnlyAtHome_AG26(t *testing.T) {
	for _, dir := range []string{"", "/home/ada", "elsewhere"} {
		r := recordedRequest(t)
		r.Session = sessionOf(r, agents.Usage{})
		r.Session.Dir = dir
		_, err := agents.NewGemini(agents.Vendor{}).NewCodec().Args(r)
		if failed, ok := errors.AsType[*agents.Error](err); !ok || failed.Kind != agents.SessionGone {
			t.Errorf("in %q: %v", dir, err)
		}
	}
}

// The person's own servers stay out, and the key of the person's own provider gets in.
func TestCodex_mindsThePersonsConfiguration(t *testing.T) {
	r := recordedRequest(t)
	r.Dir = t.TempDir()
	writeFile(t, filepath.Join(home(r), ".codex", "config.toml"), `
model_provider = "azure"
[mcp_servers."odd name"]
command = "x"
[mcp_servers.agentd]
command = "mine"
[model_providers.azure]
env_key = "AZURE_KEY"
env_http_headers = { "X-Team" = "TEAM_HEADER" }
`)
	// The project's file is whoever's: it names servers to keep out, and no variable of the person's.
	project := filepath.Join(r.Dir, ".codex", "config.toml")
	writeFile(t, project, `
[mcp_servers.project]
command = "y"
[mcp_servers.far]
url = "https://example.com"
[model_providers.evil]
env_key = "OTHER_KEY"
env_http_headers = { "X" = "OTHER_KEY" }
`)
	r.Environ = append(r.Environ, "AZURE_KEY=k", "TEAM_HEADER=t", "OTHER_KEY=o")
	inv, err := agents.NewCodex(agents.Vendor{}).NewCodec().Args(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := `mcp_servers={"far"={"enabled"=false,"url"="https://example.com"},"odd name"={"command"="x","enabled"=false},"project"={"command"="y","enabled"=false}}`; !slices.Contains(inv.Args, want) {
		t.Errorf("arguments %q lack %q", inv.Args, want)
	}
	if diff := cmp.Diff([]string{"AZURE_KEY=k", "TEAM_HEADER=t"}, inv.Env); diff != "" {
		t.Error(diff)
	}
}

// Where nobody trusts the project, what stands there keeps Codex from nothing.
func TestCodex_projectsConfigurationIsNoObstacle(t *testing.T) {
	many := strings.Builder{}
	for i := range 10_000 {
		fmt.Fprintf(&many, "[mcp_servers.s%d]\ncommand = 'x'\n", i)
	}
	for name, row := range map[string]struct {
		project string
		want    string // of mcp_servers, "" for none
	}{
		"no TOML":       {"[mcp_servers", ""},
		"no table":      {"mcp_servers = 5", ""},
		"too large":     {"#" + strings.Repeat("x", 1_200_000), ""},
		"too many":      {many.String(), ""},
		"a number":      {"[mcp_servers]\nfoo = 3", `{"foo"={"command"="false","enabled"=false}}`},
		"no way to it":  {"[mcp_servers.foo]\nenabled = true", `{"foo"={"command"="false","enabled"=false}}`},
		"two ways":      {"[mcp_servers.foo]\ncommand = 'x'\nurl = 'http://x'", `{"foo"={"command"="false","enabled"=false}}`},
		"of wrong type": {"[mcp_servers.foo]\ncommand = 3\nurl = 'http://x'", `{"foo"={"enabled"=false,"url"="http://x"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := recordedRequest(t)
			r.Dir = t.TempDir()
			writeFile(t, filepath.Join(r.Dir, ".codex", "config.toml"), row.project)
			if got := serversOff(t, r); got != row.want {
				t.Errorf("mcp_servers is %q, want %q", got, row.want)
			}
		})
	}
	t.Run("a file in the folder's place", func(t *testing.T) {
		r := recordedRequest(t)
		r.Dir = t.TempDir()
		writeFile(t, filepath.Join(r.Dir, ".codex"), "I am a file.")
		serversOff(t, r)
	})
	t.Run("a link to itself", func(t *testing.T) {
		r := recordedRequest(t)
		r.Dir = t.TempDir()
		if err := os.Symlink(".codex", filepath.Join(r.Dir, ".codex")); err != nil {
			t.Fatal(err)
		}
		serversOff(t, r)
	})
}

// serversOff is what Codex is told of servers that are not ours, "" for nothing.
func serversOff(t *testing.T, r agents.Request) string {
	t.Helper()
	inv, err := agents.NewCodex(agents.Vendor{}).NewCodec().Args(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range inv.Args {
		if value, ok := strings.CutPrefix(arg, "mcp_servers="); ok {
			return value
		}
	}
	return ""
}

// Codex's own configuration is not ours: the hint names the file that is at fault.
func TestCodex_hintNamesItsOwnConfiguration(t *testing.T) {
	r := request(t)
	own := filepath.Join(home(r), ".codex", "config.toml")
	writeFile(t, own, "[mcp_servers")
	_, failed := failure(t, agents.NewCodex(agents.Vendor{Command: []string{executable(t), "behave", "say"}}), r)
	if want := "mend " + own + "; then run the same command again"; failed.Hint() != want {
		t.Errorf("hint is %q, want %q", failed.Hint(), want)
	}
}

// Keys of a cloud reach Claude only where that cloud is switched on.
func TestClaude_signsInWithTheCloudThatIsChosen(t *testing.T) {
	r := recordedRequest(t)
	r.Environ = append(r.Environ, "AWS_SECRET_ACCESS_KEY=s", "AWS_REGION=eu", "GOOGLE_APPLICATION_CREDENTIALS=/g")
	for _, use := range []string{"", "CLAUDE_CODE_USE_BEDROCK=1"} {
		r.Environ = append(r.Environ, use)
		inv, err := agents.NewClaude(agents.Vendor{}).NewCodec().Args(r)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(inv.Env, " ")
		if strings.Contains(all, "AWS_SECRET_ACCESS_KEY=s AWS_REGION") || strings.Contains(all, "AWS_SECRET_ACCESS_KEY=s") != (use != "") || strings.Contains(all, "GOOGLE") {
			t.Errorf("with %q: %s", use, all)
		}
	}
}

func TestGemini_settingsAreJSON(t *testing.T) {
	r := recordedRequest(t)
	r.Effort, r.Model = "max", "gemini-3-pro-preview"
	r.Environ = append(r.Environ, "GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1")
	inv, err := agents.NewGemini(agents.Vendor{}).NewCodec().Args(r)
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Tools    struct{ Core []string }
		Security struct{ Auth struct{ SelectedType string } }
	}
	if err := json.Unmarshal(inv.Files[".gemini/settings.json"], &settings); err != nil {
		t.Fatal(err)
	}
	if settings.Security.Auth.SelectedType != "gemini-api-key" || slices.Contains(settings.Tools.Core, "run_shell_command") || !slices.Contains(settings.Tools.Core, "mcp_agentd_*") {
		t.Errorf("settings = %+v", settings)
	}
}

func home(r agents.Request) string {
	for _, entry := range r.Environ {
		if dir, ok := strings.CutPrefix(entry, "HOME="); ok {
			return dir
		}
	}
	return ""
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
