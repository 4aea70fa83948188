package inbox

import (
	"slices"

	"github.com/agentd/gh-agentd/phases"
)

// The names of the tools, as models see them: at most 64 characters of [a-z_],
// so that the prefixed forms of every client, such as mcp__agentd__create_proposal, stay valid.
const (
	toolProposeQuestions     = "propose_questions"
	toolCreateClarifications = "create_clarifications"
	toolCreateProposal       = "create_proposal"
	toolCreateSpec           = "create_spec"
	toolCreateTasks          = "create_tasks"
	toolReadFile             = "read_file"
	toolEditFile             = "edit_file"
	toolSelfReview           = "self_review"
	toolAppendReview         = "append_review"
	toolCreateReview         = "create_review"
	toolValidateChange       = "validate_change"
	toolListSpecs            = "list_specs"
	toolReadAllRequirements  = "read_all_requirements"
	toolListChangedFiles     = "list_changed_files"
	toolSignal               = "signal"
)

// Tool describes one tool to a client.
type Tool struct {
	Name        string
	Title       string
	Description string
	ReadOnly    bool // changes nothing in the box
}

// Describe returns what a client is told about a tool; ok is false for a name that is no tool.
func Describe(name string) (tool Tool, ok bool) {
	i := slices.IndexFunc(catalogue(), func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return catalogue()[i], true
}

// catalogue lists every tool there is, in the order in which a change meets them.
func catalogue() []Tool {
	return []Tool{
		{Name: toolProposeQuestions, Title: "Propose questions",
			Description: "Hand over the 0 to 5 questions a person should answer before the proposal is written. Put the recommended option first. Hand over an empty list when the description is clear enough. Calling again replaces the list."},
		{Name: toolCreateClarifications, Title: "Record clarifications",
			Description: "Record the person's answers, each with its rationale, as clarifications.md."},
		{Name: toolCreateProposal, Title: "Create the proposal",
			Description: "Write proposal.md: summary, why, what changes, impact and the ids of the specs it affects. Calling again replaces the draft."},
		{Name: toolCreateSpec, Title: "Create a spec",
			Description: "Write specs/<spec_id>.md: overview, requirements and acceptance scenarios. Every requirement needs a scenario with when and then. The id must be one of the proposal's affected specs. Calling again replaces the draft."},
		{Name: toolCreateTasks, Title: "Create the tasks",
			Description: "Write tasks.md: one task per file, by layer, each with the requirement it serves and the tasks it depends on. Calling again replaces the draft."},
		{Name: toolReadFile, Title: "Read a file of the change", ReadOnly: true,
			Description: "Read one file of the change, such as proposal.md or specs/auth.md. The answer carries the hash that edit_file asks for."},
		{Name: toolEditFile, Title: "Edit a file of the change",
			Description: "Replace one passage of a file of the change. The text to find must occur exactly once, and the hash must be the one that read_file or the last edit returned."},
		{Name: toolSelfReview, Title: "Report the self-review",
			Description: "Report the result of reviewing your own draft: PASS, or NEEDS_REVISION with the issues."},
		{Name: toolAppendReview, Title: "Hand over the challenge",
			Description: "Hand over the verdict of the challenge with its findings. Once per run: the first verdict stands. APPROVED together with a HIGH finding is a contradiction and approves nothing."},
		{Name: toolCreateReview, Title: "Hand over the code review",
			Description: "Hand over the verdict of the code review with its findings. Once per run: the first verdict stands. APPROVED together with a HIGH finding is a contradiction and approves nothing."},
		{Name: toolValidateChange, Title: "Validate the change", ReadOnly: true,
			Description: "Check every document of the change and list the problems with file and line. HIGH problems block the change."},
		{Name: toolListSpecs, Title: "List the specs", ReadOnly: true,
			Description: "List the specs of the change with their titles and the number of requirements and scenarios."},
		{Name: toolReadAllRequirements, Title: "Read all requirements", ReadOnly: true,
			Description: "Read every requirement of every spec of the change, with the references that tasks and findings use."},
		{Name: toolListChangedFiles, Title: "List the changed files", ReadOnly: true,
			Description: "List the files outside agentd/ that the change has touched so far."},
		{Name: toolSignal, Title: "Signal the end of the turn",
			Description: "End the turn: DONE when the work is finished, PASS or FAIL as the verdict of a reviewer. Once per run."},
	}
}

// ToolsFor returns the closed list of tools of a step, in a stable order.
// Without a step it is the read-only set of a person's own agent session;
// a step that no agent plays, such as approve, has none.
func ToolsFor(step string) []string {
	readers := []string{toolReadFile, toolListSpecs, toolReadAllRequirements}
	writers := []string{toolCreateProposal, toolCreateSpec, toolCreateTasks}
	repair := []string{toolReadFile, toolEditFile}

	if spec, gen, ok := phases.Step(step).Spec(); ok && spec != "" {
		if gen {
			return slices.Concat([]string{toolCreateSpec}, readers)
		}
		return slices.Concat(repair, []string{toolSelfReview, toolListSpecs, toolReadAllRequirements})
	}
	switch phases.Step(step) {
	case "":
		return slices.Concat(readers, []string{toolListChangedFiles, toolValidateChange})
	case phases.StepClarify:
		return []string{toolProposeQuestions}
	case phases.StepProposalGen:
		return []string{toolCreateProposal, toolReadFile}
	case phases.StepProposalReview:
		return slices.Concat(repair, []string{toolSelfReview})
	case phases.StepTasksGen:
		return slices.Concat([]string{toolCreateTasks}, readers)
	case phases.StepTasksReview:
		return slices.Concat(repair, []string{toolSelfReview, toolListSpecs, toolReadAllRequirements})
	case phases.StepValidate:
		return slices.Concat(repair, writers, []string{toolValidateChange})
	case phases.StepChallenge:
		return slices.Concat(readers, []string{toolValidateChange, toolAppendReview})
	case phases.StepReproposal:
		return slices.Concat(repair, writers, []string{toolListSpecs, toolReadAllRequirements, toolValidateChange})
	case phases.StepImplement, phases.StepResolve:
		return slices.Concat(readers, []string{toolListChangedFiles})
	case phases.StepReview:
		return slices.Concat(readers, []string{toolListChangedFiles, toolCreateReview})
	case phases.StepPair:
		return slices.Concat(readers, []string{toolListChangedFiles, toolSignal})
	default:
		return nil
	}
}
