package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/workflow"
)

// app is one run of the program: its environment, its streams, and what the root's flags say.
// Commands get it when they are built and use it when they run.
type app struct {
	env      Env
	name     string
	streams  *streams
	progress *progress
	dir      string // -C
	change   string // the change that the command line names, "" before that is known
}

func newApp(env Env) *app {
	s := newStreams(env)
	quiet := env.getenv("TERM") == "dumb" || env.getenv("GH_SPINNER_DISABLED") != "" || env.getenv("GH_ACCESSIBLE_PROMPTER") != ""
	a := &app{env: env, name: programName(env), streams: s}
	a.progress = &progress{
		w:     env.Err,
		live:  s.errTTY && !quiet,
		paint: paint(s.errColor),
		width: s.width,
		now:   env.Now,
		named: a.named,
	}
	return a
}

// workDir is where the run takes place.
func (a *app) workDir() string {
	if a.dir == "" || filepath.IsAbs(a.dir) {
		return filepath.Clean(cmp.Or(a.dir, a.env.Dir))
	}
	return filepath.Join(a.env.Dir, a.dir)
}

// path is where a file is that the person named, relative to where the run takes place.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.workDir(), name)
}

// open opens a file that the person named.
func (a *app) open(name string) (*os.File, error) { return os.Open(a.path(name)) }

// bench builds what the use cases share. It is called by commands that need the repository, when they run.
func (a *app) bench(ctx context.Context) (*workflow.Bench, error) {
	bench, err := a.unconfigured(ctx)
	if err != nil {
		return nil, err
	}
	if bench.Config, err = a.config(ctx, bench.Repo); err != nil {
		return nil, err
	}
	bench.Agent = remembering(func(name string) (agents.Agent, error) { return a.agent(bench.Repo, bench.Config, name) })
	return bench, nil
}

// unconfigured is a bench without configuration and agents, for what must work where the configuration is broken.
func (a *app) unconfigured(ctx context.Context) (*workflow.Bench, error) {
	if info, err := os.Stat(a.workDir()); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%q is not a directory", a.workDir())
	}
	repo, err := gitops.Open(ctx, gitops.Env{Dir: a.workDir(), Environ: a.gitEnviron(), Notice: a.progress.Note})
	if err != nil {
		return nil, err
	}
	cache, err := a.cacheDir()
	if err != nil {
		return nil, err
	}
	return &workflow.Bench{
		Repo:       repo,
		Store:      &changes.Store{Repo: repo, Now: a.env.Now, AtCommit: a.env.AtCommit},
		CacheDir:   cache,
		Executable: a.env.Executable,
		Environ:    a.env.Environ,
		Version:    version(),
		Now:        a.env.Now,
		Force:      a.env.Force,
		Say:        a.progress,
		Log:        a.log(),
		Ask:        newAsker(a.env, a.streams, a.progress),
	}, nil
}

// gitEnviron is the environment of the run. Where -C names the place, a GIT_DIR that a hook left behind does not.
func (a *app) gitEnviron() []string {
	if a.dir == "" {
		return a.env.Environ
	}
	return slices.DeleteFunc(slices.Clone(a.env.Environ), func(entry string) bool {
		key, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE"}, key)
	})
}

// config reads the repository's configuration and tells its warnings once.
func (a *app) config(ctx context.Context, repo *gitops.Repo) (config.Config, error) {
	cfg, warnings, err := workflow.LoadConfig(ctx, repo)
	for _, w := range warnings {
		place := w.File
		if w.Line > 0 {
			place = fmt.Sprintf("%s:%d", w.File, w.Line)
		}
		if w.Key != "" {
			place += ": " + w.Key
		}
		a.progress.Warn(place + ": " + w.Message)
	}
	return cfg, err
}

// remembering makes every agent once: it finds out its version when it is first asked for, and that takes time.
func remembering(make func(string) (agents.Agent, error)) func(string) (agents.Agent, error) {
	var mu sync.Mutex
	made := map[string]agents.Agent{}
	return func(name string) (agents.Agent, error) {
		mu.Lock()
		defer mu.Unlock()
		if agent, ok := made[name]; ok {
			return agent, nil
		}
		agent, err := make(name)
		if err == nil {
			made[name] = agent
		}
		return agent, err
	}
}

// agent makes the agent that the configuration describes under a name.
func (a *app) agent(repo *gitops.Repo, cfg config.Config, name string) (agents.Agent, error) {
	described, ok := cfg.Agents[name]
	if !ok {
		return nil, &agents.Error{Kind: agents.Config, Agent: name, Detail: fmt.Sprintf("[agents.%s] is not in %s", name, config.FileName)}
	}
	program, err := a.program(repo, described, name)
	if err != nil {
		return nil, err // a nil *Program would be an agent
	}
	program.Wall = described.Timeout
	program.NoUsage = described.Usage == config.UsageNone
	return program, nil
}

// program is the agent before the limits of its table.
func (a *app) program(repo *gitops.Repo, described config.Agent, name string) (*agents.Program, error) {
	if described.Cassette != "" {
		cassette := described.Cassette
		if !filepath.IsAbs(cassette) {
			cassette = filepath.Join(repo.WorkTree(), cassette)
		}
		return agents.NewReplay(a.env.Executable, cassette), nil
	}
	if described.IsVendor(name) {
		vendor := agents.Vendor{ID: name, Command: described.Command, Env: described.Env, Environ: a.env.Environ}
		switch described.Output {
		case config.OutputGemini:
			return agents.NewGemini(vendor), nil
		case config.OutputCodex:
			return agents.NewCodex(vendor), nil
		case config.OutputClaude:
			return agents.NewClaude(vendor), nil
		}
	}
	output := string(described.Output)
	if described.Output == config.OutputReplay {
		output = "agentd" // a program that speaks as replay does
	}
	return agents.Command{
		Name:    name,
		Command: described.Command,
		Prompt:  string(described.Prompt),
		Output:  output,
		Model:   described.Model,
		Session: described.Session,
		Env:     described.Env,
		Environ: a.env.Environ,
	}.Agent()
}

// cacheDir is the person's cache folder on this system, below it ours: runs and their logs.
func (a *app) cacheDir() (string, error) {
	for _, place := range []struct{ variable, below string }{
		{"XDG_CACHE_HOME", ""},
		{"LocalAppData", ""},
		{"HOME", map[string]string{"darwin": "Library/Caches"}[runtime.GOOS]},
	} {
		dir := a.env.getenv(place.variable)
		if !filepath.IsAbs(dir) {
			continue
		}
		if place.variable == "HOME" && place.below == "" {
			place.below = ".cache"
		}
		return filepath.Join(dir, place.below, "gh-agentd"), nil
	}
	return "", errors.New("no folder for runs and logs: neither XDG_CACHE_HOME nor HOME is set")
}

// log is silent unless --verbose asks for it.
func (a *app) log() *slog.Logger {
	if !a.progress.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.env.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
