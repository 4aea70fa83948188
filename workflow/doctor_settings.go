package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
)

// agents tries who would play each role of plan and impl.
// Nobody to play one is a warning: many who look at a repository never run an agent.
// A program that goes by a vendor's name is named and not asked for its version: whoever looks has not decided to run it.
func (d *Doctor) agents(ctx context.Context, result *DoctorResult) {
	for _, name := range vendors {
		if line := d.Bench.disguised(name); line != "" {
			result.Findings = append(result.Findings, DoctorFinding{
				Rule: "agent", Severity: "warning", Message: line + ": not started",
				Hint: fmt.Sprintf("look at [%s] command in %s before you plan here", name, config.FileName),
			})
			return
		}
	}
	for _, role := range []config.Role{config.Proposer, config.Challenger, config.Implementer, config.Reviewer} {
		if _, err := d.Bench.cast(ctx, role, "", nil); err != nil {
			result.Findings = append(result.Findings, DoctorFinding{
				Rule: "agent", Severity: "warning", Message: fmt.Sprintf("nobody can play the %s: %v", role, err),
				Hint: fmt.Sprintf("give %s another agent under [roles] in %s", role, config.FileName),
			})
		}
	}
}

// settings looks at what the repository's configuration would do to records.
func (d *Doctor) settings(ctx context.Context, result *DoctorResult) error {
	b := d.Bench
	refs, err := b.Repo.Refs(ctx, "refs/heads/agentd")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if ref.Name == "refs/heads/agentd" {
			blocked := &changes.PrefixTakenError{}
			result.add("branch-prefix", "error", blocked.Error(), blocked.Hint())
		}
	}
	if _, _, err := b.Repo.Identity(ctx); err != nil {
		result.add("identity", "error", err.Error(), `git config user.name "Your Name" && git config user.email you@example.com`)
	}
	if cleanup, ok, err := b.Repo.Config(ctx, "commit.cleanup"); err != nil {
		return err
	} else if ok && cleanup == "strip" {
		result.add("commit-cleanup", "warning", "commit.cleanup = strip drops lines that begin with # when people amend our commits", "git config --unset commit.cleanup")
	}
	for _, key := range []string{"trailer.separators"} {
		if value, ok, err := b.Repo.Config(ctx, key); err != nil {
			return err
		} else if ok && !strings.Contains(value, ":") {
			result.add("trailer-separators", "warning", "trailer.separators has no colon, so git itself cannot read the record (we can)", "git config --unset trailer.separators")
		}
	}
	return d.hooks(ctx, result)
}

// hooks notes whether pushes from this clone are judged before they leave it.
func (d *Doctor) hooks(ctx context.Context, result *DoctorResult) error {
	look := Hooks{Bench: d.Bench}
	found, err := look.Status(ctx)
	if err != nil {
		return err
	}
	var missing []string
	for _, hook := range found.Hooks {
		switch hook.State {
		case HookOurs, HookChained:
		case HookMissing:
			missing = append(missing, hook.Hook)
		default:
			result.add("hooks", "warning", fmt.Sprintf("the %s hook is %s: %s", hook.Hook, hook.State, hook.Reason), hook.Next)
		}
	}
	if len(missing) > 0 {
		result.add("hooks", "note", fmt.Sprintf("pushes from here are not judged before they leave: no hook of ours runs (%s)", strings.Join(missing, ", ")), "`gh agentd hook install`")
	}
	return nil
}
