package config

import (
	"maps"
	"slices"
)

// Role is a part that an agent plays.
type Role string

// The roles of plan and impl, then those of the crew profile and of pair.
const (
	Proposer    Role = "proposer"
	Challenger  Role = "challenger"
	Implementer Role = "implementer"
	Reviewer    Role = "reviewer"

	Refiner       Role = "refiner"
	Planner       Role = "planner"
	Curmudgeon    Role = "curmudgeon"
	BeanCounter   Role = "bean-counter"
	Coder         Role = "coder"
	SuperReviewer Role = "super-reviewer"

	Worker Role = "worker"
)

// understudies says who plays a role that the file does not mention: whoever plays the role named here.
// The four first ones have an agent of their own.
func understudies() map[Role]Role {
	return map[Role]Role{
		Refiner:       Proposer,
		Planner:       Proposer,
		Curmudgeon:    Challenger,
		BeanCounter:   Proposer,
		Coder:         Implementer,
		SuperReviewer: Reviewer,
		Worker:        Implementer,
	}
}

func defaultRoles() map[Role]string {
	return map[Role]string{
		Proposer:    "gemini",
		Challenger:  "codex",
		Implementer: "claude",
		Reviewer:    "codex",
	}
}

// Roles returns every role there is, sorted.
func Roles() []Role {
	return slices.Sorted(slices.Values(slices.Concat(
		slices.Collect(maps.Keys(defaultRoles())),
		slices.Collect(maps.Keys(understudies())))))
}

// RoleAgent returns the name of the agent that should play the role.
// A role the file does not mention is played by whoever plays the role it stands in for;
// an unknown role is played by the implementer's agent.
// Whether that agent is installed is for the caller to find out, and to record who played instead.
func (c Config) RoleAgent(role Role) string {
	if name, ok := c.Roles[role]; ok {
		return name
	}
	if stand, ok := understudies()[role]; ok {
		return c.Roles[stand]
	}
	return c.Roles[Implementer]
}

// AgentNames returns the names of all configured agents, sorted.
func (c Config) AgentNames() []string {
	return slices.Sorted(maps.Keys(c.Agents))
}
