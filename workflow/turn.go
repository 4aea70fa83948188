package workflow

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// turn is one call of one agent for one step.
type turn struct {
	step    phases.Step
	role    config.Role
	round   int
	task    string
	access  agents.Access
	allow   []string // commands that it may run
	doing   string   // "is challenging add-oauth (round 2)": what the person is told while it lasts
	subject string   // tree that a verdict will be about
	known   []string
	changed []string
	started string // tree of the worktree before an interrupted attempt, "" normally

	prompt func(tools templates.Tools, failure string) string
	// check says what is missing from the hand-over, "" when all of it is there.
	// The agent is asked once more with that sentence.
	check func(*handover) (missing string)
}

// handover is what an agent gave back, read but not yet believed.
type handover struct {
	box    *inbox.Box
	files  map[string][]byte // the change's folder as the agent left it in its box
	before map[string][]byte
	code   []gitops.FileChange // what it wrote in the worktree outside agentd/
	result agents.Result
	player player
	usage  phases.Usage
	calls  []specs.LLMCall
	left   []string // paths that it wrote and that nobody commits
}

// agentID is how the record names who played.
func (h *handover) agentID() string { return h.player.identity(h.result) }

// identity is agent, model, effort: the model that the agent says it used, else the one it was told to use.
func (p player) identity(result agents.Result) string {
	parts := []string{p.agent.Name()}
	if model := cmp.Or(result.Model, p.model); model != "" {
		parts = append(parts, model)
		if p.effort != "" {
			parts = append(parts, p.effort)
		}
	}
	return strings.Join(parts, "/")
}

// changedFiles are the files of the change's folder that differ from the branch.
func (h *handover) changedFiles() map[string][]byte {
	changed := map[string][]byte{}
	for path, content := range h.files {
		if old, ok := h.before[path]; !ok || string(old) != string(content) {
			changed[path] = content
		}
	}
	return changed
}

// actor is how the record names the role.
func (h *handover) actor() phases.Actor { return phases.Actor("agent:" + string(h.player.role)) }

// take gives an agent its turn: a run folder with the change's documents, our tools, the prompt;
// and returns what came back. Nothing is committed here, and an error never moves a phase.
func (b *Bench) take(ctx context.Context, id phases.ChangeID, c *changes.Change, dir string, t turn) (*handover, error) {
	files := map[string][]byte{}
	if c != nil {
		// What could not be committed afterwards is refused before anything is spent.
		err := c.Forward()
		if err != nil {
			return nil, err
		}
		if files, err = c.Files(ctx); err != nil {
			return nil, err
		}
	}
	p, err := b.cast(ctx, t.role, complexityOf(specs.ChangeDocs{ID: id.String(), Files: files}), c)
	if err != nil {
		return nil, err
	}
	dir, done, err := b.disarmed(ctx, c, dir)
	if err != nil {
		return nil, err
	}
	defer done()
	var spent []specs.LLMCall
	failure := ""
	for attempt := 1; ; attempt++ {
		h, err := b.attempt(ctx, id, c, files, dir, t, p, failure)
		if h != nil {
			spent = append(spent, h.calls...)
			h.calls = spent
		}
		if err != nil {
			return h, err
		}
		missing := ""
		if t.check != nil {
			if missing = t.check(h); missing != "" {
				missing += b.refusalIn(h.box)
			}
		}
		if missing == "" {
			h.usage = sumCalls(spent)
			if err := b.recordCall(ctx, dir, t, h); err != nil { // the work is worth more than its recording
				b.Say.Warn(err.Error())
			}
			return h, nil
		}
		if attempt == 2 {
			return h, &agents.Error{Kind: agents.NoOutput, Agent: p.agent.Name(), Step: string(t.step), Detail: missing}
		}
		b.Say.Warn(fmt.Sprintf("%s finished, but %s; asking once more", p.agent.Name(), missing))
		failure = missing
	}
}

// refusalIn is what the last tool said that refused the agent: most often why nothing arrived.
func (b *Bench) refusalIn(box *inbox.Box) string {
	calls, _ := box.Calls() // without them it is only less exact
	for _, call := range slices.Backward(calls) {
		if !call.OK {
			said := proc.NewRedactor(valuesOf(secretsOf(b.Environ))).String(call.Error)
			return fmt.Sprintf(" (%s answered: %s)", call.Tool, said)
		}
	}
	return ""
}

// attempt runs the agent once.
func (b *Bench) attempt(ctx context.Context, id phases.ChangeID, c *changes.Change, files map[string][]byte, dir string, t turn, p player, failure string) (*handover, error) {
	reserve := func() (*spending, error) { return b.reserve(ctx, id, c, t, p) }
	entry, err := reserve()
	if err != nil {
		return nil, err
	}
	defer entry.release()
	runDir := filepath.Join(b.runsDir(), id.String()+"-"+rand.Text()[:10])
	var box *inbox.Box
	var guard *guard
	var ready errgroup.Group
	ready.Go(func() (err error) {
		box, err = inbox.Create(runDir, inbox.Run{
			Change: id.String(), Step: string(t.step), Role: string(t.role), Round: t.round, Task: t.task,
			Repository: b.Repo.CommonDir(), Subject: t.subject, Created: b.Now().UTC().Truncate(time.Second), Author: p.agent.Name(),
			KnownFindings: t.known, ChangedFiles: t.changed, Validation: b.RulesFor(c), Record: b.recording != nil,
		}, files)
		return err
	})
	ready.Go(func() (err error) { guard, err = b.guard(ctx, id, dir, t.access); return err })
	if err := ready.Wait(); err != nil {
		return nil, err
	}
	request := b.request(id, t, p, box, dir, failure)
	log, err := os.OpenFile(filepath.Join(runDir, agentLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open run log: %w", err)
	}
	defer log.Close()
	request.Log = log

	b.Say.Start(p.agent.Name() + " " + t.doing)
	result, calls, err := b.retrying(ctx, t, p, request, entry, reserve)
	h := &handover{box: box, before: files, result: result, player: p, calls: calls}
	if tampered := guard.after(ctx, h, t); tampered != nil {
		return h, errors.Join(tampered, err)
	}
	if err != nil {
		b.Say.Note("its log is in " + box.Dir())
		return h, err
	}
	b.keepSession(id, t, p, result.Session)
	h.files, err = box.Files()
	return h, err
}

func (b *Bench) request(id phases.ChangeID, t turn, p player, box *inbox.Box, dir, failure string) agents.Request {
	names := inbox.ToolsFor(string(t.step))
	tools := templates.Tools{Server: "agentd", Names: names}
	system := ""
	if t.access != agents.Write { // who writes code is helped by what its own program says about that
		system = templates.SystemPrompt{}.Render()
	}
	return agents.Request{
		Role: string(t.role), Step: string(t.step), Round: t.round, Task: t.task, Change: id.String(),
		Prompt: []byte(t.prompt(tools, failure)),
		Dir:    dir, Model: p.model, Effort: p.effort, Access: t.access, Allow: t.allow, System: system,
		Session: b.sessionFor(id, t, p),
		Tools: &agents.ToolServer{
			Command: b.Executable,
			Args:    []string{"mcp", "--change", id.String(), "--step", string(t.step), "--run", box.Dir()},
			Names:   names,
		},
		Limits:   proc.Limits{Wall: b.Config.Limits.WallOf(t.role), Idle: b.Config.Limits.Idle},
		ToolIdle: b.Config.Limits.IdleTool,
		Force:    b.Force,
		Environ:  b.Environ, Bin: b.Executable, RunDir: box.Dir(), Home: b.agentHome(id, t.role, dir),
		Secrets: valuesOf(secretsOf(b.Environ)),
	}
}

// agentHome is the folder of a role's agents for one change and worktree.
// The lock of the change sees to it that no two of them run at a time.
func (b *Bench) agentHome(id phases.ChangeID, role config.Role, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(b.CacheDir, "homes", fmt.Sprintf("%s-%s-%x", id, role, sum[:4]))
}

// retrying asks again when the provider, not the agent, is at fault. It returns what every call cost
// that either succeeded or told its numbers; what the others cost is remembered by time alone.
func (b *Bench) retrying(ctx context.Context, t turn, p player, r agents.Request, entry *spending, reserve func() (*spending, error)) (agents.Result, []specs.LLMCall, error) {
	var calls []specs.LLMCall
	for try := 0; ; try++ {
		result, err := b.watched(ctx, p, r, entry.purse, func(told agents.Usage) {
			entry.tell(spentOf(b.callOf(t, p, agents.Result{Usage: told}), t.role, true))
		})
		call := b.callOf(t, p, result)
		if err == nil || !call.Usage.Unknown {
			calls = append(calls, call)
		}
		entry.end(spentOf(call, t.role, err != nil))
		failure, ok := errors.AsType[*agents.Error](err)
		if !ok || !failure.Temporary() || try >= b.Config.Workflow.ScriptRetries {
			return result, calls, err
		}
		next, broke := reserve()
		if broke != nil {
			return result, calls, errors.Join(broke, failure)
		}
		entry = next
		wait := max(b.Config.Workflow.RetryDelay<<try, failure.RetryAfter)
		b.Say.Warn(fmt.Sprintf("%v; trying again in %s", failure, wait))
		b.Say.Wait(time.Now().Add(wait))
		select {
		case <-ctx.Done():
			entry.release()
			return result, calls, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// lastMoment is for an agent that goes past a cap with its last words: what it did is paid for.
const lastMoment = 3 * time.Second

// watched runs the agent, shows what it does, tells what it has used so far, and stops it once a cap is passed.
func (b *Bench) watched(ctx context.Context, p player, r agents.Request, money *purse, told func(agents.Usage)) (agents.Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var seen agents.Usage
	var ending *time.Timer
	result, err := b.running(ctx, p, r, func(e agents.Event) {
		if e.Kind == agents.Spent {
			seen = e.Usage
			told(seen)
			e.Usage.USD = b.priced(e.Usage, p.model)
			if over := money.passed(e.Usage); over != nil && ending == nil {
				over.Agent = p.agent.Name()
				ending = time.AfterFunc(lastMoment, func() { stop(over) })
			}
		}
		b.Say.Event(p.agent.Name(), e)
	})
	if ending != nil {
		ending.Stop()
	}
	if err != nil && !result.Usage.Known { // it came to no final account: what it said on the way is at least true
		result.Usage = seen
	}
	if over, ok := errors.AsType[*BudgetError](context.Cause(ctx)); ok && err != nil {
		return result, over
	}
	return result, err
}

// priced is what a usage costs: as the agent says, or by the prices of the configuration; nil where neither is known.
func (b *Bench) priced(u agents.Usage, model string) *float64 {
	if u.USD != nil || !u.Known {
		return u.USD
	}
	return b.Config.Cost(cmp.Or(u.Model, model), config.Tokens{In: u.In, Cached: u.Cached, CacheWrite: u.CacheWrite, Out: u.Out})
}

// callOf is the record of what one call cost.
func (b *Bench) callOf(t turn, p player, result agents.Result) specs.LLMCall {
	u := phases.Usage{
		In: result.Usage.In, Cached: result.Usage.Cached, Out: result.Usage.Out,
		Millis: result.Elapsed.Milliseconds(), Unknown: !result.Usage.Known, USD: phases.Price(b.priced(result.Usage, cmp.Or(result.Model, p.model))),
	}
	return specs.CallOf(string(t.step), p.identity(result), u.Bounded(), b.Now().UTC().Truncate(time.Second))
}

// shortestCommitted is the least length of a value that is kept out of commits. A shorter one stands in a file by chance.
const shortestCommitted = 8

// secretsOf are the values in the environment that must never be committed or passed on in a recording.
func secretsOf(environ []string) []changes.Secret {
	var secrets []changes.Secret
	for _, s := range proc.SecretsIn(environ) {
		if len(s.Value) >= shortestCommitted {
			secrets = append(secrets, changes.Secret(s))
		}
	}
	return secrets
}

func valuesOf(secrets []changes.Secret) []string {
	values := make([]string, len(secrets))
	for i, s := range secrets {
		values[i] = s.Value
	}
	return values
}
