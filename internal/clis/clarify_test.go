//go:build linux

package clis

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/internal/ttytest"
	"github.com/agentd/gh-agentd/templates"
)

// A proposer asks what it must know, and a person answers on the terminal.
func TestClarify_onATerminal(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, modeltest.Play(demo(t)), everyone(vendor))
			p := w.beginOnTerminal("clarify", change, templates.DemoDescription)
			p.answer("Does the limit count the links of each owner", "") // what is recommended
			p.answer("What does Shorten do when the limit is reached?", "2")
			if o := p.end(); o.code != 0 {
				t.Fatalf("want exit code 0, got %s", o)
			}
			if got, want := w.steps(), []string{"clarify"}; !slices.Equal(got, want) {
				t.Errorf("steps %q, want %q", got, want)
			}
			said := w.git("show", "agentd/"+change+":agentd/changes/"+change+"/clarifications.md")
			for _, answer := range []string{"Each owner", "Wait"} {
				if !strings.Contains(said, answer) {
					t.Errorf("the answer %q is not in\n%s", answer, said)
				}
			}
			w.accounts()
		})
	}
}

// answer waits for a question, and types the number of an option.
func (p *process) answer(question, number string) {
	p.w.t.Helper()
	if !p.terminal.Await(question) || !p.terminal.Await("Enter number") {
		p.w.t.Fatalf("never asked %q: %s", question, p.end())
	}
	if err := p.terminal.Type(number + ttytest.Enter); err != nil {
		p.w.t.Fatal(err)
	}
}
