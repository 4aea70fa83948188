package workflow

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
)

// checkCommands are the project's own checks: configured, or found by the kind of project.
// None is an error: an approval without evidence would prove nothing.
func (b *Bench) checkCommands(ctx context.Context, c *changes.Change) ([]string, error) {
	if len(b.Config.Review.Commands) > 0 {
		return b.Config.Review.Commands, nil
	}
	if b.Config.Review.Commands == nil {
		kinds, err := b.projectKinds(ctx, c.Tree())
		if err != nil {
			return nil, err
		}
		var found []string
		for _, k := range kinds {
			found = append(found, k.check)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, &GateError{
		Gate:   "evidence",
		Reason: "no command checks this project, and without evidence nothing can become complete",
		Next:   `name one in agentd/config.toml: [review] commands = ["make test"]`,
	}
}

// commandsOf are the commands that evidence is of, the scan left out.
func commandsOf(evidence []phases.Evidence) []string {
	var commands []string
	for _, e := range evidence {
		if e.Kind != phases.Scan {
			commands = append(commands, e.Command)
		}
	}
	return commands
}

// exactly returns a directory that holds the commit's code, and nothing else but what git ignores:
// the given one when that is what stands there, else a temporary worktree, which done removes.
func (b *Bench) exactly(ctx context.Context, dir string, commit gitops.ID) (exact string, done func(), err error) {
	if dir != "" {
		changed, err := b.differs(ctx, dir, commit)
		if err != nil {
			return "", nil, err
		}
		sparse, err := b.at(dir).Sparse(ctx)
		if err != nil {
			return "", nil, err
		}
		if len(changed) == 0 && !sparse {
			return dir, func() {}, nil
		}
	}
	return b.temporaryWorktree(ctx, commit)
}

// evidence runs the project's checks and its security scan on exactly the tree of the commit.
func (b *Bench) evidence(ctx context.Context, c *changes.Change, commit gitops.ID, dir string) ([]phases.Evidence, error) {
	dir, done, err := b.exactly(ctx, dir, commit)
	if err != nil {
		return nil, err
	}
	defer done()
	return b.checked(ctx, c, commit, dir)
}

// checked is evidence in a directory that holds exactly the commit already.
func (b *Bench) checked(ctx context.Context, c *changes.Change, commit gitops.ID, dir string) ([]phases.Evidence, error) {
	commands, err := b.checkCommands(ctx, c)
	if err != nil {
		return nil, err
	}
	log, err := b.newCheckLog(c.ID)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	before, err := b.at(dir).SnapshotWorktree(ctx)
	if err != nil {
		return nil, err
	}
	var all []phases.Evidence
	for _, command := range commands {
		e, err := b.runCheck(ctx, dir, command, log)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	scans, err := b.scan(ctx, c, dir, log)
	if err != nil {
		return nil, err
	}
	return append(all, scans...), b.onlyLooked(ctx, c.ID, dir, before)
}

// onlyLooked refuses checks that rewrote what they judged. Files that they leave beside it are nobody's matter:
// a note tells the next attempt at writing that they are not a person's.
func (b *Bench) onlyLooked(ctx context.Context, id phases.ChangeID, dir string, before gitops.ID) error {
	here := b.at(dir)
	after, err := here.SnapshotWorktree(ctx)
	if err != nil {
		return err
	}
	changed, err := here.DiffTrees(ctx, before, after)
	if err != nil {
		return err
	}
	for _, change := range changed {
		if !change.OldID.IsZero() {
			return &GateError{
				Gate: "evidence", Reason: fmt.Sprintf("the checks changed %s: what passed is not what is committed", change.Path),
				Next: "let [review] commands in agentd/config.toml only look, such as `gofmt -l` and not `gofmt -w`",
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return writeWhole(b.checksFile(id), []byte(after))
}

func (b *Bench) checksFile(id phases.ChangeID) string { return b.attemptFile(id) + ".checks" }

// differs are the files in which a worktree is not the commit. Ignored files do not count.
func (b *Bench) differs(ctx context.Context, dir string, commit gitops.ID) ([]gitops.FileChange, error) {
	here := b.at(dir)
	tree, err := here.SnapshotWorktree(ctx)
	if err != nil {
		return nil, err
	}
	return here.DiffTrees(ctx, commit, tree)
}

// temporaryWorktree checks a commit out beside everything else; remove takes it away again.
func (b *Bench) temporaryWorktree(ctx context.Context, commit gitops.ID) (string, func(), error) {
	dir := filepath.Join(b.temporaryDir(), rand.Text()[:10])
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", nil, err
	}
	if err := b.noteTemporary(dir); err != nil {
		return "", nil, err
	}
	if err := b.Repo.AddDetached(ctx, dir, commit); err != nil {
		return "", nil, fmt.Errorf("check out %s: %w", commit.Short(), err)
	}
	return dir, func() { _ = b.Repo.RemoveDetached(context.WithoutCancel(ctx), dir) }, nil
}

func (b *Bench) temporaryDir() string { return filepath.Join(b.CacheDir, "worktrees") }

// runCheck runs one command and records how it ended. A failing command is evidence, not an error:
// the end of what it printed is shown, and all of it is in the log.
func (b *Bench) runCheck(ctx context.Context, dir, command string, log *os.File) (phases.Evidence, error) {
	e := phases.Evidence{Command: command}
	words, err := splitWords(command)
	if err != nil {
		return e, err
	}
	b.Say.Start("running " + command)
	output := &proc.Tail{EndBytes: 4 << 10}
	result, err := b.runProgram(ctx, dir, words, io.MultiWriter(log, output))
	e.Millis = result.Elapsed.Milliseconds()
	exit, failed := errors.AsType[*proc.ExitError](err)
	limit, stopped := errors.AsType[*proc.LimitError](err)
	switch {
	case failed:
		e.Exit = exit.Status()
		b.Say.Warn(fmt.Sprintf("%s failed with exit %d after %s", command, e.Exit, result.Elapsed.Round(time.Millisecond)))
	case stopped:
		e.Exit = 124 // as timeout(1) says it
		b.Say.Warn(fmt.Sprintf("%s: %v", command, limit))
	case err != nil:
		return e, fmt.Errorf("run %q: %w", command, err)
	default:
		b.Say.Done(fmt.Sprintf("%s passed in %s", command, result.Elapsed.Round(time.Millisecond)))
		return e, nil
	}
	if len(bytes.TrimSpace(output.Bytes())) == 0 {
		return e, nil
	}
	for _, line := range lastLines(string(output.Bytes()), 12) {
		b.Say.Note("| " + line)
	}
	b.Say.Note("all of its output: " + log.Name())
	return e, nil
}

func (b *Bench) runProgram(ctx context.Context, dir string, words []string, log io.Writer) (proc.Result, error) {
	path, err := proc.Look(words[0], lookup(b.Environ, "PATH"))
	if err != nil {
		return proc.Result{}, err
	}
	return proc.Run(ctx, proc.Cmd{
		Path: path, Args: words[1:], Dir: dir, Env: b.checkEnvironment(), Group: true,
		Stdout: log, Stderr: log,
		Limits: proc.Limits{Wall: b.Config.Review.Timeout, Grace: 5 * time.Second}, Force: b.Force,
	})
}

// checkLog is where the output of a change's newest checks is.
func (b *Bench) checkLog(id phases.ChangeID) string {
	where := sha256.Sum256([]byte(b.Repo.CommonDir())) // the cache is shared by all clones of the person
	return filepath.Join(b.CacheDir, "checks", fmt.Sprintf("%s-%x.log", id, where[:4]))
}

// newCheckLog begins the log anew.
func (b *Bench) newCheckLog(id phases.ChangeID) (*os.File, error) {
	path := b.checkLog(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
}

// lastLines are the last lines of a program's output, fit to be shown.
func lastLines(text string, most int) []string {
	lines := strings.Split(strings.TrimSpace(proc.Clean(text)), "\n")
	return lines[max(0, len(lines)-most):]
}

// checkEnvironment is the caller's environment without git's own variables, without GitHub's tokens,
// and without the files through which a runner is told what later steps get: a project's checks run code that an agent wrote.
// In a job that judges a pull request no secret at all is left in it, a model's key no more than others.
func (b *Bench) checkEnvironment() []string {
	var secret []string
	if !b.trusted.IsZero() {
		for _, s := range proc.SecretsIn(b.Environ) {
			secret = append(secret, s.Name)
		}
	}
	var kept []string
	for _, pair := range b.Environ {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "ACTIONS_"), slices.Contains(secret, name),
			slices.Contains(keptFromChecks, name):
		default:
			kept = append(kept, pair)
		}
	}
	return kept
}

// keptFromChecks are variables that no check of a project has a use for.
var keptFromChecks = []string{
	"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "SSH_AUTH_SOCK",
	"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "AGENTD_RESULT",
}

func lookup(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// evidenceLines are what a reviewer and REVIEW.md are told.
func evidenceLines(all []phases.Evidence) []string {
	lines := make([]string, 0, len(all))
	for _, e := range all {
		lines = append(lines, e.String())
	}
	return lines
}

// splitWords splits a command line as a shell would, without being one:
// blanks separate, quotes group, a backslash takes the next character as it is. Nothing is expanded.
func splitWords(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, in = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("command %q ends inside a quote", command)
	}
	if in {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("a check command is empty")
	}
	return words, nil
}
