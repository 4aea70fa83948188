package specs

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
)

func TestFindingID_isStable(t *testing.T) {
	base := Finding{Severity: High, Title: "Token is logged", Description: "The access token is written to the log.", SpecRef: "auth#R1", File: "internal/log.go", Line: 10}
	id := FindingID(base)
	if !regexp.MustCompile(`^F-[0-9a-f]{6}$`).MatchString(id) {
		t.Fatalf("id = %q", id)
	}
	for name, change := range map[string]func(*Finding){
		"line moved":       func(f *Finding) { f.Line = 99 },
		"less severe":      func(f *Finding) { f.Severity = Low },
		"case":             func(f *Finding) { f.Title = "TOKEN is Logged" },
		"punctuation":      func(f *Finding) { f.Description = "The access-token is written, to the log!" },
		"other suggestion": func(f *Finding) { f.Suggestion = "mask it" },
		"reference form":   func(f *Finding) { f.SpecRef = "auth:r1" },
		"path form":        func(f *Finding) { f.File = "./internal/log.go" },
	} {
		f := base
		change(&f)
		if got := FindingID(f); got != id {
			t.Errorf("%s: id changed to %s", name, got)
		}
	}
	for name, change := range map[string]func(*Finding){
		"other words":       func(f *Finding) { f.Description = "The refresh token is written to the log." },
		"other file":        func(f *Finding) { f.File = "internal/http.go" },
		"other requirement": func(f *Finding) { f.SpecRef = "auth#R2" },
	} {
		f := base
		change(&f)
		if got := FindingID(f); got == id {
			t.Errorf("%s: id stayed %s", name, got)
		}
	}
}

func TestNameFindings(t *testing.T) {
	one := Finding{Description: "no rate limit", Severity: Low}
	two := Finding{Description: "no retry", Severity: High}
	t.Run("known id is taken over", func(t *testing.T) {
		f := two
		f.ID = "F-3f2a9c"
		if got := nameFindings([]Finding{f}, []string{"F-3f2a9c"}); got[0].ID != "F-3f2a9c" {
			t.Errorf("id = %s", got[0].ID)
		}
	})
	t.Run("invented id is not", func(t *testing.T) {
		f := two
		f.ID = "F-000000"
		if got := nameFindings([]Finding{f}, []string{"F-3f2a9c"}); got[0].ID != FindingID(two) {
			t.Errorf("id = %s", got[0].ID)
		}
	})
	t.Run("known id used twice counts once", func(t *testing.T) {
		a, b := one, two
		a.ID, b.ID = "F-3f2a9c", "F-3f2a9c"
		got := nameFindings([]Finding{a, b}, []string{"F-3f2a9c"})
		if len(got) != 2 || got[0].ID != "F-3f2a9c" || got[1].ID != FindingID(two) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("the same said twice is one finding, the heavier", func(t *testing.T) {
		heavy := one
		heavy.Severity = High
		got := nameFindings([]Finding{one, heavy}, nil)
		if len(got) != 1 || got[0].Severity != High {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("ids that collide are lengthened", func(t *testing.T) {
		a := one
		a.ID = FindingID(two) // known from an earlier round
		got := nameFindings([]Finding{a, two}, []string{a.ID})
		if len(got) != 2 || got[0].ID == got[1].ID {
			t.Errorf("got %+v", got)
		}
	})
}

func TestCountFindings(t *testing.T) {
	a, b, c := Finding{ID: "F-aaaaaa", Severity: High}, Finding{ID: "F-bbbbbb", Severity: Low}, Finding{ID: "F-cccccc", Severity: Medium}
	got := CountFindings([]Finding{a, b, c})
	if diff := cmp.Diff(phases.Findings{High: 1, Medium: 1, Low: 1, Set: got.Set}, got); diff != "" {
		t.Error(diff)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(got.Set) {
		t.Errorf("set = %q", got.Set)
	}
	if again := CountFindings([]Finding{c, a, b}); again != got {
		t.Errorf("order matters: %v, %v", got, again)
	}
	b.Severity = High
	if again := CountFindings([]Finding{a, b, c}); again.Set != got.Set {
		t.Error("the set depends on the severities")
	}
	if again := CountFindings([]Finding{a, b}); again.Set == got.Set {
		t.Error("another set has the same digest")
	}
	if none := CountFindings(nil); none != (phases.Findings{}) {
		t.Errorf("none = %+v", none)
	}
}
