//go:build linux

package clis

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// commit is one transition as its trailers tell it.
type commit struct {
	step, agent, verdict, phase string
	round                       int
	usage                       modeltest.Usage
	usd                         float64
	millis                      int64
}

// record reads the change's commits, oldest first, as `git log` shows them to anybody.
func (w *world) record() []commit {
	w.t.Helper()
	var format []string
	for _, key := range []string{"Step", "Agent", "Verdict", "Phase", "Round", "Usage"} {
		format = append(format, "%(trailers:key=Agentd-"+key+",valueonly,separator=%x2C)")
	}
	log := w.git("log", "--reverse", "--first-parent", "--grep=^Agentd-Step:", "--format="+strings.Join(format, "%x09"), "agentd/"+change)
	var all []commit
	for line := range strings.SplitSeq(log, "\n") {
		f := strings.Split(line, "\t")
		c := commit{step: f[0], agent: f[1], verdict: f[2], phase: f[3]}
		c.round, _ = strconv.Atoi(f[4]) // a person's commit has none
		for word := range strings.FieldsSeq(f[5]) {
			key, value, _ := strings.Cut(word, "=")
			if value == "unknown" {
				continue // and so nothing is recorded, which no account of a model agrees with
			}
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				w.t.Errorf("%s: usage %q: %v", c.step, f[5], err)
			}
			switch key {
			case "in":
				c.usage.In = int64(n)
			case "cached":
				c.usage.Cached = int64(n)
			case "out":
				c.usage.Out = int64(n)
			case "usd":
				c.usd = n
			case "ms":
				c.millis = int64(n)
			}
		}
		all = append(all, c)
	}
	return all
}

// price is USD for a million tokens, as the vendors' lists have it.
type price struct{ in, cached, write, out float64 }

// prices are those of the models that the shipped configuration chooses for changes of this size.
var prices = map[string]price{
	"gemini-3-flash-preview": {0.50, 0.05, 0, 3},
	"gpt-5.2-codex":          {1.75, 0.175, 0, 14},
	"claude-sonnet-5-5":      {2, 0.10, 2.50, 10},
	"claude-haiku-5-5":       {0.10, 0.01, 0.125, 0.50}, // by what the CLI itself computes
}

func (p price) of(u modeltest.Usage) float64 {
	fresh := float64(u.In - u.Cached - u.CacheWrite)
	return (fresh*p.in + float64(u.Cached)*p.cached + float64(u.CacheWrite)*p.write + float64(u.Out)*p.out) / 1e6
}

// accounts compares what the commits say with what the server counted, step by step:
// who played, which model, tokens and cost.
func (w *world) accounts() {
	w.t.Helper()
	type account struct {
		Agent           string
		In, Cached, Out int64
		USD             string
	}
	usd := func(v float64) string { return fmt.Sprintf("%.4f", math.Round(v*1e4)/1e4) }
	recorded, counted := map[string]account{}, map[string]account{}
	sums := map[string]float64{}
	for _, c := range w.record() {
		if c.agent == "" {
			continue
		}
		if c.millis <= 0 {
			w.t.Errorf("%s took %d ms", c.step, c.millis)
		}
		a := recorded[c.step]
		sums[c.step] += c.usd
		recorded[c.step] = account{agentAndModel(c.agent), a.In + c.usage.In, a.Cached + c.usage.Cached, a.Out + c.usage.Out, usd(sums[c.step])}
	}
	costs := map[string]float64{}
	for _, e := range w.server.Exchanges() {
		a := counted[e.Step.Name]
		who, known := prices[e.Model]
		if !known {
			w.t.Errorf("%s played %s, and nobody knows its price", e.Model, e.Step.Name)
		}
		costs[e.Step.Name] += who.of(e.Usage)
		counted[e.Step.Name] = account{string(e.Vendor) + "/" + e.Model, a.In + e.Usage.In, a.Cached + e.Usage.Cached, a.Out + e.Usage.Out, usd(costs[e.Step.Name])}
	}
	if diff := cmp.Diff(counted, recorded); diff != "" {
		w.t.Errorf("usage by step (-counted +recorded):\n%s", diff)
	}
}

// agentAndModel cuts the effort off, which the server is not told by every vendor.
func agentAndModel(agent string) string {
	if parts := strings.SplitN(agent, "/", 3); len(parts) == 3 {
		return parts[0] + "/" + parts[1]
	}
	return agent
}

// steps are the names of the commits, with the verdict where there is one.
func (w *world) steps() []string {
	w.t.Helper()
	var all []string
	for _, c := range w.record() {
		name := c.step
		if c.verdict != "" {
			name += " " + c.verdict
		}
		all = append(all, name)
	}
	return all
}

// report logs what was sent to the models, step by step: ours apart from the CLI's own.
func (w *world) report() {
	w.t.Helper()
	var sum modeltest.Size
	seen := map[string]bool{}
	for _, e := range w.server.Exchanges() {
		if seen[e.Step.Name] {
			continue
		}
		seen[e.Step.Name] = true
		of := func(o modeltest.Exchange) bool { return o.Step.Name == e.Step.Name }
		sent, n := w.server.Sent(of), 0
		for _, o := range w.server.Exchanges() {
			if of(o) {
				n++
			}
		}
		w.t.Logf("%-36s %2d requests  %7d tokens in  %6d ours (prompt %d, tools %d, dialogue %d)  %6d the CLI's", e.Step.Name, n,
			modeltest.Tokens(sent.Total), modeltest.Tokens(sent.Ours()), modeltest.Tokens(sent.Prompt), modeltest.Tokens(sent.Tools),
			modeltest.Tokens(sent.Dialogue), modeltest.Tokens(sent.Total-sent.Ours()))
	}
	sum = w.server.Sent(all)
	w.t.Logf("%-36s %2d requests  %7d tokens in  %6d ours", "in all", len(w.server.Exchanges()), modeltest.Tokens(sum.Total), modeltest.Tokens(sum.Ours()))
}
