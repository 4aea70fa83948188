package agenttest

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Exit statuses of a scripted agent that are about the script, not of it.
const (
	ExitUnknownCall = 97
	ExitScriptError = 98
)

// agent is one call in progress.
type agent struct {
	name   string
	args   []string // without the program
	env    environ
	stdout io.Writer
	stderr io.Writer
	stdin  io.Reader // what is left after the prompt

	prompt []byte
	script *script
	record string // folder
	format format
	ended  *int // the exit status that the script asked for

	toolCalls int
}

// Main plays one call and returns the exit status.
// args[0] is the name under which the program was called.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, environment []string) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "agenttest: called without a name")
		return ExitScriptError
	}
	a := &agent{
		name: strings.TrimSuffix(filepath.Base(args[0]), ".exe"), args: args[1:],
		env: environ(environment), stdin: stdin, stdout: stdout, stderr: stderr,
	}
	if status, answered := a.answerQuestion(); answered {
		return status
	}
	err := a.play()
	var unknown *unknownCallError
	switch {
	case a.ended != nil:
		return *a.ended
	case errors.As(err, &unknown):
		fmt.Fprintln(stderr, "agenttest:", err)
		return ExitUnknownCall
	case err != nil:
		fmt.Fprintln(stderr, "agenttest:", err)
		return ExitScriptError
	}
	return 0
}

// answerQuestion answers what is asked of an agent before it is used, as a signed-in agent does.
func (a *agent) answerQuestion() (status int, answered bool) {
	switch strings.Join(a.args, " ") {
	case "--version":
		fmt.Fprintln(a.stdout, a.version())
	case "login status":
		fmt.Fprintln(a.stdout, "Logged in (scripted)")
	case "auth status":
		fmt.Fprintln(a.stdout, `{"loggedIn": true}`)
	default:
		return 0, false
	}
	return 0, true
}

// version is in the words of the program whose name this is, and one that an adapter takes.
func (a *agent) version() string {
	switch a.name {
	case "gemini":
		return "0.61.0"
	case "codex":
		return "codex-cli 0.169.0"
	case "claude":
		return "2.1.329 (Claude Code)"
	default:
		return "1.0.0 (scripted)"
	}
}

func (a *agent) play() error {
	home := a.env.get("HOME")
	if home == "" {
		return errors.New("HOME is not set, and the script is below it")
	}
	var err error
	if a.prompt, err = io.ReadAll(a.stdin); err != nil {
		return fmt.Errorf("read the prompt: %w", err)
	}
	call, err := a.keepRecord(home)
	if err != nil {
		return err
	}
	if a.script, err = readScript(home); err != nil {
		return err
	}
	lines, err := a.script.choose(call)
	if err != nil {
		return err
	}
	a.format = formatOf(a.name)
	commands := table()
	for _, l := range lines {
		words, err := split(l.text, a.env)
		if err != nil {
			return l.wrap(err)
		}
		command, ok := commands[words[0]]
		if !ok {
			return l.wrap(fmt.Errorf("unknown command %q", words[0]))
		}
		if n := len(words) - 1; n < command.least || command.most >= 0 && n > command.most {
			return l.wrap(fmt.Errorf("%s has %d words too many or too few", words[0], n))
		}
		if err := command.do(a, words[1:]); err != nil {
			return l.wrap(err)
		}
		if a.ended != nil {
			return nil
		}
	}
	return nil
}

// environ is an environment as a list of NAME=value.
type environ []string

func (e environ) get(name string) string {
	value, _ := e.find(name)
	return value
}

func (e environ) find(name string) (string, bool) {
	for _, entry := range e {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
