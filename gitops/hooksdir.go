package gitops

import (
	"context"
	"path/filepath"
	"strings"
)

// HooksDir is where git looks for the hooks of a repository.
type HooksDir struct {
	Path  string // absolute
	Scope string // where core.hooksPath is set: "local", "worktree", "global", "system" or "command"; "" where it is not
}

// HooksDir asks git. A relative core.hooksPath counts from where hooks run: the top of this worktree, or a bare repository itself.
func (r *Repo) HooksDir(ctx context.Context) (HooksDir, error) {
	out, code, err := r.ask(ctx, call{
		args:  []string{"config", "-z", "--show-scope", "--includes", "--type=path", "--get", "core.hooksPath"},
		quiet: []int{1},
	})
	if err != nil {
		return HooksDir{}, err
	}
	found := fields(out)
	if code != 0 || len(found) < 2 {
		return HooksDir{Path: filepath.Join(r.commonDir, "hooks")}, nil
	}
	dir := HooksDir{Path: filepath.FromSlash(found[1]), Scope: found[0]}
	if !filepath.IsAbs(dir.Path) {
		dir.Path = filepath.Join(r.home(), dir.Path)
	}
	return dir, nil
}

// ConfiguredHooks is the first git that runs hooks from its configuration: hook.<name>.event and hook.<name>.command.
const ConfiguredHooks = "2.54"

// RunsConfiguredHooks says whether the git program here is that new, and which one it is.
func (r *Repo) RunsConfiguredHooks(ctx context.Context) (yes bool, version string, err error) {
	out, err := r.git(ctx, call{args: []string{"version"}})
	if err != nil {
		return false, "", err
	}
	version = versionOf(strings.TrimSpace(string(out)))
	return !older(version, ConfiguredHooks), version, nil
}

// SetConfig sets a key of the repository's own configuration, for all its worktrees.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	_, err := r.git(ctx, call{args: []string{"config", "--local", "--replace-all", key, value}})
	r.forgetConfig()
	return err
}

// RemoveConfigSection takes a section out of the repository's own configuration, and says whether it was there.
func (r *Repo) RemoveConfigSection(ctx context.Context, section string) (bool, error) {
	_, code, err := r.ask(ctx, call{args: []string{"config", "--local", "--remove-section", section}, quiet: []int{128}})
	r.forgetConfig()
	return code == 0 && err == nil, err
}

func (r *Repo) forgetConfig() {
	r.config.mu.Lock()
	defer r.config.mu.Unlock()
	r.config.values = nil
}
