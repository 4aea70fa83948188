package gitops

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Remote is another repository that this one knows by name.
type Remote struct {
	Name string
	URL  string // after url.<base>.insteadOf
}

// Remotes lists them by name.
func (r *Repo) Remotes(ctx context.Context) ([]Remote, error) {
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	rewritten := false
	urls := map[string]string{}
	for key, value := range settings {
		rewritten = rewritten || strings.HasSuffix(key, ".insteadof")
		name, isRemote := strings.CutPrefix(key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); isRemote && isURL {
			urls[name] = value.text
		}
	}
	var remotes []Remote
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		url := urls[name]
		if rewritten {
			out, err := r.git(ctx, call{args: []string{"remote", "get-url", "--", name}})
			if err != nil {
				return nil, err
			}
			url = line(out)
		}
		remotes = append(remotes, Remote{Name: name, URL: url})
	}
	return remotes, nil
}

// Tracking are the references in which this clone remembers a branch of each remote, "HEAD" among them; they need not exist.
// Naming them is quicker than a pattern, for which git looks at everything that was ever fetched.
func (r *Repo) Tracking(ctx context.Context, branch string) ([]string, error) {
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for key, value := range settings {
		name, isRemote := strings.CutPrefix(key, "remote.")
		if !isRemote {
			continue
		}
		if name, isURL := strings.CutSuffix(name, ".url"); isURL {
			folders["refs/remotes/"+name] = true
		}
		_, to, _ := strings.Cut(value.text, ":")
		if folder, whole := strings.CutSuffix(to, "/*"); whole && strings.HasSuffix(name, ".fetch") && strings.HasPrefix(folder, "refs/remotes/") {
			folders[folder] = true
		}
	}
	var names []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		names = append(names, folder+"/"+branch)
	}
	return names, nil
}

// FetchError says that a remote could not be read.
type FetchError struct {
	Remote string
	Detail string
}

func (e *FetchError) Error() string { return "fetch from " + e.Remote + ": " + e.Detail }

// Hint is the command with which git asks for what it needs.
func (e *FetchError) Hint() string { return "git fetch " + e.Remote }

// Fetch brings references from a remote, such as "+refs/heads/agentd/*:refs/remotes/origin/agentd/*".
// Without refspecs those of the configuration hold. No tag, no submodule, no FETCH_HEAD, no clean-up in the background.
// The error matches [ErrNotFound] if the remote does not have what a refspec names.
func (r *Repo) Fetch(ctx context.Context, remote string, refspecs ...string) error {
	args := []string{
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--end-of-options", remote,
	}
	_, err := r.git(ctx, call{args: append(args, refspecs...), voice: hooked, away: true})
	git, ok := errors.AsType[*GitError](err)
	if !ok {
		return err
	}
	failed := &FetchError{Remote: remote, Detail: firstComplaint(strings.TrimSpace(git.Stderr))}
	if strings.Contains(git.Stderr, "couldn't find remote ref") {
		return errors.Join(failed, ErrNotFound)
	}
	return failed
}

// Unshallow fetches the history that a shallow clone lacks.
func (r *Repo) Unshallow(ctx context.Context, remote string) error {
	_, err := r.git(ctx, call{args: []string{
		"fetch", "--quiet", "--unshallow", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--end-of-options", remote,
	}, voice: hooked, away: true})
	if git, ok := errors.AsType[*GitError](err); ok {
		return &FetchError{Remote: remote, Detail: firstComplaint(strings.TrimSpace(git.Stderr))}
	}
	return err
}
