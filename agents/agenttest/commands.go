package agenttest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// command is one word of the script language.
type command struct {
	least, most int // number of words after it; most -1 = any
	do          func(a *agent, words []string) error
}

// table is the language. The package comment explains it.
func table() map[string]command {
	return map[string]command{
		"write":  {2, 2, (*agent).write},
		"text":   {2, 2, func(a *agent, w []string) error { return put(w[0], []byte(w[1])) }},
		"append": {2, 2, func(a *agent, w []string) error { return appendTo(w[0], w[1]) }},
		"edit":   {3, 3, func(a *agent, w []string) error { return edit(w[0], w[1], w[2]) }},
		"delete": {1, 1, func(a *agent, w []string) error { return remove(w[0]) }},
		"mkdir":  {1, 1, func(a *agent, w []string) error { return os.MkdirAll(w[0], 0o755) }},
		"symlink": {2, 2, func(a *agent, w []string) error {
			return replaceBy(w[1], func() error { return os.Symlink(w[0], w[1]) })
		}},
		"hardlink": {2, 2, func(a *agent, w []string) error { return replaceBy(w[1], func() error { return os.Link(w[0], w[1]) }) }},
		"fifo":     {1, 1, func(a *agent, w []string) error { return replaceBy(w[0], func() error { return makePipe(w[0]) }) }},
		"sparse":   {2, 2, sparse},
		"gitfile":  {2, 2, (*agent).gitFile},

		"print":    {0, -1, func(a *agent, w []string) error { return say(a.stdout, strings.Join(w, " ")+"\n") }},
		"printerr": {0, -1, func(a *agent, w []string) error { return say(a.stderr, strings.Join(w, " ")+"\n") }},
		"raw":      {1, 1, func(a *agent, w []string) error { return say(a.stdout, w[0]) }},
		"rawerr":   {1, 1, func(a *agent, w []string) error { return say(a.stderr, w[0]) }},
		"cat":      {1, 1, (*agent).cat},
		"flood":    {2, 2, func(a *agent, w []string) error { return a.flood(w[0], w[1], "0123456789abcde\n") }},
		"longline": {2, 2, func(a *agent, w []string) error { return a.flood(w[0], w[1], "0123456789abcdef") }},
		"chatter":  {1, 1, (*agent).chatter},

		"format": {1, 1, (*agent).setFormat},
		"start":  {0, 1, func(a *agent, w []string) error { return a.tell(a.format.start(append(w, "scripted-1")[0])) }},
		"say":    {1, 1, func(a *agent, w []string) error { return a.tell(a.format.say(w[0])) }},
		"retry":  {1, 1, (*agent).retry},
		"done":   {0, 3, (*agent).done},
		"fail":   {1, 1, func(a *agent, w []string) error { return a.tell(a.format.fail(w[0])) }},

		"tool":     {2, 3, (*agent).tool},
		"nonsense": {1, 1, (*agent).nonsense},
		"submit":   {2, 3, (*agent).submit},

		"sleep":  {1, 1, sleep},
		"hang":   {0, 0, func(*agent, []string) error { return sleep(nil, []string{"24h"}) }},
		"ignore": {1, -1, ignore},
		"child":  {0, 3, (*agent).child},
		"ask":    {1, 1, (*agent).ask},
		"git":    {1, -1, func(a *agent, w []string) error { return a.run(append([]string{"git"}, w...)) }},
		"run":    {1, -1, (*agent).run},
		"exit":   {1, 1, (*agent).exit},

		"want":   {2, 3, func(a *agent, w []string) error { return a.expect(w, true) }},
		"refuse": {2, 3, func(a *agent, w []string) error { return a.expect(w, false) }},
	}
}

func sleep(_ *agent, words []string) error {
	d, err := time.ParseDuration(words[0])
	if err != nil {
		return err
	}
	<-time.After(d)
	return nil
}

func ignore(_ *agent, words []string) error {
	known := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	for _, word := range words {
		sig, ok := known[word]
		if !ok {
			return fmt.Errorf("no signal %q", word)
		}
		signal.Ignore(sig)
	}
	return nil
}

func (a *agent) child(words []string) error {
	for _, word := range words {
		if !slices.Contains([]string{"setsid", "bare", "deaf"}, word) {
			return fmt.Errorf("no kind of child is %q", word)
		}
	}
	return a.leaveChild(slices.Contains(words, "setsid"), slices.Contains(words, "bare"), slices.Contains(words, "deaf"))
}

// ask waits for an answer that cannot come: the prompt was all of standard input.
func (a *agent) ask(words []string) error {
	if err := say(a.stdout, words[0]+" "); err != nil {
		return err
	}
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if answer != "" {
		return fmt.Errorf("somebody answered %q", answer)
	}
	_ = err // the end of input
	return nil
}

func (a *agent) exit(words []string) error {
	status, err := strconv.Atoi(words[0])
	if err != nil {
		return err
	}
	a.ended = &status
	return nil
}

// run runs a program in the working directory, with the agent's environment.
func (a *agent) run(words []string) error {
	path, err := proc.Look(words[0], a.env.get("PATH"))
	if err != nil {
		return err
	}
	res, err := proc.Run(context.Background(), proc.Cmd{Path: path, Args: words[1:], Env: a.env})
	if _, ended := errors.AsType[*proc.ExitError](err); ended {
		return fmt.Errorf("%w\n%s%s", err, res.Stdout, res.Stderr)
	}
	return err
}

// expect compares what the agent was told, or finds, with what the script wants.
func (a *agent) expect(words []string, wanted bool) error {
	found, what := false, strings.Join(words, " ")
	switch words[0] {
	case "prompt":
		found = strings.Contains(string(a.prompt), words[1])
	case "arg":
		found = slices.Contains(a.args, words[1])
	case "env":
		name, value, exact := strings.Cut(words[1], "=")
		got, set := a.env.find(name)
		found = set && (!exact || got == value)
	case "file":
		if len(words) < 3 {
			return errors.New("want file PATH TEXT")
		}
		data, err := os.ReadFile(words[1])
		found = err == nil && strings.Contains(string(data), words[2])
	default:
		return fmt.Errorf("nothing to compare is called %q", words[0])
	}
	if found != wanted {
		return fmt.Errorf("%s: found is %v", what, found)
	}
	return nil
}
