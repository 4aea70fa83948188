package phases

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Decision is what a person decided.
type Decision string

// The decisions; each has a step of the same name.
const (
	DecisionApprove  Decision = "approve"
	DecisionReopen   Decision = "reopen"
	DecisionAbandon  Decision = "abandon"
	DecisionContinue Decision = "continue"
)

// Decision is the decision that the step records, "" for a step that records none.
func (s Step) Decision() Decision {
	switch s {
	case StepApprove, StepReopen, StepAbandon, StepContinue:
		return Decision(s)
	}
	return ""
}

func parseDecision(s string) (Decision, error) {
	if d := Step(s).Decision(); d != "" {
		return d, nil
	}
	return "", errors.New("the decisions are approve, reopen, abandon, continue")
}

// Actor is who acted: [Human], or an agent in a role.
type Actor string

// Human is a person.
const Human Actor = "human"

const agentPrefix = "agent:"

// ByAgent is an agent in the role.
func ByAgent(role string) Actor { return Actor(agentPrefix + role) }

func parseActor(s string) (Actor, error) {
	role, ok := strings.CutPrefix(s, agentPrefix)
	if s == string(Human) || ok && CheckName(role) == nil {
		return Actor(s), nil
	}
	return "", errors.New("the actors are human and agent:<role>")
}

// Profile is the way a change is worked on. "" on a first commit means [ProfileSpec].
type Profile string

// The profiles.
const (
	ProfileSpec Profile = "spec"
	ProfileCrew Profile = "crew"
	ProfilePair Profile = "pair"
)

// ParseProfile reads the name of a profile.
func ParseProfile(s string) (Profile, error) {
	if p := Profile(s); slices.Contains([]Profile{ProfileSpec, ProfileCrew, ProfilePair}, p) {
		return p, nil
	}
	return "", errors.New("the profiles are spec, crew, pair")
}

func parseVerdict(s string) (Verdict, error) {
	if v := Verdict(s); slices.Contains([]Verdict{Approved, NeedsRevision, VerdictRejected, NeedsChanges, MajorIssues, Unknown}, v) {
		return v, nil
	}
	return "", errors.New("there is no such verdict")
}

func parseRound(s string) (int, error) {
	if n, err := strconv.ParseUint(s, 10, 31); err == nil && n > 0 {
		return int(n), nil
	}
	return 0, errors.New("rounds are counted from 1")
}

func parseTree(s string) (string, error) {
	if !isObjectID(s) {
		return "", errors.New("it is not the id of a tree")
	}
	return s, nil
}

func parseDigest(s string) (string, error) {
	if !isHex(s, 64) {
		return "", errors.New("it is not a SHA-256 in hex")
	}
	return s, nil
}

// parseTask takes the ids that task lists use: "1.1", "data.1".
func parseTask(s string) (string, error) {
	if s == "" {
		return "", errors.New("it is empty")
	}
	for _, r := range s {
		if !isNameRune(r) && r != '.' && r != '_' && (r < 'A' || r > 'Z') {
			return "", errors.New("it is not the id of a task")
		}
	}
	return s, nil
}

// isObjectID accepts the name of a git object, SHA-1 or SHA-256.
func isObjectID(s string) bool { return isHex(s, 40) || isHex(s, 64) }

func isHex(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdef") == ""
}
