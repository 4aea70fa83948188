package workflow

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/hooks"
)

// Hooks puts our git hooks into a repository, takes them away, and says what is there.
type Hooks struct{ Bench *Bench }

// HooksRequest says how to install or to uninstall.
type HooksRequest struct {
	Write     bool // also into files that a team shares: a hook manager's, or a folder of hooks in the worktree
	Config    bool // let git run the hooks from its configuration, which touches no file of anybody's
	AddChange bool // let commit-msg add Agentd-Change on a change's branch
}

// HooksResult says what is there now, and what was not done.
type HooksResult struct {
	Place string      `json:"place"` // whose the hooks are: git, husky, lefthook, folder, elsewhere, or config
	Hooks []HookState `json:"hooks"`
	Calls []HookCall  `json:"calls"` // lines that a person must add somewhere, or let --write add
	Kept  []KeptFile  `json:"kept"`  // what was left as it is, and stands in the way
}

// HookState is one hook.
type HookState struct {
	Hook    string `json:"hook"`
	State   string `json:"state"`   // ours, chained, foreign, missing, stale, changed
	Path    string `json:"path"`    // our script, or the foreign hook
	Program string `json:"program"` // what our script starts
	Other   string `json:"other"`   // chained: the hook that ours calls, or the file that calls ours
	Reason  string `json:"reason"`  // where State is not ours or chained: why
	Next    string `json:"next"`    // what to do about it
}

// HookCall are lines for a file that is not ours.
type HookCall struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// The states of a hook.
const (
	HookOurs    = "ours"    // ours alone
	HookChained = "chained" // ours together with another one
	HookForeign = "foreign" // another one, and nothing calls ours
	HookMissing = "missing" // none, or ours is there and nothing calls it
	HookStale   = "stale"   // ours, and what was written into it holds no more
	HookChanged = "changed" // ours, and somebody edited it
)

// configSection is where git keeps a hook of its configuration.
func configSection(name hooks.Name) string { return "hook.agentd-" + string(name) }

// hookPlace is where the hooks of this repository are.
type hookPlace struct {
	hooks.Place
	base   string   // the reference whose folder agentd/ is watched
	dirs   []string // every folder that may hold a script of ours
	behind string   // the folder for scripts that something else calls
}

func (h *Hooks) place(ctx context.Context) (hookPlace, error) {
	repo := h.Bench.Repo
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		return hookPlace{}, err
	}
	shared := dir.Scope != "" && dir.Scope != "local" && dir.Scope != "worktree"
	p := hookPlace{Place: hooks.Find(hooks.Facts{CommonDir: repo.CommonDir(), WorkTree: repo.WorkTree(), Dir: dir.Path, Shared: shared})}
	p.behind = filepath.Join(repo.CommonDir(), "agentd", "hooks")
	p.dirs = []string{p.Dir}
	for _, d := range []string{p.behind, filepath.Join(repo.CommonDir(), "hooks")} {
		if !slices.Contains(p.dirs, d) {
			p.dirs = append(p.dirs, d)
		}
	}
	if branch, err := repo.DefaultBranch(ctx); err == nil && branch != "" { // an empty repository has none, and nothing to watch
		p.base = "refs/heads/" + strings.TrimPrefix(branch, "refs/heads/")
	}
	return p, nil
}

// Install makes git run our hooks. Running it again brings them up to date.
// The error is the first of what was kept.
func (h *Hooks) Install(ctx context.Context, req HooksRequest) (HooksResult, error) {
	if h.Bench.Executable == "" {
		return HooksResult{}, &GateError{Gate: "hook", Reason: "the path of this program is unknown, and hooks must call it", Next: "start it by its full path"}
	}
	p, err := h.place(ctx)
	if err != nil {
		return HooksResult{}, err
	}
	if req.Config {
		if err := h.configurable(ctx); err != nil {
			return HooksResult{}, err
		}
	}
	dir := p.Dir
	if req.Config {
		dir = p.behind
	}
	var kept []KeptFile
	for _, name := range hooks.Names() {
		script := hooks.Script{Hook: name, Program: h.Bench.Executable}
		switch name {
		case hooks.PrePush:
			script.Base = p.base
		case hooks.CommitMsg:
			script.AddChange = req.AddChange
		}
		// What another way of installing left behind would judge everything twice.
		for _, other := range p.dirs {
			if other != dir {
				if _, err := keep(&kept)(hooks.Uninstall(other, name)); err != nil {
					return HooksResult{}, err
				}
			}
		}
		done, err := keep(&kept)(hooks.Install(dir, script))
		if err != nil {
			return HooksResult{}, err
		}
		if err := h.configure(ctx, name, req.Config && done != "", filepath.Join(dir, string(name))); err != nil {
			return HooksResult{}, err
		}
	}
	for _, d := range p.dirs {
		if err := hooks.RemoveFolder(d); err != nil {
			return HooksResult{}, err
		}
	}
	if req.Write && !req.Config {
		for _, call := range p.Calls() {
			if _, err := keep(&kept)(call.Write()); err != nil {
				return HooksResult{}, err
			}
		}
	}
	return h.result(ctx, p, kept)
}

// configurable refuses where git would not look.
func (h *Hooks) configurable(ctx context.Context) error {
	yes, version, err := h.Bench.Repo.RunsConfiguredHooks(ctx)
	if err == nil && !yes {
		err = &GateError{
			Gate: "hook", Reason: "git " + version + " runs no hooks from its configuration; 2.54 is the first that does",
			Next: "`gh agentd hook install`",
		}
	}
	return err
}

// configure writes the hook into the repository's configuration, or takes it out.
func (h *Hooks) configure(ctx context.Context, name hooks.Name, on bool, script string) error {
	repo := h.Bench.Repo
	if !on {
		_, err := repo.RemoveConfigSection(ctx, configSection(name))
		return err
	}
	// git hands the command to a shell.
	command := "'" + strings.ReplaceAll(script, "'", `'\''`) + "'"
	return errors.Join(
		repo.SetConfig(ctx, configSection(name)+".command", command),
		repo.SetConfig(ctx, configSection(name)+".event", string(name)),
	)
}

// Uninstall takes our hooks away, and gives hooks that were there before their names back.
// Lines in files that a team shares stay unless Write is asked for: without our scripts they do nothing.
func (h *Hooks) Uninstall(ctx context.Context, req HooksRequest) (HooksResult, error) {
	p, err := h.place(ctx)
	if err != nil {
		return HooksResult{}, err
	}
	var kept []KeptFile
	for _, name := range hooks.Names() {
		if err := h.configure(ctx, name, false, ""); err != nil {
			return HooksResult{}, err
		}
		for _, dir := range p.dirs {
			if _, err := keep(&kept)(hooks.Uninstall(dir, name)); err != nil {
				return HooksResult{}, err
			}
		}
	}
	for _, dir := range p.dirs {
		if err := hooks.RemoveFolder(dir); err != nil {
			return HooksResult{}, err
		}
	}
	if req.Write {
		for _, call := range p.Calls() {
			if _, err := keep(&kept)(call.Remove()); err != nil {
				return HooksResult{}, err
			}
		}
	}
	result, err := h.result(ctx, p, kept)
	for i := range result.Hooks { // nobody needs to be told how to get back what they took away
		result.Hooks[i].Reason, result.Hooks[i].Next = "", ""
	}
	result.Calls = []HookCall{}
	return result, err
}

// keep collects what was left as it is, and lets the rest go on.
func keep(kept *[]KeptFile) func(hooks.Done, error) (hooks.Done, error) {
	return func(done hooks.Done, err error) (hooks.Done, error) {
		if left, ok := errors.AsType[*hooks.KeptError](err); ok {
			*kept = append(*kept, KeptFile{Path: left.Path, Reason: left.Reason, Next: left.Next})
			return "", nil
		}
		return done, err
	}
}

// result is what there is now. What was kept is also the error.
func (h *Hooks) result(ctx context.Context, p hookPlace, kept []KeptFile) (HooksResult, error) {
	result, err := h.look(ctx, p)
	if err != nil {
		return result, err
	}
	result.Kept = append(result.Kept, kept...)
	if len(kept) > 0 {
		return result, &GateError{Gate: "hook", Reason: kept[0].Path + " " + kept[0].Reason, Next: kept[0].Next}
	}
	return result, nil
}
