package phases_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/phases"
)

func TestParseChangeID_accepts(t *testing.T) {
	for _, s := range []string{"a", "7", "add-oauth", "x1-2-y", "com", "com10", "console", strings.Repeat("a", 64)} {
		id, err := phases.ParseChangeID(s)
		if err != nil || id.String() != s || id.IsZero() {
			t.Errorf("%q: %v, %v", s, id, err)
		}
	}
}

func TestParseChangeID_refuses(t *testing.T) {
	for _, tc := range []struct{ name, in, says, slug string }{
		{"ID-02 é composed", "caf\u00e9", `"caf\u00e9"`, "caf"},
		{"ID-02 é decomposed", "cafe\u0301", `'\u0301'`, "cafe"},
		{"ID-02 Cyrillic a", "\u0430dd", `"\u0430dd"`, "dd"},
		{"ID-02 full-width", "\uff41dd", `"\uff41dd"`, "add"},
		{"ID-02 emoji", "add-\U0001F680", `\U0001f680`, "add"},
		{"ID-02 right-to-left override", "a\u202eb", `\u202e`, "a-b"},
		{"ID-02 zero-width", "a\u200bb", `\u200b`, "a-b"},
		{"ID-06 65 characters", strings.Repeat("a", 65), "65 bytes long, the limit is 64", strings.Repeat("a", 64)},
		{"ID-06 250 characters", strings.Repeat("a", 250), "the limit is 64", strings.Repeat("a", 64)},
		{"ID-06 300 characters", strings.Repeat("a", 300), "the limit is 64", strings.Repeat("a", 64)},
		{"ID-06 100000 characters", strings.Repeat("-", 100_000), "the limit is 64", ""},
		{"ID-08 empty", "", "the id is empty", ""},
		{"ID-08 blanks", "   ", "it is empty", ""},
		{"upper case", "Add", "'A'", "add"},
		{"leading hyphen", "-add", "begins or ends", "add"},
		{"trailing hyphen", "add-", "begins or ends", "add"},
		{"two hyphens", "a--b", "two hyphens", "a-b"},
		{"path", "../x", "'.'", "x"},
		{"slash", "a/b", "'/'", "a-b"},
		{"lock", "a.lock", "'.'", "a-lock"},
		{"device", "con", "Windows", "con-change"},
		{"device with number", "lpt1", "Windows", "lpt1-change"},
		{"newline", "a\nb", `'\n'`, "a-b"},
		{"invalid UTF-8", "a\xffb", `\ufffd`, "a-b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := phases.ParseChangeID(tc.in)
			refused, ok := errors.AsType[*phases.IDError](err)
			if !ok {
				t.Fatalf("got %v, want an IDError", err)
			}
			if !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %q does not say %q", err, tc.says)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			if refused.Suggestion != tc.slug || refused.Hint() == "" {
				t.Errorf("suggests %q (%s), want %q", refused.Suggestion, refused.Hint(), tc.slug)
			}
		})
	}
}

func TestChangeID_places(t *testing.T) {
	id, _ := phases.ParseChangeID("add-oauth")
	for got, want := range map[string]string{
		id.Branch():           "agentd/add-oauth",
		id.Ref():              "refs/heads/agentd/add-oauth",
		id.Dir():              "agentd/changes/add-oauth",
		id.ArchiveDir():       "agentd/archive/add-oauth",
		id.ArchiveRefPrefix(): "refs/agentd/archive/add-oauth/",
		id.SubjectsRef():      "refs/agentd/subjects/add-oauth",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, branch := range []string{id.Branch(), id.Ref()} {
		if got, ok := phases.ChangeIDFromBranch(branch); !ok || got != id {
			t.Errorf("%s is read as %v, %v", branch, got, ok)
		}
	}
	for _, branch := range []string{"main", "agentd/", "agentd/a/b", "agentd/A", "refs/tags/agentd/a", "x/agentd/a"} {
		if got, ok := phases.ChangeIDFromBranch(branch); ok {
			t.Errorf("%s is read as %v", branch, got)
		}
	}
}

func TestChangeID_text(t *testing.T) {
	id, _ := phases.ParseChangeID("add-oauth")
	text, err := id.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var back phases.ChangeID
	if err := back.UnmarshalText(text); err != nil || back != id {
		t.Errorf("read back as %v, %v", back, err)
	}
	if _, err := (phases.ChangeID{}).MarshalText(); err == nil {
		t.Error("the zero value has a text")
	}
	if err := back.UnmarshalText([]byte("A")); err == nil {
		t.Error("a bad id was read")
	}
}

func FuzzParseChangeID(f *testing.F) {
	for _, seed := range []string{
		"add-oauth", "", " ", "-a", "a-", "a--b", "con", "com1", "head", "a.lock", "a@{b", "@", "a/b", `a\b`, "é", "e\u0301",
		"\u0430", "\uff41", "\U0001F680", "\u202e", "\u200b", "a\x00b", "\xff", strings.Repeat("a", 64), strings.Repeat("a", 65),
	} {
		f.Add(seed)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		f.Fatal("git is not installed, and nothing here works without it")
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug := phases.Slug(s)
		if slug != "" && phases.CheckName(slug) != nil {
			t.Errorf("Slug(%q) = %q, which is refused", s, slug)
		}
		id, err := phases.ParseChangeID(s)
		if err != nil {
			if phases.Slug(s) == s && s != "" {
				t.Errorf("%q is refused and proposed", s)
			}
			return
		}
		if slug != s {
			t.Errorf("Slug(%q) = %q", s, slug)
		}
		if strings.ToLower(s) != s || strings.ContainsAny(s, `/\:*?"<>|. `) || strings.HasPrefix(s, "-") || len(s) > 64 {
			t.Errorf("%q is not a folder name everywhere", s)
		}
		for _, branch := range []string{s, id.Branch()} {
			if out, err := exec.CommandContext(t.Context(), git, "check-ref-format", "--branch", branch).CombinedOutput(); err != nil {
				t.Errorf("git refuses %q: %s", branch, out)
			}
		}
	})
}
