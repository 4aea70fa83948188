package phases_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/phases"
)

func TestPhase_text(t *testing.T) {
	for _, p := range append([]phases.Phase{phases.None}, phases.Phases()...) {
		text, err := p.MarshalText()
		if err != nil || string(text) != p.String() {
			t.Fatalf("%s: %q, %v", p, text, err)
		}
		var back phases.Phase
		if err := back.UnmarshalText(text); err != nil || back != p {
			t.Errorf("%s is read back as %s, %v", p, back, err)
		}
		parsed, err := phases.ParsePhase(p.String())
		if p == phases.None {
			if err == nil {
				t.Error("none was read as a phase")
			}
			continue
		}
		if err != nil || parsed != p {
			t.Errorf("%s is parsed as %s, %v", p, parsed, err)
		}
	}
	if _, err := phases.Phase(99).MarshalText(); err == nil {
		t.Error("phase 99 has a text")
	}
}

func TestParsePhase_unknown_DC08(t *testing.T) {
	for in, nearest := range map[string]phases.Phase{
		"chalenged":               phases.Challenged,
		"Complete":                phases.Complete,
		"IMPLEMENTING":            phases.Implementing,
		"reject":                  phases.Rejected,
		"archive":                 phases.Archived,
		"planned":                 phases.Challenged,
		"propose":                 phases.Proposed,
		"":                        phases.Proposed,
		strings.Repeat("x", 1000): phases.Implementing,
	} {
		got, err := phases.ParsePhase(in)
		unknown, ok := errors.AsType[*phases.PhaseError](err)
		if !ok || got != phases.None {
			t.Fatalf("%q: %s, %v", in, got, err)
		}
		for _, p := range phases.Phases() {
			if !strings.Contains(err.Error(), p.String()) {
				t.Errorf("%q does not list %s", err, p)
			}
		}
		if in != "planned" && len(in) > 0 && len(in) < 100 && unknown.Nearest() != nearest {
			t.Errorf("nearest to %q is %s, want %s", in, unknown.Nearest(), nearest)
		}
		if !strings.Contains(unknown.Hint(), unknown.Nearest().String()) {
			t.Errorf("the hint is %q", unknown.Hint())
		}
	}
}

func TestParseStep(t *testing.T) {
	for _, s := range []string{"clarify", "proposal-gen", "challenge", "repair", "pair", "spec-gen-auth", "spec-review-auth-2"} {
		if step, err := phases.ParseStep(s); err != nil || string(step) != s {
			t.Errorf("%q: %q, %v", s, step, err)
		}
	}
	for _, s := range []string{"", "Challenge", "spec-gen-", "spec-gen-A", "spec-gen-../x", "challenge ", "deploy"} {
		if step, err := phases.ParseStep(s); err == nil {
			t.Errorf("%q was read as %q", s, step)
		}
	}
	if spec, gen, ok := phases.SpecGen("auth").Spec(); spec != "auth" || !gen || !ok {
		t.Errorf("SpecGen: %q %v %v", spec, gen, ok)
	}
	if spec, gen, ok := phases.SpecReview("auth").Spec(); spec != "auth" || gen || !ok {
		t.Errorf("SpecReview: %q %v %v", spec, gen, ok)
	}
	if _, _, ok := phases.StepChallenge.Spec(); ok {
		t.Error("challenge is of no spec")
	}
}

func TestParseVerdict_onlyExactWordsPass(t *testing.T) {
	for in, want := range map[string][2]phases.Verdict{
		"APPROVED":       {phases.Approved, phases.Approved},
		"NEEDS_REVISION": {phases.NeedsRevision, phases.NeedsChanges},
		"REJECTED":       {phases.VerdictRejected, phases.Unknown},
		"NEEDS_CHANGES":  {phases.Unknown, phases.NeedsChanges},
		"NEEDS_FIX":      {phases.Unknown, phases.NeedsChanges},
		"MAJOR_ISSUES":   {phases.Unknown, phases.MajorIssues},
		"approved":       {phases.Unknown, phases.Unknown},
		" APPROVED":      {phases.Unknown, phases.Unknown},
		"APPROVED.":      {phases.Unknown, phases.Unknown},
		"NOT APPROVED":   {phases.Unknown, phases.Unknown},
		"":               {phases.Unknown, phases.Unknown},
		"UNKNOWN":        {phases.Unknown, phases.Unknown},
	} {
		got := [2]phases.Verdict{phases.ParseChallengeVerdict(in), phases.ParseReviewVerdict(in)}
		if got != want {
			t.Errorf("%q is %v, want %v", in, got, want)
		}
	}
}

func TestEvidencePassed(t *testing.T) {
	check := phases.Evidence{Command: "go test"}
	broken := phases.Evidence{Command: "go vet", Exit: 1}
	scan := phases.Evidence{Kind: phases.Scan, Command: "govulncheck"}
	found := phases.Evidence{Kind: phases.Scan, Command: "govulncheck", Exit: 3}
	absent := phases.Evidence{Kind: phases.Scan, Command: "govulncheck", NotRun: true}
	for _, tc := range []struct {
		name string
		in   []phases.Evidence
		want bool
	}{
		{"nothing", nil, false},
		{"a check", []phases.Evidence{check}, true},
		{"a check fails", []phases.Evidence{check, broken}, false},
		{"only a scan", []phases.Evidence{scan}, false},
		{"a scan not run does not count", []phases.Evidence{check, absent}, true},
		{"a scan not run is no check", []phases.Evidence{absent}, false},
		{"a scan finds something", []phases.Evidence{check, found}, false},
		{"a check not run", []phases.Evidence{check, {Command: "make", NotRun: true}}, false},
		{"killed", []phases.Evidence{{Command: "go test", Exit: -1}}, false},
	} {
		if got := phases.EvidencePassed(tc.in); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
