package workflow

import (
	"context"
	"log/slog"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Bench is what the use cases share: the repository, its changes, the agents and the person.
// All fields are required unless a comment says otherwise.
type Bench struct {
	Repo   *gitops.Repo
	Store  *changes.Store
	Config config.Config

	// Agent makes the agent of that name; it returns an error of package agents when there is none.
	Agent func(name string) (agents.Agent, error)

	CacheDir   string   // run folders and logs live below it; never inside the repository
	Executable string   // this program, which agents start as their MCP server
	Environ    []string // the caller's environment; agents get an allow-listed part of it
	Version    string
	Now        func() time.Time
	Force      <-chan struct{} // once closed, agents and checks that are being stopped end at once; may be nil
	Say        Reporter
	Ask        Asker // nil when nobody can be asked
	Log        *slog.Logger

	note      string     // what the next run cleans up after if this one is killed; "" outside a run
	trusted   gitops.ID  // whose files tell agents what to do; zero where those of the change may
	recording *recording // nil unless the calls of this run are recorded

	run  *run                    // nil outside of one
	seen map[string]*gitops.Repo // the repository from each worktree, as asked for before
}

// Reporter is told what happens, in sentences with a subject.
type Reporter interface {
	Start(doing string) // "codex is challenging add-oauth (round 2)"
	Done(done string)   // "codex challenged add-oauth: needs revision, 3 findings"
	Note(sentence string)
	Warn(sentence string)
	Event(agent string, e agents.Event)
	Wait(until time.Time) // what is going on goes on then
}

// Asker puts questions to the person at the terminal. It returns [ErrDeclined] when they walk away.
type Asker interface {
	Choose(ctx context.Context, q Question) (int, error)
	ChooseMany(ctx context.Context, q Question) ([]int, error)
	Text(ctx context.Context, prompt, preset string) (string, error)
}

// Question has its recommended option first.
type Question struct {
	Title   string
	Help    string
	Options []Option
}

// Option is one possible answer.
type Option struct {
	Label       string
	Description string
	Recommended bool
}

// Mode says who decides between rounds.
type Mode uint8

// The three ways to run plan and impl.
const (
	ModeAuto        Mode = iota // loop up to the limits
	ModeInteractive             // ask at each decision point
	ModeOnce                    // stop after the first verdict, the decision pending
)

// Where says which checkout the work happens in.
type Where uint8

// The checkouts to work in.
const (
	WhereConfigured Where = iota // as [workflow] worktree in the configuration says
	InWorktree                   // a linked worktree of the change's own
	InBranch                     // the current checkout, switched to the change's branch
)

// with returns a bench that works through a locked store.
func (b *Bench) with(store *changes.Store) *Bench {
	locked := *b
	keeping := *store
	keeping.Secrets = secretsOf(b.Environ)
	locked.Store, locked.Repo = &keeping, store.Repo
	locked.seen, locked.run = map[string]*gitops.Repo{}, &run{said: map[string]bool{}}
	return &locked
}

// sayOnce warns of something that holds for the whole run.
func (b *Bench) sayOnce(sentence string) {
	if b.run != nil {
		if b.run.said[sentence] {
			return
		}
		b.run.said[sentence] = true
	}
	b.Say.Warn(sentence)
}

// at is the repository seen from a worktree. What git was asked about it once is not asked again in this run.
func (b *Bench) at(dir string) *gitops.Repo {
	if repo, ok := b.seen[dir]; ok {
		return repo
	}
	repo := b.Repo.At(dir)
	if b.seen != nil {
		b.seen[dir] = repo
	}
	return repo
}

// exclusively runs work as the one writer of the change.
func (b *Bench) exclusively(ctx context.Context, id phases.ChangeID, command string, work func(*Bench) error) error {
	if err := b.byPerson(command); err != nil {
		return err
	}
	if err := b.untampered(); err != nil {
		return err
	}
	store, unlock, err := b.Store.Lock(ctx, id, command+" "+id.String())
	if err != nil {
		return err
	}
	defer unlock()
	locked := b.with(store)
	done, err := locked.markRun(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	return work(locked)
}
