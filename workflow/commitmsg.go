package workflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// CommitMsg judges the message of a commit before it is made, as git's commit-msg hook.
// It is help, and no gate that holds: `git commit --no-verify` goes past it, and check finds later what it would have refused.
type CommitMsg struct{ Bench *Bench }

// CommitMsgRequest is what git tells the hook.
type CommitMsgRequest struct {
	File      string // with the message as the editor left it, comments and scissors included
	AddChange bool   // on a change's branch, add Agentd-Change where the message does not name a change
}

// maxMessageFile is far above every message. With `git commit --verbose` the file also holds the diff.
const maxMessageFile = 64 << 20

// Run refuses what only commits of ours may say. The error is then a [*phases.ReservedTrailerError], or says what cannot be read.
func (c *CommitMsg) Run(ctx context.Context, req CommitMsgRequest) error {
	raw, err := readMessageFile(req.File)
	if err != nil {
		return err
	}
	if gitops.IsOwnMessage(req.File) {
		m, err := phases.ParseMessage(raw)
		if err == nil && m.Transition == nil {
			err = errors.New("holds no transition")
		}
		if err != nil {
			return fmt.Errorf("the message of a commit of gh-agentd %w", err)
		}
		return nil
	}
	comment, _, err := c.Bench.Repo.Config(ctx, "core.commentString")
	if comment == "" && err == nil {
		comment, _, err = c.Bench.Repo.Config(ctx, "core.commentChar")
	}
	if err != nil {
		return err
	}
	readings := messageReadings(raw, comment)
	for _, text := range readings {
		if err := c.judge(ctx, text); err != nil {
			return err
		}
	}
	return c.help(ctx, req, readings[len(readings)-1])
}

func readMessageFile(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxMessageFile {
		return "", fmt.Errorf("%s is not a file of at most %d MiB", name, maxMessageFile>>20)
	}
	data, err := os.ReadFile(name)
	return string(data), err
}

// judge lets a message of ours pass that is only made again: by a cherry-pick, or a rebase that a conflict stopped.
func (c *CommitMsg) judge(ctx context.Context, text string) error {
	refused := phases.CheckPersonMessage(text)
	if refused == nil {
		return nil
	}
	was, err := c.Bench.Repo.Replayed(ctx)
	if err != nil || was == "" {
		return errors.Join(refused, err)
	}
	mine, mineErr := phases.ParseTrailers(text)
	theirs, theirsErr := phases.ParseTrailers(was)
	if mineErr == nil && theirsErr == nil && slices.Equal(mine, theirs) {
		return nil
	}
	return refused
}

// scissors is the line at which git cuts a message that was written beside a diff.
const scissors = "------------------------ >8 ------------------------"

// messageReadings are the messages that git may make of the file: with the lines that may be comments, and without them.
// Which of them it will be depends on options of `git commit` that no hook is told. The last one is never the longer one.
func messageReadings(raw, comment string) []string {
	marks := []string{comment}
	switch comment {
	case "":
		marks = []string{"#"}
	case "auto": // git takes the first of these that begins no line of the message
		marks = strings.Split("# ; @ ! $ % ^ & | :", " ")
	}
	readings := []string{}
	for _, mark := range marks {
		text := raw
		if at := strings.Index("\n"+raw, "\n"+mark+" "+scissors); at >= 0 {
			text = raw[:at]
		}
		var kept strings.Builder
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, mark) {
				kept.WriteString(line)
			}
		}
		readings = append(readings, text, kept.String())
	}
	return readings
}

// help says what a person may have meant otherwise, and adds what they asked to be added.
func (c *CommitMsg) help(ctx context.Context, req CommitMsgRequest, text string) error {
	message, err := phases.ParseMessage(text)
	if err != nil || strings.TrimSpace(text) == "" { // an empty message ends the commit, and must stay empty
		return nil //nolint:nilerr // the judgement is made, and said nothing
	}
	trailers, err := phases.ParseTrailers(text)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	named, tasks := 0, 0
	for _, t := range trailers {
		switch {
		case strings.EqualFold(t.Key, "Agentd-Change"):
			named++
		case strings.EqualFold(t.Key, "Agentd-Task"):
			tasks++
		}
	}
	say := c.Bench.Say
	if named > 0 && message.ChangeHint.IsZero() {
		say.Warn("Agentd-Change does not name one change, so it says nothing: Agentd-Change: add-oauth")
	}
	if tasks > len(message.TaskHints) {
		say.Warn("Agentd-Task does not name a task, so it says nothing: Agentd-Task: 1.2")
	}
	ref, _, err := c.Bench.Repo.Head(ctx)
	if err != nil {
		return err
	}
	id, onChange := phases.ChangeIDFromBranch(strings.TrimPrefix(ref, "refs/heads/"))
	switch {
	case !onChange:
	case named > 0 && !message.ChangeHint.IsZero() && message.ChangeHint != id:
		say.Warn(fmt.Sprintf("Agentd-Change is %s, and this is the branch of %s", message.ChangeHint, id))
	case named == 0 && req.AddChange && !strings.HasPrefix(text, "fixup! ") && !strings.HasPrefix(text, "squash! "):
		return c.Bench.Repo.AddTrailer(ctx, req.File, "Agentd-Change", id.String())
	}
	return nil
}
