package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Head is where this place stands: the branch's full name, or "" where HEAD is detached,
// and the commit, or the zero ID on a branch without one.
func (r *Repo) Head(ctx context.Context) (ref string, id ID, err error) {
	out, code, err := r.ask(ctx, call{args: []string{"symbolic-ref", "--quiet", "HEAD"}, quiet: []int{1}})
	if err != nil {
		return "", "", err
	}
	if code == 0 {
		ref = line(out)
	}
	id, err = r.head(ctx)
	return ref, id, err
}

func (r *Repo) head(ctx context.Context) (ID, error) {
	out, code, err := r.ask(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"}, quiet: []int{1}})
	if err != nil || code == 1 {
		return "", err
	}
	return parseID(line(out))
}

// Resolve finds the commit that a revision names. The error matches [ErrNotFound] if there is none.
func (r *Repo) Resolve(ctx context.Context, rev string) (ID, error) {
	out, code, err := r.ask(ctx, call{
		args:  []string{"rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{commit}"},
		quiet: []int{1, 128},
	})
	if err != nil {
		return "", fmt.Errorf("resolve %q: %w", rev, err)
	}
	if code != 0 {
		return "", fmt.Errorf("revision %q: %w", rev, ErrNotFound)
	}
	return parseID(line(out))
}

// Shallow reports whether history was cut off when the repository was cloned or fetched.
func (r *Repo) Shallow() bool {
	info, err := os.Stat(filepath.Join(r.commonDir, "shallow"))
	return err == nil && info.Size() > 0
}

// DefaultBranch is the short name of the branch that work starts from and returns to:
// what the remote calls its HEAD (of "origin", or of the only other remote),
// else init.defaultBranch, main or master, whichever exists first, else the branch that is checked out.
// It is "" only where HEAD is detached and none of them exists.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	preferred, _, err := r.Config(ctx, "init.defaultBranch")
	if err != nil {
		return "", err
	}
	candidates := []string{"main", "master"}
	if preferred != "" {
		candidates = append([]string{preferred}, candidates...)
	}
	tracking, err := r.Tracking(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	args := append([]string{"for-each-ref", "--format=%(refname)%00%(symref)"}, tracking...)
	for _, name := range candidates {
		args = append(args, "refs/heads/"+name)
	}
	out, err := r.git(ctx, call{args: args})
	if err != nil {
		return "", err
	}
	exists := map[string]bool{}
	var heads []string // of remotes
	for text := range strings.Lines(string(out)) {
		name, target, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\x00")
		exists[name] = true
		remote, isHead := strings.CutSuffix(strings.TrimPrefix(name, "refs/remotes/"), "/HEAD")
		branch, ok := strings.CutPrefix(target, "refs/remotes/"+remote+"/")
		if !isHead || !ok {
			continue
		}
		if remote == "origin" {
			return branch, nil
		}
		heads = append(heads, branch)
	}
	if len(heads) == 1 {
		return heads[0], nil
	}
	for _, name := range candidates {
		if exists["refs/heads/"+name] {
			return name, nil
		}
	}
	ref, _, err := r.Head(ctx)
	return shortRef(ref), err
}
