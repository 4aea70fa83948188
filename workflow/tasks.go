package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// orderedTasks are the change's tasks, each after those it depends on.
func orderedTasks(docs specs.ChangeDocs) ([]specs.Task, error) {
	src, ok := docs.Files[specs.TasksPath]
	if !ok {
		return nil, nil
	}
	tasks, _, err := specs.ParseTasks(specs.TasksPath, src)
	if err != nil {
		return nil, err
	}
	return tasks.Order()
}

// openTasks are the tasks that no commit has done, in order.
// Done is a commit with Agentd-Task; a task that was rewritten since is open again.
func (b *Bench) openTasks(ctx context.Context, c *changes.Change) ([]specs.Task, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return nil, err
	}
	all, err := orderedTasks(docs)
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var then map[string][]specs.Task
	for _, d := range c.State.Done {
		if d.PlanTree == c.State.PlanTree {
			done[d.Task] = true
			continue
		}
		if then == nil {
			then = map[string][]specs.Task{}
		}
		if _, read := then[d.PlanTree]; !read {
			if then[d.PlanTree], err = b.tasksAt(ctx, c, d.Commit); err != nil {
				return nil, err
			}
		}
		if sameTask(then[d.PlanTree], all, d.Task) {
			done[d.Task] = true
		}
	}
	return slices.DeleteFunc(all, func(t specs.Task) bool { return done[t.ID] }), nil
}

// tasksAt are the tasks as they stood at an earlier commit.
func (b *Bench) tasksAt(ctx context.Context, c *changes.Change, commit string) ([]specs.Task, error) {
	objects, err := b.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	_, _, src, err := objects.Lookup(commit + ":" + c.ID.Dir() + "/" + specs.TasksPath)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tasks, _, err := specs.ParseTasks(specs.TasksPath, src)
	if err != nil {
		return nil, nil //nolint:nilerr // what could not be read then did nothing that counts now
	}
	return tasks.Tasks, nil
}

func sameTask(then, now []specs.Task, id string) bool {
	find := func(tasks []specs.Task) (specs.Task, bool) {
		at := slices.IndexFunc(tasks, func(t specs.Task) bool { return t.ID == id })
		if at < 0 {
			return specs.Task{}, false
		}
		return tasks[at], true
	}
	a, okA := find(then)
	b, okB := find(now)
	return okA && okB && a.Same(b)
}

// implement does the next open task, or all of them where the configuration says so.
func (i *implementing) implement(ctx context.Context, c *changes.Change, open []specs.Task) (*changes.Change, error) {
	if err := c.State.Allows(phases.EventImplement); err != nil {
		return c, err
	}
	if _, err := i.checkCommands(ctx, c); err != nil {
		return c, err
	}
	if len(open) == 0 {
		return i.append(ctx, c, changes.Record{
			Subject:    "every task is done already",
			Transition: phases.Transition{Step: phases.StepImplement, Round: 1, Actor: phases.ByAgent(string(config.Implementer))},
		})
	}
	if i.Config.Workflow.SequentialImplementation {
		open = open[:1]
	}
	h, code, err := i.write(ctx, c, turn{
		step: phases.StepImplement, role: config.Implementer, round: 1, task: open[0].ID,
		doing: fmt.Sprintf("is implementing %s of %s", taskNames(open), c.ID),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.ImplementPrompt{Change: c.ID.String(), Tasks: briefs(open), Tools: tools, Failure: failure}.Render()
		},
		check: func(h *handover) string {
			if len(h.code) == 0 && !i.touchedBefore(ctx, c, open) {
				return "no file was written"
			}
			return ""
		},
	})
	if err != nil {
		return c, err
	}
	i.report(h, fmt.Sprintf("implemented %s of %s: %s", taskNames(open), c.ID, plural(len(h.code), "file")))
	var ids []string
	for _, t := range open {
		ids = append(ids, t.ID)
	}
	return i.append(ctx, c, changes.Record{
		Subject: "implemented " + taskNames(open), Body: taskBody(open), Code: code, Calls: h.calls,
		Transition: phases.Transition{
			Step: phases.StepImplement, Round: 1, Tasks: ids, Agent: h.agentID(), Usage: &h.usage, Actor: h.actor(),
		},
	})
}

// resolve lets the implementer answer the review.
func (i *implementing) resolve(ctx context.Context, c *changes.Change) (*changes.Change, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return c, err
	}
	round := c.State.Round
	findings := knownFindings(docs, specs.ReviewFile)
	var evidence []string
	if c.State.LastReview != nil {
		evidence = evidenceLines(c.State.LastReview.Evidence)
		if log := i.checkLog(c.ID); !phases.EvidencePassed(c.State.LastReview.Evidence) && present(log) {
			evidence = append(evidence, "what the checks printed: "+log)
		}
	}
	complaints := plural(len(findings), "finding")
	if len(findings) == 0 {
		complaints = "the failing check"
	}
	h, code, err := i.write(ctx, c, turn{
		step: phases.StepResolve, role: config.Implementer, round: round,
		doing: fmt.Sprintf("is resolving %s of %s (round %d)", complaints, c.ID, round),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.ResolvePrompt{
				Change: c.ID.String(), Round: round, Findings: knownOf(findings), Evidence: evidence, Tools: tools, Failure: failure,
			}.Render()
		},
		check: func(h *handover) string {
			if len(h.code) == 0 {
				return "no file was written"
			}
			return ""
		},
	})
	if err != nil {
		return c, err
	}
	i.report(h, fmt.Sprintf("resolved %s of %s: %s", complaints, c.ID, plural(len(h.code), "file")))
	return i.append(ctx, c, changes.Record{
		Subject: fmt.Sprintf("resolved the review for round %d", round), Code: code, Calls: h.calls,
		Transition: phases.Transition{
			Step: phases.StepResolve, Round: round, Agent: h.agentID(), Usage: &h.usage, Actor: h.actor(),
		},
	})
}

// write gives the implementer its turn and returns what it wrote as edits.
// Word of the turn is left beside the lock first: an interrupted attempt's files are the agent's, not a person's,
// and the next attempt takes them along.
func (i *implementing) write(ctx context.Context, c *changes.Change, t turn) (*handover, []gitops.Edit, error) {
	dir, err := i.work.dir(ctx)
	if err != nil {
		return nil, nil, err
	}
	checks, err := i.checkCommands(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	t.access, t.allow = agents.Write, allowedCommands(checks)
	mark := attemptMark{Tip: string(c.Tip), Step: string(t.step), Task: t.task}
	if mark, err = i.begunAttempt(ctx, c, dir, mark); err != nil {
		return nil, nil, err
	}
	t.started = mark.Tree
	h, err := i.take(ctx, c.ID, c, dir, t)
	if err != nil {
		i.failedAttempt(ctx, c.ID, dir, mark, err)
		return h, nil, err
	}
	return h, editsOf(h.code), nil
}

// allowedCommands lets an implementer run the checks that its work is judged by, as patterns of Claude Code.
// Of a build tool's check any part may be run: the tests of one package, or one test.
func allowedCommands(checks []string) []string {
	var allowed []string
	for _, check := range checks {
		words := strings.Fields(check)
		if len(words) > 1 && slices.Contains([]string{"go", "cargo", "npm"}, words[0]) && !strings.HasPrefix(words[1], "-") {
			allowed = append(allowed, words[0]+" "+words[1]+" *")
		}
		allowed = append(allowed, check)
	}
	return allowed
}

// touchedBefore says that all files of the tasks were written by earlier tasks already.
func (i *implementing) touchedBefore(ctx context.Context, c *changes.Change, tasks []specs.Task) bool {
	untouched, err := untouchedFiles(ctx, c, tasks)
	return err == nil && len(untouched) == 0
}

// untouchedFiles are the files of tasks that the change never touched, with their task.
func untouchedFiles(ctx context.Context, c *changes.Change, tasks []specs.Task) ([]string, error) {
	touched, err := c.CodeChanges(ctx)
	if err != nil {
		return nil, err
	}
	var untouched []string
	for _, t := range tasks {
		for _, f := range t.Files {
			if !slices.ContainsFunc(touched, func(ch gitops.FileChange) bool { return covers(f.Path, ch.Path) }) {
				untouched = append(untouched, fmt.Sprintf("%s (task %s)", f.Path, t.ID))
			}
		}
	}
	return untouched, nil
}

// covers says whether a path that a task names is, or contains, a path that was touched.
func covers(named, touched string) bool {
	named = strings.TrimSuffix(named, "/")
	return named == touched || strings.HasPrefix(touched, named+"/")
}

// editsOf makes of the branch what the agent made of the worktree, whatever stood in a path's place before.
func editsOf(code []gitops.FileChange) []gitops.Edit {
	edits := make([]gitops.Edit, 0, len(code))
	for _, f := range code {
		if f.NewID == "" {
			edits = append(edits, gitops.Edit{Path: f.Path, Delete: true, Replace: true})
			continue
		}
		edits = append(edits, gitops.Edit{Path: f.Path, Mode: f.NewMode, ID: f.NewID, Replace: true})
	}
	return edits
}

func taskNames(tasks []specs.Task) string {
	if len(tasks) == 1 {
		return "task " + tasks[0].ID
	}
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	return "tasks " + strings.Join(ids, ", ")
}

func taskBody(tasks []specs.Task) string {
	var lines []string
	for _, t := range tasks {
		lines = append(lines, t.ID+" "+t.Title)
	}
	return bullets(lines)
}

func briefs(tasks []specs.Task) []templates.TaskBrief {
	all := make([]templates.TaskBrief, 0, len(tasks))
	for _, t := range tasks {
		brief := templates.TaskBrief{ID: t.ID, Title: t.Title, Description: t.Description}
		for _, f := range t.Files {
			brief.Files = append(brief.Files, fmt.Sprintf("%s (%s)", f.Path, f.Action))
		}
		for _, ref := range t.SpecRefs {
			brief.Specs = append(brief.Specs, ref.String())
		}
		all = append(all, brief)
	}
	return all
}
