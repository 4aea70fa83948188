package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// cast finds who plays a role: the configured agent, or else one that is installed,
// and of those one that did not write what it would judge. c is nil for a change that does not exist yet.
// A substitute is told to the person, and the record names who played.
func (b *Bench) cast(ctx context.Context, role config.Role, complexity string, c *changes.Change) (player, error) {
	return b.castBeside(ctx, role, complexity, authors(role, c))
}

// castBoth finds out, before an author is paid, whether there is somebody to judge what it will write.
func (b *Bench) castBoth(ctx context.Context, author, judge config.Role, c *changes.Change) error {
	writer, err := b.cast(ctx, author, "", c)
	if err != nil {
		return err
	}
	wrote := authors(judge, c)
	wrote[writer.agent.Name()] = true
	_, err = b.castBeside(ctx, judge, "", wrote)
	return err
}

// castBeside finds who plays a role, where these agents wrote what it is about.
func (b *Bench) castBeside(ctx context.Context, role config.Role, complexity string, wrote map[string]bool) (player, error) {
	wanted := b.Config.RoleAgent(role)
	others := b.understudies(wanted)
	slices.SortStableFunc(others, func(x, y string) int { return cmp.Compare(rank(wrote[x]), rank(wrote[y])) })
	var first error
	for _, name := range append([]string{wanted}, others...) {
		if line := b.disguised(name); line != "" {
			b.sayOnce(line)
		}
		agent, err := b.Agent(name)
		if err == nil {
			err = agent.Check(ctx)
		}
		// By the name that the record knows: of two recordings nobody can tell whose they are.
		if err == nil && wrote[agent.Name()] && b.Config.Policy.RequireDistinctReviewer {
			err = &GateError{
				Gate:   "distinct reviewer",
				Reason: fmt.Sprintf("%s would judge its own work as %s", agent.Name(), role),
				Next:   "give the role to another agent under [roles] in agentd/config.toml",
			}
		}
		if err == nil {
			if name != wanted {
				b.sayOnce(fmt.Sprintf("%s is not installed: %s plays the %s", wanted, name, role))
			}
			model, effort := b.Config.ModelFor(name, complexity)
			return player{role: role, agent: agent, model: model, effort: effort}, nil
		}
		if first == nil {
			first = err
		}
		if failure, ok := errors.AsType[*agents.Error](err); name == wanted && (!ok || failure.Kind != agents.NotInstalled) {
			break // it is there, and something is to be done about it
		}
	}
	return player{}, first
}

// authors are the agents that wrote what a judging role looks at, by any step: first versions, repairs, revisions.
func authors(role config.Role, c *changes.Change) map[string]bool {
	wrote := map[string]bool{}
	if c == nil {
		return wrote
	}
	author := phases.ByAgent(string(map[config.Role]config.Role{
		config.Challenger: config.Proposer, config.Reviewer: config.Implementer,
	}[role]))
	for _, t := range c.State.Transitions {
		if t.Actor == author {
			wrote[agentName(t.Agent)] = true
		}
	}
	return wrote
}

func rank(author bool) int {
	if author {
		return 1
	}
	return 0
}

// understudies are the agents that may step in for one that is not installed.
// An agent that a person named in [agents] plays only the roles it was given.
// In a job nobody steps in: who judges is what the base says, and the job that publishes takes nobody else's word.
func (b *Bench) understudies(wanted string) []string {
	if !slices.Contains(vendors, wanted) || !b.trusted.IsZero() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(vendors), func(n string) bool { return n == wanted })
}

var vendors = []string{"claude", "codex", "gemini"}

// disguised says that the repository's configuration runs something else under the name of a vendor's program, "" if it does not.
// A cloned repository brings its configuration along, and whoever reads "gemini is writing" thinks of Gemini.
func (b *Bench) disguised(name string) string {
	words := b.Config.Agents[name].Command
	if !slices.Contains(vendors, name) || len(words) == 0 || slices.Equal(words, []string{name}) {
		return ""
	}
	return fmt.Sprintf("%s has %s run %s", config.FileName, name, strings.Join(words, " "))
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

// agentName is the program in "codex/gpt-5.2-codex/medium".
func agentName(recorded string) string {
	for i := range len(recorded) {
		if recorded[i] == '/' {
			return recorded[:i]
		}
	}
	return recorded
}
