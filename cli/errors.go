package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

// The exit codes. 0, 1, 2 and 4 mean what they mean in gh; they are part of the interface.
const (
	ExitOK          = 0
	ExitError       = 1
	ExitCancelled   = 2
	ExitSignIn      = 4
	ExitDecision    = 10
	ExitGate        = 11
	ExitLimit       = 12
	ExitInterrupted = 130
)

// rule gives an error its exit code, and a hint where the error does not bring one.
type rule struct {
	is   func(error) bool
	code int
	hint string
}

// rules is the one table from errors to codes; the first that fits decides, what fits none is ExitError.
func rules() []rule {
	return []rule{
		{is: isValue(workflow.ErrDeclined), code: ExitCancelled, hint: "nothing after the last commit has changed; the same command asks again"},

		{is: isType[*workflow.RejectedError], code: ExitDecision},
		{is: isType[*workflow.DecisionError], code: ExitDecision},
		{is: isType[*workflow.ClarifyFirstError], code: ExitDecision},

		{is: isType[*workflow.LimitError], code: ExitLimit},
		{is: isType[*workflow.BudgetError], code: ExitLimit},

		{is: isType[*workflow.NotReadyError], code: ExitGate},
		{is: isType[*workflow.NotCompleteError], code: ExitGate},
		{is: isType[*workflow.GateError], code: ExitGate},
		{is: isType[*workflow.SpecConflictError], code: ExitGate},
		{is: isType[*workflow.ImportError], code: ExitGate},
		{is: isType[*workflow.DivergedError], code: ExitGate},
		{is: isType[*phases.MismatchError], code: ExitGate},
		{is: isType[*changes.SubjectMovedError], code: ExitGate},
		{is: isType[*phases.IllegalTransitionError], code: ExitGate},
		{is: isType[*phases.ReservedTrailerError], code: ExitGate},
		{is: isType[*phases.ReplayError], code: ExitGate, hint: "`gh agentd doctor` names the first illegal commit and the way out"},

		{is: isType[*github.MovedError], code: ExitGate},
		{is: isType[*github.LockedError], code: ExitGate},
		{is: isType[*github.ClosedError], code: ExitGate, hint: "`gh agentd publish <id> --again` opens a new pull request"},

		{is: isAgent(agents.NotAuthenticated), code: ExitSignIn},
		{is: isType[*github.SignInError], code: ExitSignIn},
	}
}

func isValue(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func isAgent(kind agents.ErrorKind) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*agents.Error](err)
		return ok && e.Kind == kind
	}
}

// verdictOn is what an error means for the person: text, hint and exit code.
func verdictOn(err error) (text, hint string, code int) {
	code = ExitError
	for _, r := range rules() {
		if r.is(err) {
			code, hint = r.code, r.hint
			break
		}
	}
	if own, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok && own.Hint() != "" {
		hint = own.Hint()
	}
	return err.Error(), hint, code
}

// report says what went wrong and returns the exit code. It is the only place that shows errors.
func (a *app) report(ctx context.Context, cmd *cobra.Command, err error) int {
	if err == nil {
		return ExitOK
	}
	if played, ok := errors.AsType[*agents.PlayedExit](err); ok {
		return played.Code
	}
	text, hint, code := verdictOn(err)
	if ctx.Err() != nil && !errors.Is(err, workflow.ErrDeclined) { // Ctrl-C at a question is an answer
		text, code = "interrupted", ExitInterrupted
		hint = "everything up to the last commit stays; to go on: `" + a.commandLine() + "`"
	}
	use, isUsage := errors.AsType[*usageError](err)
	if isUsage && hint == "" {
		hint = "`" + use.cmd.CommandPath() + " --help`"
	}
	if hint == "" && cmd != nil {
		hint = "`" + cmd.CommandPath() + " --help`"
	}
	a.complain("error", text)
	a.complain("hint", a.hint(hint))
	if fields, ok := errors.AsType[*fieldsError](err); ok {
		fmt.Fprintln(a.env.Err, "\nFields:\n  "+strings.Join(fields.known, "\n  "))
	}
	if isUsage {
		fmt.Fprintf(a.env.Err, "\nUsage:\n  %s\n", useLine(use.cmd))
	}
	return code
}

// hint makes a hint ready to be typed: the machine of phases knows no id, and a lone command stands in backquotes.
func (a *app) hint(text string) string {
	if a.change != "" {
		text = strings.ReplaceAll(text, "<id>", a.change)
	}
	if strings.HasPrefix(text, extensionName+" ") && !strings.ContainsAny(text, "`,") {
		text = "`" + text + "`"
	}
	return text
}

// complain writes one line, and further ones indented: a reader finds "error:" and "hint:" exactly once.
func (a *app) complain(kind, text string) {
	if text == "" {
		return
	}
	text = a.named(strings.TrimSpace(proc.Clean(text)))
	if a.inActions() {
		text = harmless(text)
	}
	first, rest, _ := strings.Cut(text, "\n")
	fmt.Fprintf(a.env.Err, "gh-agentd: %s: %s\n", kind, first)
	for line := range strings.Lines(rest) {
		fmt.Fprintf(a.env.Err, "  %s\n", strings.TrimSpace(line))
	}
}

// named writes commands the way this person types them: lower layers say "gh agentd plan".
func (a *app) named(text string) string {
	if a.name == extensionName {
		return text
	}
	return strings.ReplaceAll(text, extensionName+" ", a.name+" ")
}

// commandLine is what the person typed, fit to be typed again.
func (a *app) commandLine() string {
	words := []string{a.name}
	for i, arg := range a.env.Args {
		if i > 0 {
			words = append(words, proc.Quote(arg))
		}
	}
	return oneLine(strings.Join(words, " "))
}

// usageError is a command line that cannot be understood. It ends with the usage on standard error.
type usageError struct {
	cmd *cobra.Command
	err error
}

func usage(cmd *cobra.Command, err error) error { return &usageError{cmd: cmd, err: err} }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
