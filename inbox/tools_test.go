package inbox_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/inbox"
)

func TestToolsFor_closedListPerStep(t *testing.T) {
	for _, row := range []struct {
		step string
		want []string
	}{
		{"", []string{"read_file", "list_specs", "read_all_requirements", "list_changed_files", "validate_change"}},
		{"clarify", []string{"propose_questions"}},
		{"proposal-gen", []string{"create_proposal", "read_file"}},
		{"proposal-review", []string{"read_file", "edit_file", "self_review"}},
		{"spec-gen-auth", []string{"create_spec", "read_file", "list_specs", "read_all_requirements"}},
		{"spec-review-auth", []string{"read_file", "edit_file", "self_review", "list_specs", "read_all_requirements"}},
		{"tasks-gen", []string{"create_tasks", "read_file", "list_specs", "read_all_requirements"}},
		{"tasks-review", []string{"read_file", "edit_file", "self_review", "list_specs", "read_all_requirements"}},
		{"validate", []string{"read_file", "edit_file", "create_proposal", "create_spec", "create_tasks", "validate_change"}},
		{"challenge", []string{"read_file", "list_specs", "read_all_requirements", "validate_change", "append_review"}},
		{"reproposal", []string{"read_file", "edit_file", "create_proposal", "create_spec", "create_tasks", "list_specs", "read_all_requirements", "validate_change"}},
		{"implement", []string{"read_file", "list_specs", "read_all_requirements", "list_changed_files"}},
		{"resolve", []string{"read_file", "list_specs", "read_all_requirements", "list_changed_files"}},
		{"review", []string{"read_file", "list_specs", "read_all_requirements", "list_changed_files", "create_review"}},
		{"pair", []string{"read_file", "list_specs", "read_all_requirements", "list_changed_files", "signal"}},
		{"approve", nil},
		{"spec-gen-", nil},
		{"spec-gen-../x", nil},
		{"nonsense", nil},
	} {
		t.Run("step "+row.step, func(t *testing.T) {
			if diff := cmp.Diff(row.want, inbox.ToolsFor(row.step)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
		})
	}
}

// allTools are the names that clients know; a new tool belongs into this list, and an old one never leaves it.
var allTools = []string{
	"append_review", "create_clarifications", "create_proposal", "create_review", "create_spec", "create_tasks",
	"edit_file", "list_changed_files", "list_specs", "propose_questions", "read_all_requirements", "read_file",
	"self_review", "signal", "validate_change",
}

func TestDescribe_everyTool_MC22(t *testing.T) {
	legal := regexp.MustCompile(`^[a-z_]{1,64}$`)
	for _, name := range allTools {
		tool, ok := inbox.Describe(name)
		if !ok || tool.Name != name || tool.Title == "" || tool.Description == "" {
			t.Errorf("Describe(%q) = %+v, %v", name, tool, ok)
		}
		if !legal.MatchString(name) {
			t.Errorf("%q is no name that every client takes", name)
		}
		if inbox.Schema(name) == nil {
			t.Errorf("%s has no schema", name)
		}
	}
	if _, ok := inbox.Describe("rm"); ok {
		t.Error("rm is described")
	}
	if inbox.Schema("../run") != nil || inbox.Schema("rm") != nil {
		t.Error("a schema for what is no tool")
	}
}

func TestBox_Call_refusesToolsOfOtherSteps_MC18(t *testing.T) {
	for _, step := range []string{
		"", "clarify", "proposal-gen", "proposal-review", "spec-gen-auth", "spec-review-auth", "tasks-gen", "tasks-review",
		"validate", "challenge", "reproposal", "implement", "review", "resolve", "pair", "approve",
	} {
		t.Run("step "+step, func(t *testing.T) {
			b := box(t, step)
			for _, tool := range append(slices.Clone(allTools), "rm", "") {
				if slices.Contains(inbox.ToolsFor(step), tool) {
					continue
				}
				// The arguments are right for the tool: it is the step that refuses.
				args := map[string]object{
					"create_proposal": proposal(), "create_spec": spec("auth"), "create_tasks": tasks(1),
					"append_review": challenge("APPROVED", ""), "signal": {"signal": "DONE"},
					"self_review": {"result": "PASS"}, "propose_questions": {"questions": []object{}},
				}[tool]
				if args == nil {
					args = object{}
				}
				refused(t, b, tool, args)
			}
			unchanged(t, b, files())
			if _, ok, err := b.Verdict(); ok || err != nil {
				t.Errorf("verdict %v, %v", ok, err)
			}
		})
	}
}

func TestBox_Call_clarificationsAreAPersons_MC18(t *testing.T) {
	answers := object{"questions": []object{
		{"topic": "Provider", "question": "Which one?", "answer": "GitHub", "rationale": "We are there already."},
	}}
	refused(t, box(t, "clarify"), "create_clarifications", answers)

	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "clarify", Role: inbox.RoleHuman, Created: created}, nil)
	call(t, b, "create_clarifications", answers)
	wantText(t, file(t, b, "clarifications.md"), "Which one?", "GitHub", "We are there already.")
}
