package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/workflow"
)

func askWith(answers string) (*asker, *bytes.Buffer) {
	say, _ := newProgress(false, false)
	var out bytes.Buffer
	say.w = &out
	return &asker{prompt: plainPrompts{in: bufio.NewReader(strings.NewReader(answers)), out: &out}, say: say, in: os.Stdin}, &out
}

func question() workflow.Question {
	return workflow.Question{Title: "What next?", Help: "two findings\nare open", Options: []workflow.Option{
		{Label: "Fix and challenge again", Recommended: true}, {Label: "Read it", Description: "on this terminal"}, {Label: "Stop"},
	}}
}

func TestAsker_choose(t *testing.T) {
	tests := []struct {
		name, answers string
		want          int
	}{
		{"a number", "3\n", 2},
		{"nothing takes the recommended one", "\n", 0},
		{"asks again until it fits", "9\nstop\n2\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, out := askWith(tt.answers)
			got, err := a.Choose(t.Context(), question())
			if err != nil || got != tt.want {
				t.Fatalf("chose %d (%v), want %d", got, err, tt.want)
			}
			for _, text := range []string{"two findings\nare open\n", "1. Fix and challenge again (recommended)\n", "2. Read it: on this terminal\n", "[1]"} {
				if !strings.Contains(out.String(), text) {
					t.Errorf("no %q in:\n%s", text, out)
				}
			}
		})
	}
}

func TestAsker_chooseManyAndText(t *testing.T) {
	a, _ := askWith("1, 3\nmy words \n")
	got, err := a.ChooseMany(t.Context(), question())
	if err != nil || !slices.Equal(got, []int{0, 2}) {
		t.Fatalf("chose %v (%v)", got, err)
	}
	text, err := a.Text(t.Context(), "Why", "")
	if err != nil || text != "my words" {
		t.Fatalf("text %q (%v)", text, err)
	}
}

// A person who closes the terminal or presses Ctrl-C at a prompt has said no.
func TestAsker_walkingAwayIsDeclining(t *testing.T) {
	a, _ := askWith("")
	if _, err := a.Choose(t.Context(), question()); !errors.Is(err, workflow.ErrDeclined) {
		t.Errorf("at the end of input: %v", err)
	}
	for _, cause := range []error{io.EOF, errors.New("interrupt")} {
		if err := declined(errWrap{cause}); !errors.Is(err, workflow.ErrDeclined) {
			t.Errorf("%v: %v", cause, err)
		}
	}
}

// Whoever is told to stop at a question does not wait for a key that never comes.
func TestAsker_aSignalEndsTheQuestion(t *testing.T) {
	a, _ := askWith("")
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	_, err := ask(ctx, a, func() (int, error) {
		cancel()
		<-never
		return 0, nil
	})
	if !errors.Is(err, workflow.ErrDeclined) {
		t.Errorf("after a signal: %v", err)
	}
}

// errWrap is how the prompter wraps.
type errWrap struct{ cause error }

func (e errWrap) Error() string { return "could not prompt: " + e.cause.Error() }
func (e errWrap) Unwrap() error { return e.cause }

// The prompter tells options apart by their text, and foreign options may be equal or hostile.
func TestAsker_labelsAreDistinctAndPlain(t *testing.T) {
	a, _ := askWith("")
	labels, _ := a.introduce(workflow.Question{Options: []workflow.Option{{Label: "Yes"}, {Label: "Yes"}, {Label: "\x1b[31mNo\n"}}})
	if labels[0] == labels[1] || labels[2] != "No" {
		t.Errorf("labels %q", labels)
	}
}

func TestNewAsker_nobodyThere(t *testing.T) {
	env := testEnv(t, "gh-agentd")
	say, _ := newProgress(false, false)
	if newAsker(env, newStreams(env), say) != nil {
		t.Error("there is an asker without a terminal")
	}
}
