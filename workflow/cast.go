package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// player is the agent that plays a role, with the model it plays it with.
type player struct {
	role   config.Role
	agent  agents.Agent
	model  string
	effort string
}

// cast finds who plays a role: the configured agent, or else one that is installed.
// A substitute is told to the person, and the record names who played.
func (b *Bench) cast(ctx context.Context, role config.Role, complexity string) (player, error) {
	wanted := b.Config.RoleAgent(role)
	var first error
	for _, name := range slices.Compact(append([]string{wanted}, b.understudies(wanted)...)) {
		agent, err := b.Agent(name)
		if err == nil {
			err = agent.Check(ctx)
		}
		if err == nil {
			if name != wanted {
				b.Say.Warn(fmt.Sprintf("%s is not installed: %s plays the %s", wanted, name, role))
			}
			model, effort := b.Config.ModelFor(name, complexity)
			return player{role: role, agent: agent, model: model, effort: effort}, nil
		}
		if first == nil {
			first = err
		}
		if failure, ok := errors.AsType[*agents.Error](err); !ok || failure.Kind != agents.NotInstalled {
			break
		}
	}
	return player{}, first
}

// understudies are the agents that may step in for one that is not installed.
// An agent that a person named in [agents] plays only the roles it was given.
func (b *Bench) understudies(wanted string) []string {
	builtIn := []string{"claude", "codex", "gemini"}
	if !slices.Contains(builtIn, wanted) {
		return nil
	}
	return slices.DeleteFunc(builtIn, func(n string) bool { return n == wanted })
}

// complexityOf picks the size of model that the change deserves.
func complexityOf(docs specs.ChangeDocs) string {
	specCount, taskCount := 0, 0
	for path, src := range docs.Files {
		switch {
		case path == specs.TasksPath:
			if tasks, _, err := specs.ParseTasks(path, src); err == nil {
				taskCount = len(tasks.Tasks)
			}
		case specs.IsSpecPath(path):
			specCount++
		}
	}
	if specCount+taskCount == 0 {
		return ""
	}
	return specs.Complexity(specCount, taskCount)
}

// distinct refuses a reviewer who is also the author where the policy requires two.
func (b *Bench) distinct(c *changes.Change, p player, authored func(phases.Step) bool) error {
	if !b.Config.Policy.RequireDistinctReviewer || c == nil {
		return nil
	}
	for _, t := range c.State.Transitions {
		if authored(t.Step) && agentName(t.Agent) == p.agent.Name() {
			return &GateError{
				Gate:   "distinct reviewer",
				Reason: fmt.Sprintf("%s wrote what it would judge as %s", p.agent.Name(), p.role),
				Next:   "give the role to another agent under [roles] in agentd/config.toml",
			}
		}
	}
	return nil
}

// agentName is the program in "codex/gpt-5.2-codex/medium".
func agentName(recorded string) string {
	for i := range len(recorded) {
		if recorded[i] == '/' {
			return recorded[:i]
		}
	}
	return recorded
}
