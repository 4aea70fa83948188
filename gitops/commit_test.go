package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

const message = "agentd(x): step\n\n# a heading\n---\nÜmlaut\n\nAgentd-Change: x\nAgentd-Phase: proposed\n"

func request(repo *gitopstest.Repo) gitops.CommitRequest {
	return gitops.CommitRequest{Tree: repo.Rev("main^{tree}"), Parents: []gitops.ID{repo.Rev("main")}, Message: message}
}

// The message arrives byte for byte, whatever the user's configuration does to messages.
func TestCommitTree_verbatim_RP30(t *testing.T) {
	t.Parallel()
	for _, shape := range []gitopstest.Shape{gitopstest.Plain, gitopstest.Bare, gitopstest.Linked, gitopstest.SHA256} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello)
			repo.Hostile()
			id, err := repo.Open().CommitTree(t.Context(), request(repo))
			if err != nil {
				t.Fatal(err)
			}
			raw := repo.Git("cat-file", "commit", string(id)) + "\n"
			head, body, _ := strings.Cut(raw, "\n\n")
			if body != message {
				t.Errorf("message %q", body)
			}
			want := "tree " + repo.Git("rev-parse", "main^{tree}") + "\nparent " + repo.Git("rev-parse", "main") +
				"\nauthor Ada Lovelace <ada@example.com> 1767323045 +0000\ncommitter Ada Lovelace <ada@example.com> 1767323045 +0000"
			if head != want {
				t.Errorf("head\n%s\nwant\n%s", head, want)
			}
			if main := repo.Rev("main"); main == id {
				t.Error("the branch has moved")
			}
		})
	}
}

func TestCommitTree_hookRefuses_RP10(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Hook("commit-msg", `echo "no ticket in $(head -n1 "$1")"; echo more >&2; exit 3`)
	watch := gitopstest.Watch(t, repo)
	_, err := repo.Open().CommitTree(t.Context(), request(repo))
	wantError(t, err, "the commit-msg hook refused", "run the same command again")
	hook, ok := errors.AsType[*gitops.HookError](err)
	if !ok || hook.Code != 3 || !strings.Contains(hook.Output, "no ticket in agentd(x): step") || !strings.Contains(hook.Output, "more") {
		t.Errorf("%+v", hook)
	}
	watch.Check()
	left, err := filepath.Glob(filepath.Join(repo.Dir, ".git", "agentd-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestCommitTree_hookChanges_RP10(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"hooks", "core.hooksPath", "~"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			repo := gitopstest.New(t, hello)
			switch place {
			case "core.hooksPath":
				repo.Git("config", "core.hooksPath", ".husky")
				if err := os.Mkdir(filepath.Join(repo.Dir, ".husky"), 0o755); err != nil {
					t.Fatal(err)
				}
			case "~":
				repo.Git("config", "core.hooksPath", "~/hooks")
			}
			if place == "~" {
				mustHook(t, filepath.Join(repo.Home, "hooks"), "echo 'Ticket: ABC-1' >>\"$1\"")
			} else {
				repo.Hook("commit-msg", "echo 'Ticket: ABC-1' >>\"$1\"")
			}
			var judged string
			req := request(repo)
			req.Keep = func(after string) error { judged = after; return nil }
			id, err := repo.Open().CommitTree(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if got := repo.Git("log", "-1", "--format=%B", string(id)); judged != message+"Ticket: ABC-1\n" || got != judged {
				t.Errorf("judged %q, committed %q", judged, got)
			}
			broken := errors.New("our block changed")
			req.Keep = func(string) error { return broken }
			if id, err := repo.Open().CommitTree(t.Context(), req); !errors.Is(err, broken) || !id.IsZero() {
				t.Errorf("%q %v", id, err)
			}
		})
	}
}

func mustHook(t *testing.T, dir, script string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	gitopstest.WriteProgram(t, filepath.Join(dir, "commit-msg"), "#!/bin/sh\n"+script+"\n")
}

// fakeGPG signs like gpg does, as far as git can tell, or refuses.
func fakeGPG(t *testing.T, repo *gitopstest.Repo, script string) {
	t.Helper()
	path := filepath.Join(repo.Home, "gpg")
	gitopstest.WriteProgram(t, path, "#!/bin/sh\n"+script)
	repo.Git("config", "gpg.program", path)
	repo.Git("config", "user.signingKey", "ada")
}

func TestCommitTree_signs(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	fakeGPG(t, repo, `cat >/dev/null; echo "[GNUPG:] SIG_CREATED " >&2; echo "-----BEGIN PGP SIGNATURE-----"; echo; echo "by $*"; echo "-----END PGP SIGNATURE-----"`)
	id, err := repo.Open().CommitTree(t.Context(), request(repo))
	if err != nil || strings.Contains(repo.Git("cat-file", "commit", string(id)), "gpgsig") {
		t.Fatalf("signed without being asked: %v", err)
	}
	repo.Git("config", "commit.gpgSign", "true")
	id, err = repo.Open().CommitTree(t.Context(), request(repo))
	if err != nil {
		t.Fatal(err)
	}
	raw := repo.Git("cat-file", "commit", string(id))
	if !strings.Contains(raw, "gpgsig -----BEGIN PGP SIGNATURE-----") || !strings.Contains(raw, "ada") {
		t.Errorf("not signed:\n%s", raw)
	}
	objects, err := repo.Open().Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	if c, err := objects.Commit(id); err != nil || c.Message != message {
		t.Errorf("read back: %q %v", c.Message, err)
	}
	fakeGPG(t, repo, "echo 'no secret key' >&2; exit 2")
	_, err = repo.Open().CommitTree(t.Context(), request(repo))
	wantError(t, err, "sign the commit", "commit.gpgSign")
}

func TestCommitTree_nul(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	req := request(repo)
	req.Message = "a\x00b"
	if _, err := repo.Open().CommitTree(t.Context(), req); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("%v", err)
	}
}
