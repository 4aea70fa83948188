package gitops

import (
	"context"
	"errors"
	"strings"
)

// RemoteTip is where a reference stands on a remote at this moment, "" where it is not there.
// The error is a *FetchError where the remote does not answer.
func (r *Repo) RemoteTip(ctx context.Context, remote, ref string) (ID, error) {
	out, err := r.git(ctx, call{args: []string{"ls-remote", "--quiet", "--", remote, ref}, voice: hooked, away: true})
	if git, ok := errors.AsType[*GitError](err); ok {
		return "", &FetchError{Remote: remote, Detail: firstComplaint(strings.TrimSpace(git.Stderr))}
	}
	if err != nil {
		return "", err
	}
	for text := range strings.Lines(string(out)) {
		// A pattern also fits the end of a longer name.
		if id, name, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\t"); name == ref {
			return parseID(id)
		}
	}
	return "", nil
}

// PushError says that a push did not happen.
type PushError struct {
	Remote, Ref string
	Detail      string // what git, a hook, or the other side says, perhaps in several lines
	Behind      bool   // the remote has commits that are not in what was pushed
	Refused     bool   // by a rule of the remote, as for a protected branch
	Denied      bool   // the account may not push there
}

func (e *PushError) Error() string { return "push " + e.Ref + " to " + e.Remote + ": " + e.Detail }

// Why is the most telling line of what the remote says.
func (e *PushError) Why() string {
	first, _, _ := strings.Cut(e.Detail, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(first, "[remote rejected] ("), ")"))
}

// Hint is the command that shows the same to a person.
func (e *PushError) Hint() string {
	return "`git push " + e.Remote + " " + strings.TrimPrefix(e.Ref, "refs/heads/") + "` must work; then run the same command again"
}

// Push moves one reference of a remote forward to a commit; nothing is ever forced.
// The person's pre-push hook and credentials serve as in their own push; their wishes for tags and submodules do not.
// The error is a *PushError where git, a hook or the remote refuses.
func (r *Repo) Push(ctx context.Context, remote string, commit ID, ref string) error {
	c := call{args: []string{
		"push", "--porcelain", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--", remote, string(commit) + ":" + ref,
	}, voice: hooked, away: true}
	out, _, err := r.ask(ctx, c)
	git, ok := errors.AsType[*GitError](err)
	if !ok {
		return err
	}
	failed := &PushError{Remote: remote, Ref: ref, Denied: strings.Contains(git.Stderr, "returned error: 403")}
	var said []string
	for text := range strings.Lines(string(out)) {
		// "!", the two references, and in words why.
		if words := strings.Split(strings.TrimSpace(text), "\t"); len(words) == 3 && words[0] == "!" {
			said = append(said, words[2])
			failed.Behind = strings.HasPrefix(words[2], "[rejected]")
			failed.Refused = strings.HasPrefix(words[2], "[remote rejected]")
		}
	}
	for text := range strings.Lines(git.Stderr) {
		text = strings.TrimSpace(text)
		if text != "" && !strings.HasPrefix(text, "hint:") && !strings.HasPrefix(text, "error: failed") && !strings.HasPrefix(text, "To ") {
			said = append(said, strings.TrimSpace(strings.TrimPrefix(text, "remote:")))
		}
	}
	if len(said) == 0 {
		said = []string{firstComplaint(strings.TrimSpace(git.Stderr))}
	}
	failed.Detail = strings.Join(said, "\n")
	return failed
}

// Patch is what changes in one file between two commits, in the unified format with three lines of context;
// "" where nothing does, or the file is not text.
func (r *Repo) Patch(ctx context.Context, a, b ID, path string) (string, error) {
	out, err := r.git(ctx, call{args: []string{
		"diff-tree", "-p", "--unified=3", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", string(a), string(b), "--", path,
	}})
	return string(out), err
}
