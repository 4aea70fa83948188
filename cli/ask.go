package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cli/go-gh/v2/pkg/prompter"
	"golang.org/x/term"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/workflow"
)

// asker puts the workflow's questions to the person, through gh's prompter.
type asker struct {
	prompt prompts
	say    *progress
	in     *os.File
}

// prompts are the three questions the program asks. Both kinds of terminal dialogue have them.
type prompts interface {
	Select(prompt, preset string, options []string) (int, error)
	MultiSelect(prompt string, presets, options []string) ([]int, error)
	Input(prompt, preset string) (string, error)
}

var _ workflow.Asker = (*asker)(nil)

// newAsker returns nil where nobody can be asked.
func newAsker(env Env, s *streams, say *progress) workflow.Asker {
	if !canAsk(env, s) {
		return nil
	}
	in, out := env.In.(*os.File), env.Out.(*os.File)
	if env.getenv("GH_ACCESSIBLE_PROMPTER") != "" || env.getenv("TERM") == "dumb" {
		return &asker{prompt: plainPrompts{in: bufio.NewReader(in), out: out}, say: say, in: in}
	}
	return &asker{prompt: prompter.New(keys{in}, out, out), say: say, in: in}
}

// keys are what is typed while gh's prompter asks. To it Ctrl-D at a list is Enter, which would take the option
// that happens to be marked; here the end of input is no answer, like Ctrl-C.
type keys struct{ *os.File }

func (k keys) Read(p []byte) (int, error) {
	const ctrlC, ctrlD = 0x03, 0x04
	n, err := k.File.Read(p)
	for i := range p[:n] {
		if p[i] == ctrlD {
			p[i] = ctrlC
		}
	}
	return n, err
}

// canAsk is gh's rule, with continuous integration left out: both ends must be terminals.
func canAsk(env Env, s *streams) bool {
	_, file := env.Out.(*os.File)
	return file && s.inTTY && isTerminal(env.Out) && env.getenv("CI") == "" && env.getenv("GH_PROMPT_DISABLED") == ""
}

func (a *asker) Choose(ctx context.Context, q workflow.Question) (int, error) {
	labels, preset := a.introduce(q)
	first := ""
	if len(preset) > 0 {
		first = preset[0]
	}
	return ask(ctx, a, func() (int, error) { return a.prompt.Select(oneLine(q.Title), first, labels) })
}

func (a *asker) ChooseMany(ctx context.Context, q workflow.Question) ([]int, error) {
	labels, preset := a.introduce(q)
	return ask(ctx, a, func() ([]int, error) { return a.prompt.MultiSelect(oneLine(q.Title), preset, labels) })
}

func (a *asker) Text(ctx context.Context, prompt, preset string) (string, error) {
	a.say.pause()
	text, err := ask(ctx, a, func() (string, error) { return a.prompt.Input(oneLine(prompt), preset) })
	return strings.TrimSpace(text), err
}

// ask waits for the answer to a prompt. Who is told to stop meanwhile does not wait for a key:
// the terminal is put back as it was, and the prompt is left to read what will never come.
func ask[T any](ctx context.Context, a *asker, prompt func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	before, stateErr := term.GetState(int(a.in.Fd()))
	answers := make(chan answer, 1)
	go func() {
		value, err := prompt()
		answers <- answer{value, err}
	}()
	select {
	case got := <-answers:
		return got.value, declined(got.err)
	case <-ctx.Done():
		if stateErr == nil {
			_ = term.Restore(int(a.in.Fd()), before)
		}
		fmt.Fprintln(a.say.w)
		var none T
		return none, workflow.ErrDeclined
	}
}

// introduce prints what helps to choose and returns one label per option, and those of the recommended ones.
func (a *asker) introduce(q workflow.Question) (labels, recommended []string) {
	a.say.pause()
	if help := strings.TrimSpace(proc.Clean(q.Help)); help != "" {
		fmt.Fprintln(a.say.w, help)
	}
	for _, o := range q.Options {
		label := oneLine(o.Label)
		if description := oneLine(o.Description); description != "" {
			label += ": " + description
		}
		if o.Recommended {
			label += " (recommended)"
		}
		// The prompter tells options apart by their text.
		for slices.Contains(labels, label) {
			label += " "
		}
		labels = append(labels, label)
		if o.Recommended {
			recommended = append(recommended, label)
		}
	}
	return labels, recommended
}

// declined turns whatever ends a prompt into the workflow's word for it.
// The prompter wraps a Ctrl-C as an error whose text is "interrupt", and a closed terminal as io.EOF.
func declined(err error) error {
	if err != nil && (errors.Is(err, io.EOF) || strings.HasSuffix(err.Error(), "interrupt")) {
		return workflow.ErrDeclined
	}
	return err
}

// plainPrompts asks with numbered lines and never moves the cursor: for screen readers and dumb terminals.
type plainPrompts struct {
	in  *bufio.Reader
	out io.Writer
}

func (p plainPrompts) Select(prompt, preset string, options []string) (int, error) {
	chosen, err := p.choose(prompt, "number", options, slices.Index(options, preset), func(answer string) ([]int, bool) {
		n, ok := optionNumber(answer, len(options))
		return []int{n}, ok
	})
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}

func (p plainPrompts) MultiSelect(prompt string, _, options []string) ([]int, error) {
	return p.choose(prompt, "numbers, separated by commas", options, -1, func(answer string) ([]int, bool) {
		var chosen []int
		for part := range strings.SplitSeq(answer, ",") {
			n, ok := optionNumber(part, len(options))
			if !ok {
				return nil, false
			}
			chosen = append(chosen, n)
		}
		return chosen, true
	})
}

func (p plainPrompts) choose(prompt, what string, options []string, preset int, read func(string) ([]int, bool)) ([]int, error) {
	fmt.Fprintln(p.out, prompt)
	for i, option := range options {
		fmt.Fprintf(p.out, "  %d. %s\n", i+1, option)
	}
	if preset >= 0 {
		what += fmt.Sprintf(" [%d]", preset+1)
	}
	for {
		answer, err := p.line("Enter " + what + ": ")
		if err != nil {
			return nil, err
		}
		if answer == "" && preset >= 0 {
			return []int{preset}, nil
		}
		if chosen, ok := read(answer); ok {
			return chosen, nil
		}
		fmt.Fprintf(p.out, "%q is not between 1 and %d\n", answer, len(options))
	}
}

func (p plainPrompts) Input(prompt, preset string) (string, error) {
	if preset != "" {
		prompt += " [" + preset + "]"
	}
	answer, err := p.line(prompt + ": ")
	if answer == "" {
		answer = preset
	}
	return answer, err
}

func (p plainPrompts) line(prompt string) (string, error) {
	fmt.Fprint(p.out, prompt)
	answer, err := p.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(answer), nil
}

func optionNumber(s string, most int) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n - 1, err == nil && n >= 1 && n <= most
}
