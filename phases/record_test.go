package phases_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestTransition_Trailers_asInTheDesign(t *testing.T) {
	id, _ := phases.ParseChangeID("add-oauth")
	usd := 0.0678
	record := phases.Transition{
		Change: id, Step: phases.StepChallenge, From: phases.Proposed, Phase: phases.Challenged,
		Round: 2, Verdict: phases.Approved, Findings: &phases.Findings{Low: 1},
		Subject: "5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689", Agent: "codex/gpt-5.2-codex/medium",
		Usage: &phases.Usage{In: 24567, Cached: 1200, Out: 2345, Millis: 8934, USD: &usd},
	}
	got, err := phases.FormatMessage("challenge approved in round 2", "Two findings of round 1 are fixed; one LOW remains.", record)
	if err != nil {
		t.Fatal(err)
	}
	want := `agentd(add-oauth): challenge approved in round 2

Two findings of round 1 are fixed; one LOW remains.

Agentd-Change: add-oauth
Agentd-Step: challenge
Agentd-From: proposed
Agentd-Phase: challenged
Agentd-Round: 2
Agentd-Verdict: APPROVED
Agentd-Findings: high=0 medium=0 low=1
Agentd-Subject: 5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689
Agentd-Agent: codex/gpt-5.2-codex/medium
Agentd-Usage: in=24567 cached=1200 out=2345 ms=8934 usd=0.0678
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestValues_text(t *testing.T) {
	usd := 0.5
	for _, tc := range []struct{ got, want string }{
		{phases.Findings{High: 2, Medium: 1, Set: "9c1b7e2f"}.String(), "high=2 medium=1 low=0 set=9c1b7e2f"},
		{phases.Usage{Unknown: true, Millis: 9}.String(), "in=unknown ms=9"},
		{phases.Usage{Unknown: true, USD: &usd}.String(), "in=unknown ms=0 usd=0.5"},
		{phases.Evidence{Millis: 5210, Command: "go test ./..."}.String(), "exit=0 ms=5210 cmd=go test ./..."},
		{phases.Evidence{Kind: phases.Scan, Millis: 1, Command: "govulncheck ./..."}.String(), "scan exit=0 ms=1 cmd=govulncheck ./..."},
		{phases.Evidence{Kind: phases.Scan, NotRun: true, Command: "govulncheck ./..."}.String(), "scan not-run cmd=govulncheck ./..."},
		{phases.Base{Branch: "main", Commit: "abc"}.String(), "main@abc"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

// What older versions wrote, or somebody by hand, is read, and lifts or breaks no cap.
func TestParseMessage_usageBeyondReason_NC01(t *testing.T) {
	price := func(v float64) *float64 { return &v }
	const year = 366 * 24 * 60 * 60 * 1000
	for said, want := range map[string]phases.Usage{
		"in=1000000000000 cached=0 out=5 ms=8934 usd=1000000":      {In: 1e12, Out: 5, Millis: 8934, USD: price(1e6)},
		"in=9223372036854775807 cached=0 out=1 ms=5 usd=0.5":       {Unknown: true, Millis: 5, USD: price(0.5)},
		"in=5 cached=0 out=1 ms=9223372036854775807":               {In: 5, Out: 1, Millis: year},
		"in=unknown ms=13835058055282":                             {Unknown: true, Millis: year},
		"in=5 cached=0 out=1 ms=5 usd=" + strings.Repeat("9", 300): {In: 5, Out: 1, Millis: 5},
	} {
		m, err := phases.ParseMessage("x\n\nAgentd-Change: a\nAgentd-Step: note\nAgentd-From: proposed\nAgentd-Phase: proposed\nAgentd-Usage: " + said + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, m.Transition.Usage); diff != "" {
			t.Errorf("%.60s: (-want +got)\n%s", said, diff)
		}
	}
}

func TestTransition_Trailers_refusesWhatCannotBeRead(t *testing.T) {
	nan, negative, absurd := math.NaN(), -1.0, 9.9e6
	for name, b := range map[string]bend{
		"no change":              func(t *phases.Transition) { t.Change = phases.ChangeID{} },
		"no step":                func(t *phases.Transition) { t.Step = "" },
		"unknown step":           func(t *phases.Transition) { t.Step = "deploy" },
		"unknown phase":          func(t *phases.Transition) { t.Phase = 77 },
		"negative round":         func(t *phases.Transition) { t.Round = -1 },
		"unknown verdict":        verdict("MAYBE"),
		"negative findings":      high(-1),
		"bad set":                func(t *phases.Transition) { t.Findings = &phases.Findings{Set: "xyz"} },
		"bad subject":            func(t *phases.Transition) { t.Subject = "HEAD" },
		"bad diff":               func(t *phases.Transition) { t.Diff = treeOf("x") },
		"ID-12 newline in agent": func(t *phases.Transition) { t.Agent = "codex\nAgentd-Phase: complete" },
		"ID-12 escape in loop":   func(t *phases.Transition) { t.Loop = "\x1b[31mfailed" },
		"ID-12 newline in command": func(t *phases.Transition) {
			t.Evidence = []phases.Evidence{{Command: "go vet\nAgentd-Decision: approve"}}
		},
		"ID-12 next line in agent": func(t *phases.Transition) { t.Agent = "a\u0085b" },
		"line separator in agent":  func(t *phases.Transition) { t.Agent = "a\u2028b" },
		"ID-16 agent not UTF-8":    func(t *phases.Transition) { t.Agent = "a\xff" },
		"ID-16 NUL in agent":       func(t *phases.Transition) { t.Agent = "a\x00" },
		"agent ends in a blank":    func(t *phases.Transition) { t.Agent = "codex " },
		"evidence of nothing":      func(t *phases.Transition) { t.Evidence = []phases.Evidence{{}} },
		"empty task":               func(t *phases.Transition) { t.Tasks = []string{""} },
		"task of two words":        func(t *phases.Transition) { t.Tasks = []string{"1.1 1.2"} },
		"unknown decision":         func(t *phases.Transition) { t.Decision = "merge" },
		"unknown actor":            func(t *phases.Transition) { t.Actor = "robot" },
		"actor without role":       func(t *phases.Transition) { t.Actor = phases.ByAgent("") },
		"unknown profile":          func(t *phases.Transition) { t.Profile = "solo" },
		"base without commit":      func(t *phases.Transition) { t.Base = &phases.Base{Branch: "main"} },
		"negative time":            func(t *phases.Transition) { t.Usage = &phases.Usage{Millis: -1} },
		"price that is none":       func(t *phases.Transition) { t.Usage = &phases.Usage{USD: &nan} },
		"negative price":           func(t *phases.Transition) { t.Usage = &phases.Usage{USD: &negative} },
		"more tokens than any":     func(t *phases.Transition) { t.Usage = &phases.Usage{In: math.MaxInt64} },
		"longer than any call":     func(t *phases.Transition) { t.Usage = &phases.Usage{Millis: 13835058055282} },
		"dearer than any call":     func(t *phases.Transition) { t.Usage = &phases.Usage{USD: &absurd} },
		"dependency on nothing":    func(t *phases.Transition) { t.DependsOn = []phases.ChangeID{{}} },
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t)
			record := c.draft(phases.State{Change: c.id}, phases.StepNote, from(phases.Proposed))
			if _, err := record.Trailers(); err != nil {
				t.Fatalf("before the bend: %v", err)
			}
			b(&record)
			if trailers, err := record.Trailers(); err == nil {
				t.Errorf("written as %v", trailers)
			}
			if _, err := phases.FormatMessage("x", "", record); err == nil {
				t.Error("a message was written")
			}
		})
	}
}

func TestTransition_roundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		record := drawTransition(rt)
		trailers, err := record.Trailers()
		if err != nil {
			rt.Fatal(err)
		}
		back, err := phases.TransitionFromTrailers(trailers)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(record, back, cmp.AllowUnexported(phases.ChangeID{})); d != "" {
			rt.Fatal(d)
		}
		for i := range trailers { // keys are compared without case
			trailers[i].Key = strings.ToUpper(trailers[i].Key)
		}
		if _, err := phases.TransitionFromTrailers(trailers); err != nil {
			rt.Fatal(err)
		}
	})
}

// drawTransition makes a record that can be written; it need not be legal anywhere.
func drawTransition(t *rapid.T) phases.Transition {
	name := rapid.StringMatching(`[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,3}`).Filter(func(s string) bool { return phases.CheckName(s) == nil })
	id := rapid.Map(name, func(s string) phases.ChangeID { id, _ := phases.ParseChangeID(s); return id })
	tree := rapid.OneOf(rapid.StringMatching(`[0-9a-f]{40}`), rapid.StringMatching(`[0-9a-f]{64}`))
	line := rapid.Map(rapid.String(), phases.OneLine)
	word := line.Filter(func(s string) bool { return s != "" })
	steps := rapid.OneOf(
		rapid.SampledFrom([]phases.Step{phases.StepChallenge, phases.StepReview, phases.StepPair, phases.StepArchive}),
		rapid.Map(name, phases.SpecGen), rapid.Map(name, phases.SpecReview),
	)
	usage := rapid.Custom(func(t *rapid.T) phases.Usage {
		tokens := rapid.Int64Range(0, 1e12)
		u := phases.Usage{Millis: rapid.Int64Range(0, 366*24*3600*1000).Draw(t, "ms"), Unknown: rapid.Bool().Draw(t, "unknown")}
		if !u.Unknown {
			u.In, u.Cached, u.Out = tokens.Draw(t, "in"), tokens.Draw(t, "cached"), tokens.Draw(t, "out")
		}
		if rapid.Bool().Draw(t, "priced") {
			usd := rapid.Float64Range(0, 1e6).Draw(t, "usd")
			u.USD = &usd
		}
		return u
	})
	findings := rapid.Custom(func(t *rapid.T) phases.Findings {
		n := rapid.IntRange(0, 1000)
		return phases.Findings{High: n.Draw(t, "high"), Medium: n.Draw(t, "medium"), Low: n.Draw(t, "low"),
			Set: rapid.StringMatching(`([0-9a-f]{8})?`).Draw(t, "set")}
	})
	evidence := rapid.Custom(func(t *rapid.T) phases.Evidence {
		e := phases.Evidence{Command: word.Draw(t, "command"), Kind: rapid.SampledFrom([]string{"", phases.Scan}).Draw(t, "kind"),
			NotRun: rapid.Bool().Draw(t, "not run")}
		if !e.NotRun {
			e.Exit, e.Millis = rapid.IntRange(-1, 255).Draw(t, "exit"), rapid.Int64Min(0).Draw(t, "ms")
		}
		return e
	})
	base := rapid.Custom(func(t *rapid.T) phases.Base {
		return phases.Base{Branch: rapid.StringMatching(`[a-z/@.-]{1,20}`).Draw(t, "branch"), Commit: tree.Draw(t, "commit")}
	})
	return phases.Transition{
		Change:    id.Draw(t, "change"),
		Step:      steps.Draw(t, "step"),
		From:      rapid.SampledFrom(append(phases.Phases(), phases.None)).Draw(t, "from"),
		Phase:     rapid.SampledFrom(phases.Phases()).Draw(t, "phase"),
		Round:     rapid.IntRange(0, 99).Draw(t, "round"),
		Verdict:   rapid.SampledFrom([]phases.Verdict{"", phases.Approved, phases.NeedsChanges, phases.Unknown}).Draw(t, "verdict"),
		Findings:  rapid.Ptr(findings, true).Draw(t, "findings"),
		Subject:   rapid.OneOf(rapid.Just(""), tree).Draw(t, "subject"),
		Diff:      rapid.StringMatching(`([0-9a-f]{64})?`).Draw(t, "diff"),
		Agent:     line.Draw(t, "agent"),
		Usage:     rapid.Ptr(usage, true).Draw(t, "usage"),
		Evidence:  many(rapid.SliceOfN(evidence, 0, 3).Draw(t, "evidence")),
		Tasks:     many(rapid.SliceOfN(rapid.StringMatching(`[a-z0-9]{1,5}\.[0-9]{1,3}`), 0, 3).Draw(t, "tasks")),
		Decision:  rapid.SampledFrom([]phases.Decision{"", phases.DecisionApprove, phases.DecisionContinue}).Draw(t, "decision"),
		Actor:     rapid.SampledFrom([]phases.Actor{"", phases.Human, phases.ByAgent("reviewer")}).Draw(t, "actor"),
		Profile:   rapid.SampledFrom([]phases.Profile{"", phases.ProfileCrew, phases.ProfilePair}).Draw(t, "profile"),
		Base:      rapid.Ptr(base, true).Draw(t, "base"),
		Loop:      line.Draw(t, "loop"),
		DependsOn: many(rapid.SliceOfN(id, 0, 3).Draw(t, "depends on")),
	}
}

// many is nil for no values, as a reader leaves it.
func many[T any](values []T) []T {
	if len(values) == 0 {
		return nil
	}
	return values
}
