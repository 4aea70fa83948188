package inbox_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/inbox"
)

// badPaths are names that no tool may take, each with what the model is told.
var badPaths = map[string]string{
	"":                     "is empty",
	".":                    "shortest form",
	"./proposal.md":        "shortest form",
	"specs//auth.md":       "shortest form",
	"../STATE.yaml":        `path "../STATE.yaml" is outside the change folder`,
	"a/../../x":            "is outside the change folder",
	"specs/../../run.json": "is outside the change folder",
	"/etc/passwd":          "is outside the change folder",
	"%2e%2e/x":             "percent sign",
	`..\x`:                 "backslash",
	"C:/x":                 "is outside the change folder",
	"proposal.md:stream":   "is outside the change folder",
	".git/config":          "is not a document of the change",
	".env":                 "is not a document of the change",
	"specs/.hidden.md":     "is not a document of the change",

	"agentd/changes/add-oauth/../../x":     "is outside the change folder",
	"agentd/changes/add-oauth/":            "is empty",
	"agentd/changes/add-oauth/.env":        "is not a document of the change",
	"agentd/changes/add-oauth//etc/passwd": "is outside the change folder",
	"proposal.md.":                         "ends in a dot",
	"pro\u202eposal.md":                    "invisible character",
	strings.Repeat("x", 5000):              "limit",
}

func TestBox_Call_readFileStaysInside_MC02(t *testing.T) {
	b := box(t, "challenge")
	for path, want := range badPaths {
		if path == "" || len(path) > 4096 {
			want = "" // the schema refuses these two
		}
		wantText(t, refused(t, b, "read_file", object{"path": path}), want)
	}
	wantText(t, refused(t, b, "read_file", `{"path":"a\u0000b"}`), "NUL")
}

func TestBox_Call_editFileStaysInside_MC02(t *testing.T) {
	b := box(t, "reproposal")
	for path := range badPaths {
		refused(t, b, "edit_file", object{"path": path, "find": "x", "replace": "y", "hash": "0"})
	}
	unchanged(t, b, files())
}

func TestBox_Call_refusesLinks_MC03(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := box(t, "reproposal")
	change := filepath.Join(b.Dir(), "change")
	for name, target := range map[string]string{
		"specs/out.md":    secret,
		"specs/inside.md": filepath.Join(change, "proposal.md"),
		"specs/dots.md":   "../../run.json",
	} {
		if err := os.Symlink(target, filepath.Join(change, name)); err != nil {
			t.Fatal(err)
		}
		told := refused(t, b, "read_file", object{"path": name})
		wantText(t, told, name, "is not a regular file")
		if strings.Contains(told, "secret.md") {
			t.Errorf("the refusal tells where the link leads: %s", told)
		}
		told = refused(t, b, "edit_file", object{"path": name, "find": "secret", "replace": "gone", "hash": "0"})
		wantText(t, told, "is not a regular file")
	}
	if _, err := b.Files(); err == nil {
		t.Error("the run's holder is not told about the links")
	}
	if data, _ := os.ReadFile(secret); string(data) != "the secret" {
		t.Errorf("the file outside was changed: %q", data)
	}
}

func TestBox_Call_doesNotWriteThroughLinks_MC03(t *testing.T) {
	outside := t.TempDir()
	b := box(t, "spec-gen-auth")
	change := filepath.Join(b.Dir(), "change")
	if err := os.RemoveAll(filepath.Join(change, "specs")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(change, "specs")); err != nil {
		t.Fatal(err)
	}
	wantText(t, refused(t, b, "create_spec", spec("auth")), `"specs" is a symbolic link`)
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestBox_Call_swappedFolder_MC03(t *testing.T) {
	outside := t.TempDir()
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "spec-gen-auth", Created: created, MaxCalls: 1000}, files())
	change := filepath.Join(b.Dir(), "change")
	real, link := filepath.Join(change, "specs"), filepath.Join(change, "aside")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				// The folder and the link change places, again and again.
				_ = os.Rename(real, real+".tmp")
				_ = os.Rename(link, real)
				_ = os.Rename(real, link)
				_ = os.Rename(real+".tmp", real)
			}
		}
	}()
	for range 40 {
		_, _ = b.Call(t.Context(), "create_spec", encode(t, spec("auth")))
	}
	close(stop)
	<-stopped
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestBox_Call_readsOnlyTheChange_MC05(t *testing.T) {
	b := box(t, "challenge")
	for _, path := range []string{"run.json", "calls.jsonl", "inbox/verdict.json", "../run.json", "agentd/changes/other/proposal.md"} {
		refused(t, b, "read_file", object{"path": path})
	}
	// A model may name a file as the repository does.
	wantText(t, call(t, b, "read_file", object{"path": "agentd/changes/add-oauth/proposal.md"}).Text, "path: proposal.md\n")

	told := refused(t, b, "read_file", object{"path": "specs/none.md"})
	wantText(t, told, `"specs/none.md" does not exist`, "proposal.md, specs/auth.md")
}

func TestBox_Call_editsOnlyWhatTheStepOwns_MC06(t *testing.T) {
	everything := map[string][]byte{
		"clarifications.md": []byte("# Clarifications\n"), "tasks.md": []byte("# Tasks\n"), "REVIEW.md": []byte("# Review\n"),
		"specs/tokens.md": []byte(strings.ReplaceAll(authMD, "auth", "tokens")), "GEMINI.md": []byte("# Context\n"),
		"specs/deep/x.md": []byte("# X\n"),
	}
	maps.Copy(everything, files())

	for step, want := range map[string][]string{
		"proposal-review":    {"proposal.md"},
		"spec-review-auth":   {"specs/auth.md"},
		"spec-review-tokens": {"specs/tokens.md"},
		"tasks-review":       {"tasks.md"},
		"validate":           {"proposal.md", "specs/auth.md", "specs/tokens.md", "tasks.md"},
		"reproposal":         {"proposal.md", "specs/auth.md", "specs/tokens.md", "tasks.md"},
	} {
		t.Run(step, func(t *testing.T) {
			b := boxOf(t, inbox.Run{Change: "add-oauth", Step: step, Created: created}, everything)
			for path, content := range everything {
				find := strings.TrimSpace(string(content))
				if line, _, ok := strings.Cut(find, "\n"); ok && strings.Count(find, line) == 1 {
					find = line
				}
				args := object{"path": path, "find": find, "replace": find + "\n\nmore", "hash": hashOf(t, b, path)}
				if slices.Contains(want, path) {
					call(t, b, "edit_file", args)
					continue
				}
				wantText(t, refused(t, b, "edit_file", args), "may not be edited in step", want[0][:5])
				if got := file(t, b, path); got != string(content) {
					t.Errorf("%s was changed", path)
				}
			}
		})
	}
}
