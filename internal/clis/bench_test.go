//go:build linux

package clis

import (
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/templates"
)

// mostTokens is what a plan with three specs and one challenge may send to the models, all in all:
// half of what such a plan was first estimated at.
const mostTokens = 107_000

// approved plays the demo, whose plan has three specs, and whose challenger is content at once.
func approved(t testing.TB) modeltest.Script {
	play := modeltest.Play(demo(t))
	return func(r modeltest.Request) modeltest.Answer {
		if r.Step.Name == "challenge" {
			r.Step.Round = 2 // the recording's second round approves
		}
		return play(r)
	}
}

// plannedOnce is a world in which gemini and codex have made that plan, and how long it took.
func plannedOnce(t testing.TB) (*world, time.Duration) {
	t.Helper()
	w := newWorld(t, approved(t), roles{})
	w.agentd(0, "clarify", change, templates.DemoDescription, "--json-file", w.answers())
	began := time.Now()
	w.agentd(0, "plan", change)
	return w, time.Since(began)
}

func TestBudget_planOfThreeSpecs(t *testing.T) {
	t.Parallel()
	w, _ := plannedOnce(t)
	w.report()
	if got := modeltest.Tokens(w.server.Sent(all).Total); got > mostTokens {
		t.Errorf("%d tokens were sent, and %d are the most that a plan may cost", got, mostTokens)
	}
}

// BenchmarkPlan measures a plan with three specs and one challenge with an instant model:
// what is sent, and how much of the time is ours and not the CLIs'.
//
//	AGENTD_CLIS=DIR go test ./internal/clis -run '^$' -bench Plan -benchtime 3x
func BenchmarkPlan(b *testing.B) {
	var wall, theirs time.Duration
	var tokens, ours int64
	requests, rounds := 0, 0
	for b.Loop() {
		w, took := plannedOnce(b)
		wall += took
		for _, c := range w.record() {
			theirs += time.Duration(c.millis) * time.Millisecond
		}
		sent := w.server.Sent(all)
		tokens += modeltest.Tokens(sent.Total)
		ours += modeltest.Tokens(sent.Ours())
		requests += len(w.server.Exchanges())
		rounds++
	}
	each := float64(rounds)
	b.ReportMetric(wall.Seconds()/each, "s/plan")
	b.ReportMetric(100*(wall-theirs).Seconds()/wall.Seconds(), "%ours")
	b.ReportMetric(float64(requests)/each, "requests/plan")
	b.ReportMetric(float64(tokens)/each, "tokens/plan")
	b.ReportMetric(float64(ours)/each, "our-tokens/plan")
}
