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

// staysInBudget counts what the demo's plan sent up to its first challenge.
func (w *world) staysInBudget() {
	w.t.Helper()
	sent := w.server.Sent(func(e modeltest.Exchange) bool {
		return e.Step.Name != "reproposal" && (e.Step.Name != "challenge" || e.Step.Round == 1)
	})
	w.t.Logf("a plan of three specs and one challenge: %d tokens, %d of them ours", modeltest.Tokens(sent.Total), modeltest.Tokens(sent.Ours()))
	if got := modeltest.Tokens(sent.Total); got > mostTokens {
		w.t.Errorf("%d tokens were sent, and %d are the most that such a plan may cost", got, mostTokens)
	}
}

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

// BenchmarkPlan measures a plan with three specs and one challenge with an instant model:
// what is sent, and how much of the time is ours and not the CLIs'.
//
//	AGENTD_CLIS=DIR go test ./internal/clis -run '^$' -bench Plan -benchtime 3x
func BenchmarkPlan(b *testing.B) {
	var wall, theirs time.Duration
	var tokens, ours int64
	requests, rounds := 0, 0
	for b.Loop() {
		w := newWorld(b, approved(b), roles{})
		w.agentd(0, "clarify", change, templates.DemoDescription, "--json-file", w.answers())
		began := time.Now()
		w.agentd(0, "plan", change)
		wall += time.Since(began)
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
