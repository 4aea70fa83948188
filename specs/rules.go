package specs

import (
	"maps"
	"strings"
)

// ValidateOptions are the choices of a project, the table [validation] of its config.
// The zero value means the defaults.
type ValidateOptions struct {
	RequiredHeadings   []string            `json:"required_headings,omitempty"`   // of specs; none means Overview, Acceptance Criteria
	RequirementPattern string              `json:"requirement_pattern,omitempty"` // accepts further headings as requirements
	ScenarioPattern    string              `json:"scenario_pattern,omitempty"`    // accepts further lines as scenarios
	ScenarioMinCount   int                 `json:"scenario_min_count,omitempty"`  // per spec; 0 means 1, less means none
	WhenThenOptional   bool                `json:"when_then_optional,omitempty"`  // the opposite of require_when_then
	WhenPattern        string              `json:"when_pattern,omitempty"`        // finds the WHEN of a scenario where the reader found none
	ThenPattern        string              `json:"then_pattern,omitempty"`
	SeverityMap        map[string]Severity `json:"severity_map,omitempty"` // by rule, as missing_heading or missing-heading
	MainSpecs          []SpecID            `json:"main_specs,omitempty"`   // specs on the base branch, which references may name
	Strict             bool                `json:"strict,omitempty"`       // what is Medium otherwise blocks
	Legacy             bool                `json:"legacy,omitempty"`       // an imported change: its form is not held against it
}

// Rule is one thing that the validation checks.
type Rule struct {
	ID       string
	Severity Severity
	Fixed    bool // no config can make it lighter
	About    string
}

// Rules returns all rules of the validation, for documentation and for `validate --json`.
func Rules() []Rule {
	return []Rule{
		{"unreadable", High, true, "the document cannot be read: too large, in the middle of a merge, broken YAML"},
		{"missing-artefact", High, true, "a document of the plan is missing or empty"},
		{"placeholder", High, false, "the document still holds what its skeleton put there"},
		{"missing-heading", High, false, "a heading that every document of this kind needs is missing"},
		{"empty-section", Medium, false, "a section that every document of this kind needs has no text"},
		{"missing-frontmatter", Low, false, "the document has no front matter"},
		{"odd-frontmatter", Low, false, "a value of the front matter is not what it should be"},
		{"id-mismatch", Low, false, "a document says another id than its place does"},
		{"odd-heading", Low, false, "a heading of older documents is used"},
		{"unknown-scope", Low, false, "the scope is not patch, minor or major"},
		{"odd-review", Low, false, "a review block is not numbered"},
		{"invalid-spec-id", High, true, "the id of a spec is not possible"},
		{"too-many-specs", High, true, "a change affects more than 50 specs"},
		{"duplicate-spec", Medium, false, "a spec is named twice"},
		{"spec-mismatch", Low, false, "front matter and text name different specs"},
		{"unlisted-spec", Medium, false, "a spec is there that the proposal does not name"},
		{"spec-cycle", High, true, "specs depend on each other"},
		{"invalid-requirement-format", High, false, "the heading of a requirement has no id"},
		{"duplicate-requirement", High, false, "two requirements have one id"},
		{"wrong-heading-level", Low, false, "requirements do not stand at level three"},
		{"no-requirements", High, false, "a spec has no requirements"},
		{"too-many-requirements", High, true, "a spec has more than 100 requirements"},
		{"too-many-scenarios", High, true, "a spec has more than 500 scenarios"},
		{"missing-scenario", High, false, "a requirement, or a spec, has no scenario"},
		{"missing-when-then", High, false, "a scenario has no WHEN or no THEN"},
		{"lost-scenario", High, false, "a scenario of the base branch is left out, while its requirement stays and nothing says that it is meant"},
		{"unmatched-delta", High, false, "an explicit delta names what the spec does not have, or adds what it has"},
		{"spec-conflict", Medium, false, "the base branch has edited the same part of the spec since"},
		{"broken-reference", Medium, false, "a reference leads nowhere"},
		{"no-tasks", High, true, "there are no tasks"},
		{"too-many-tasks", High, true, "a change has more than 500 tasks"},
		{"invalid-task-id", High, true, "a task has no id"},
		{"duplicate-task", High, true, "two tasks have one id"},
		{"unknown-dependency", High, true, "a task depends on one that is not there"},
		{"task-cycle", High, true, "tasks depend on each other"},
		{"missing-file", Medium, false, "a task names no file"},
		{"unsafe-path", High, true, "a task's file is outside the repository or inside .git"},
		{"path-under-agentd", Medium, false, "a task's file is under agentd/, where an implementer's writes are dropped"},
		{"path-case-clash", Medium, false, "two paths differ only in case"},
		{"needs-person", Low, false, "a task's file decides what runs or who approves: a person should look"},
		{"unknown-action", Low, false, "what a task does to its file is not one of the four actions"},
		{"missing-spec-ref", Medium, false, "a task refers to no requirement although the change affects specs"},
		{"uncovered-requirement", Medium, false, "no task refers to a requirement"},
		{"incomplete-clarification", Low, false, "a question has no text or no answer"},
		{"invalid-pattern", High, true, "a pattern of the config is not a regular expression"},
	}
}

// severities is the table of rules under the options.
type severities struct {
	byRule map[string]Severity
	fixed  map[string]bool
	opts   ValidateOptions
}

func (o ValidateOptions) severities() severities {
	s := severities{byRule: map[string]Severity{}, fixed: map[string]bool{}, opts: o}
	for _, rule := range Rules() {
		s.byRule[rule.ID] = rule.Severity
		s.fixed[rule.ID] = rule.Fixed
	}
	configured := map[string]Severity{}
	for rule, severity := range o.SeverityMap {
		if rule = strings.ReplaceAll(strings.ToLower(rule), "_", "-"); !s.fixed[rule] && severity.String() != "" {
			configured[rule] = severity
		}
	}
	maps.Copy(s.byRule, configured)
	return s
}

// legacyForm are the rules about form that older documents were not written by.
func legacyForm(rule string) bool {
	switch rule {
	case "missing-heading", "empty-section", "no-requirements", "missing-scenario", "missing-when-then",
		"invalid-requirement-format", "missing-spec-ref", "uncovered-requirement", "missing-file", "unlisted-spec":
		return true
	}
	return false
}

// settle gives a problem its final severity.
// A reader may have called it lighter than its rule does; then that stands, unless the config says otherwise.
func (s severities) settle(p Problem) Problem {
	_, configured := s.opts.SeverityMap[p.Rule]
	if !configured {
		_, configured = s.opts.SeverityMap[strings.ReplaceAll(p.Rule, "-", "_")]
	}
	if severity, known := s.byRule[p.Rule]; known && (p.Severity == 0 || configured) {
		p.Severity = severity
	}
	if s.opts.Legacy && legacyForm(p.Rule) {
		p.Severity = Low
	}
	if s.opts.Strict && p.Severity == Medium {
		p.Severity = High
	}
	return p
}
