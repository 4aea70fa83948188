package specs_test

import (
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/specs"
)

// What a person decides may only differ where there was something to decide.
func TestResolves(t *testing.T) {
	const head, tail = "# Greeting\n\n## Requirements\n\n", "\n\n### R2: Bye\n\nSay bye.\n"
	marked := head + "<<<<<<< ours g#R1\n### R1: Hi\n\nHELLO\n||||||| base g#R1\n### R1: Hi\n\nhello\n=======\n### R1: Hi\n\nhi\n>>>>>>> theirs g#R1" + tail
	for _, row := range []struct{ name, resolved, fault string }{
		{"one side", head + "### R1: Hi\n\nhi" + tail, ""},
		{"of both", head + "### R1: Hi\n\nhi, HELLO\n\n- and more" + tail, ""},
		{"neither", head + tail, ""},
		{"more or less white space around it", head + "\n\n### R1: Hi\n\nhi\n" + tail + "\n", ""},
		{"nothing done", marked, "g.md:5: a marker of a conflict is left in it"},
		{"one marker left", head + "### R1: Hi\n\nhi\n>>>>>>> theirs g#R1" + tail, "g.md:8: a marker"},
		{"also what stands before", strings.ToUpper(head) + "hi" + tail, "also differs where nothing was in conflict, near \"# Greeting\""},
		{"also what stands behind", head + "hi" + strings.Replace(tail, "Say bye", "Shout", 1), "also differs where nothing was in conflict, near \"### R2: Bye\""},
		{"something at the end", head + "hi" + tail + "\n### R3: More\n", "also differs"},
		{"something at the beginning", "More\n" + head + "hi" + tail, "also differs"},
		{"nothing left", "", "also differs"},
		{"the other one's text under an id of its own", head + "### R1: Hi\n\nHELLO\n\n### R5: Hi\n\nhi" + tail, ""},
		{"an open fence before the rest", head + "### R1: Hi\n\n```" + tail, "it hides requirement R2, which was not in conflict"},
		{"an open comment before the rest", head + "### R1: Hi\n\n<!--" + tail, "it hides requirement R2, which was not in conflict"},
		{"what is there already", head + "### R1: Hi\n\nhi\n\n### R2: Bye\n\nNo." + tail, "g.md:13: requirement R2 stands there twice"},
		{"what nobody said", head + "### R1: Hi\n\nhi\n\n### R9: Doors\n\nStand open." + tail, "g.md:9: requirement R9 is of neither side"},
		{"an escape sequence", head + "### R1: Hi\n\n\x1b[2Jhi" + tail, "g.md:7: it holds a control character"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := specs.Resolves("g.md", []byte(marked), []byte(row.resolved))
			switch {
			case row.fault == "" && err != nil:
				t.Errorf("refused: %v", err)
			case row.fault != "" && (err == nil || !strings.Contains(err.Error(), row.fault)):
				t.Errorf("got %v, want %q in it", err, row.fault)
			}
		})
	}
}
