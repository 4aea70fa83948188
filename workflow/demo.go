package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/templates"
)

// Demo plays a recorded change from plan to archive in a repository of its own.
// Everything in it is real but the agents: they are played from a cassette.
type Demo struct {
	Executable string
	Environ    []string
	Now        func() time.Time
	Say        Reporter
	Version    string
}

// DemoRequest says where to play.
type DemoRequest struct {
	Dir string // must be empty or not exist; "" makes a temporary folder
}

// DemoResult is what the demo leaves behind.
type DemoResult struct {
	Dir    string
	Change string
	Status StatusResult
}

// demoCassette is where the recording stands in the demo's repository.
const demoCassette = "agentd/demo/cassette.yaml"

// Run makes the repository and plays the story in it.
func (d *Demo) Run(ctx context.Context, req DemoRequest) (DemoResult, error) {
	dir, err := demoDir(req.Dir)
	if err != nil {
		return DemoResult{}, err
	}
	cache, err := os.MkdirTemp("", "agentd-demo-runs-")
	if err != nil {
		return DemoResult{}, err
	}
	defer os.RemoveAll(cache)
	b, err := d.bench(ctx, dir, cache)
	if err != nil {
		return DemoResult{Dir: dir}, err
	}
	id, err := phases.ParseChangeID(templates.DemoChange)
	if err != nil {
		return DemoResult{Dir: dir}, err
	}
	if err := d.play(ctx, b, id); err != nil {
		return DemoResult{Dir: dir, Change: id.String()}, err
	}
	status, err := (&Status{Bench: b}).Run(ctx, StatusRequest{Change: id})
	return DemoResult{Dir: dir, Change: id.String(), Status: status}, err
}

// play is the story: three commands, as a person would type them.
func (d *Demo) play(ctx context.Context, b *Bench, id phases.ChangeID) error {
	chapter := func(command string) { d.Say.Note("$ gh agentd " + command) }
	chapter(fmt.Sprintf("plan %s %q", id, templates.DemoDescription))
	_, err := (&Plan{Bench: b}).Run(ctx, PlanRequest{Change: id, Description: templates.DemoDescription, Mode: ModeAuto})
	if err != nil {
		return err
	}
	chapter("impl " + id.String())
	if _, err := (&Implement{Bench: b}).Run(ctx, ImplementRequest{Change: id, Mode: ModeAuto}); err != nil {
		return err
	}
	chapter("archive " + id.String())
	if _, err := (&Archive{Bench: b}).Run(ctx, ArchiveRequest{Change: id}); err != nil {
		return err
	}
	return d.tidy(ctx, b, id)
}

// tidy takes the change's worktree away, so that the demo leaves one folder.
func (d *Demo) tidy(ctx context.Context, b *Bench, id phases.ChangeID) error {
	dir, err := b.checkedOut(ctx, id)
	if err != nil || dir == "" {
		return err
	}
	if err := b.Repo.RemoveWorktree(ctx, dir); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(dir)) // only if it is empty
	return nil
}

// bench makes the repository with its first commit, and everything that plays in it.
func (d *Demo) bench(ctx context.Context, dir, cache string) (*Bench, error) {
	environ := d.environ()
	repo, err := gitops.Init(ctx, gitops.Env{Dir: dir, Environ: environ}, "main")
	if err != nil {
		return nil, err
	}
	if err := d.project(dir, environ); err != nil {
		return nil, err
	}
	if err := repo.CommitAll(ctx, "Begin the project\n"); err != nil {
		return nil, err
	}
	d.Say.Done("a small project and its first commit are in " + dir)
	cfg, _, err := LoadConfig(ctx, repo)
	if err != nil {
		return nil, err
	}
	return &Bench{
		Repo: repo, Store: &changes.Store{Repo: repo, Now: d.Now}, Config: cfg,
		Agent: func(string) (agents.Agent, error) {
			return agents.NewReplay(d.Executable, filepath.Join(dir, filepath.FromSlash(demoCassette))), nil
		},
		CacheDir: cache, Executable: d.Executable, Environ: environ, Version: d.Version, Now: d.Now,
		Say: d.Say, Ask: recommended{say: d.Say}, Log: slog.New(slog.DiscardHandler),
	}, nil
}

// project writes the sample project, its configuration and the recording.
func (d *Demo) project(dir string, environ []string) error {
	story := templates.Demo()
	write := func(name string, content []byte) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666))
	}
	err := fs.WalkDir(story, "project", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(story, name)
		if err != nil {
			return err
		}
		return write(strings.TrimPrefix(name, "project/"), content)
	})
	cassette, readErr := fs.ReadFile(story, "cassette.yaml")
	return errors.Join(err, readErr,
		write(config.FileName, []byte(d.config(environ))),
		write(demoCassette, cassette))
}

// config lets the recording play every role. Where no Go is installed, git itself is the check.
func (d *Demo) config(environ []string) string {
	check := templates.DemoCheck
	if _, err := proc.Look("go", lookup(environ, "PATH")); err != nil {
		check = "git diff --check main HEAD"
		d.Say.Note("go is not installed: the project is checked with `" + check + "` instead of its tests")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# The demo's configuration: a recording plays every role.\nproject_name = \"demo\"\n\n[roles]\n")
	for _, role := range []config.Role{config.Proposer, config.Challenger, config.Implementer, config.Reviewer} {
		fmt.Fprintf(&text, "%s = \"replay\"\n", role)
	}
	fmt.Fprintf(&text, "\n[agents.replay]\ncassette = %q\n\n[review]\ncommands = [%q]\nscan = \"off\"\n", demoCassette, check)
	return text.String()
}

// environ keeps the person's own git configuration, hooks and keys out of the demo.
func (d *Demo) environ() []string {
	var kept []string
	for _, pair := range d.Environ {
		if !strings.HasPrefix(pair, "GIT_") {
			kept = append(kept, pair)
		}
	}
	return append(kept,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=You", "GIT_AUTHOR_EMAIL=you@example.com",
		"GIT_COMMITTER_NAME=You", "GIT_COMMITTER_EMAIL=you@example.com",
		"GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off",
	)
}

// demoDir is where the repository goes: a folder that holds nothing yet.
func demoDir(dir string) (string, error) {
	if dir == "" {
		parent, err := os.MkdirTemp("", "agentd-demo-")
		if err != nil {
			return "", err
		}
		dir = filepath.Join(parent, "shortlink")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("%s is not empty, and the demo overwrites nothing", dir)
	}
	return filepath.EvalSymlinks(dir)
}

// recommended is the person of the demo: it takes what is recommended, and says so.
type recommended struct{ say Reporter }

func (r recommended) Choose(_ context.Context, q Question) (int, error) {
	pick := 0
	for i, o := range q.Options {
		if o.Recommended {
			pick = i
			break
		}
	}
	r.say.Note(fmt.Sprintf("? %s  %s", q.Title, q.Options[pick].Label))
	return pick, nil
}

func (r recommended) ChooseMany(ctx context.Context, q Question) ([]int, error) {
	pick, err := r.Choose(ctx, q)
	return []int{pick}, err
}

func (r recommended) Text(_ context.Context, _, preset string) (string, error) { return preset, nil }
