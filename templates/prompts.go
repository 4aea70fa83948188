package templates

import (
	"path"
	"slices"
	"strings"
)

// ClarifyPrompt asks the proposer for the questions that only a person can answer.
type ClarifyPrompt struct {
	Change      string // required
	Description string // required
	Max         int    // most questions; 5 when zero
	Tools       Tools
	Failure     string // what was wrong with the attempt before; "" for the first
}

// Render returns the prompt.
func (p ClarifyPrompt) Render() string {
	if p.Max == 0 {
		p.Max = 5
	}
	return render("clarify", p.Tools, p)
}

// ProposalPrompt asks for the proposal of a change.
type ProposalPrompt struct {
	Change      string // required
	Description string // required
	Notes       []string
	Clarified   bool // clarifications.md holds a person's answers
	Tools       Tools
	Failure     string
}

// Render returns the prompt.
func (p ProposalPrompt) Render() string { return render("proposal", p.Tools, p) }

// SpecPrompt asks for one spec of a change.
type SpecPrompt struct {
	Change  string   // required
	Spec    string   // required
	Earlier []string // the specs written before this one, in order
	Tools   Tools
	Failure string
}

// Render returns the prompt.
func (p SpecPrompt) Render() string { return render("spec", p.Tools, p) }

// TasksPrompt asks for the tasks of a change.
type TasksPrompt struct {
	Change  string   // required
	Specs   []string // all specs of the change; none is legal
	Tools   Tools
	Failure string
}

// Render returns the prompt.
func (p TasksPrompt) Render() string { return render("tasks", p.Tools, p) }

// SelfReviewPrompt asks the author to look at an artefact again.
type SelfReviewPrompt struct {
	Change     string   // required
	Path       string   // required: the artefact, such as "specs/token-bucket.md"
	Round, Max int      // which look this is, and how many there are at most
	Specs      []string // all specs of the change so far
	Tools      Tools
	Failure    string
}

// Render returns the prompt.
func (p SelfReviewPrompt) Render() string {
	p.Specs = slices.DeleteFunc(slices.Clone(p.Specs), func(spec string) bool { return "specs/"+spec+".md" == p.Path })
	return render("self-review", p.Tools, p)
}

// Step is the step that the review belongs to, for agents that hand it in by command.
func (p SelfReviewPrompt) Step() string {
	if path.Dir(p.Path) == "specs" {
		return "spec-review-" + strings.TrimSuffix(path.Base(p.Path), ".md")
	}
	return strings.TrimSuffix(path.Base(p.Path), ".md") + "-review"
}

// RepairPrompt asks the author to repair what validation found.
type RepairPrompt struct {
	Change   string   // required
	Problems []string // required: with file and line
	Tools    Tools
	Failure  string
}

// Render returns the prompt.
func (p RepairPrompt) Render() string { return render("repair", p.Tools, p) }

// ChallengePrompt asks a second agent for a verdict on the plan.
type ChallengePrompt struct {
	Change string   // required
	Round  int      // required
	Files  []string // required: what to read, relative to the change's folder
	Known  []Known  // findings of the round before
	// Controls are files of the change that tell agents what to do and are not in force; nil where those of the change are.
	Controls []ControlFile
	Tools    Tools
	Failure  string
}

// ControlFile is what a change makes of a file from which agents, git or a runner take orders.
type ControlFile struct{ Path, Text string }

// Render returns the prompt.
func (p ChallengePrompt) Render() string { return render("challenge", p.Tools, p) }

// ReproposalPrompt asks the proposer to repair the plan after a challenge.
type ReproposalPrompt struct {
	Change   string // required
	Round    int    // required: the round that this revision opens
	Person   bool   // a person asked for it, and not the challenger
	Findings []Known
	Notes    []string
	Tools    Tools
	Failure  string
}

// Render returns the prompt.
func (p ReproposalPrompt) Render() string { return render("reproposal", p.Tools, p) }

// ImplementPrompt asks for the code of one task or of several.
type ImplementPrompt struct {
	Change  string      // required
	Tasks   []TaskBrief // required
	Tools   Tools
	Failure string
}

// TaskBrief is a task as its implementer sees it.
type TaskBrief struct {
	ID, Title, Description string
	Files                  []string // with action, such as "bucket.go (CREATE)"
	Specs                  []string // such as "token-bucket#R1"
}

// Render returns the prompt.
func (p ImplementPrompt) Render() string { return render("implement", p.Tools, p) }

func taskLines(tasks []TaskBrief) string {
	var out strings.Builder
	for _, t := range tasks {
		out.WriteString(line(t.ID) + " " + line(t.Title) + "\n")
		for _, part := range []struct{ label, text string }{
			{"Files", line(strings.Join(t.Files, ", "))},
			{"Specs", line(strings.Join(t.Specs, ", "))},
			{"Do", strings.ReplaceAll(clean(t.Description), "\n", "\n      ")},
		} {
			if part.text != "" {
				out.WriteString("  " + part.label + ": " + part.text + "\n")
			}
		}
	}
	return out.String()
}

// ReviewPrompt asks a second agent for a verdict on the code.
type ReviewPrompt struct {
	Change       string // required
	Round        int    // required
	Base, Head   string // required: the two commits whose difference is reviewed
	Evidence     []string
	ChangedFiles []string
	Known        []Known       // findings of the round before
	Controls     []ControlFile // as in ChallengePrompt
	Tools        Tools
	Failure      string
}

// Render returns the prompt.
func (p ReviewPrompt) Render() string { return render("review", p.Tools, p) }

// ResolvePrompt asks the implementer to repair the code after a review.
type ResolvePrompt struct {
	Change   string // required
	Round    int    // required: the round that this repair opens
	Findings []Known
	Evidence []string
	Tools    Tools
	Failure  string
}

// Render returns the prompt.
func (p ResolvePrompt) Render() string { return render("resolve", p.Tools, p) }
