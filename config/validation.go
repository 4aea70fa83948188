package config

import (
	"maps"
	"slices"

	"github.com/agentd/gh-agentd/specs"
)

// Validation is the table [validation]: what is asked of specs, and how heavy a lack of it weighs.
type Validation struct {
	RequiredHeadings   []string
	RequirementPattern string // extra pattern for requirement headings, "" for none
	ScenarioPattern    string // "" for "### Scenario:" or a WHEN…THEN line
	ScenarioMinCount   int
	RequireWhenThen    bool
	WhenPattern        string
	ThenPattern        string
	SeverityMap        map[string]specs.Severity // by the older tool's rule name, such as "missing_heading"
}

func defaultValidation() Validation {
	return Validation{
		RequiredHeadings: []string{"Overview", "Acceptance Criteria"},
		ScenarioMinCount: 1,
		RequireWhenThen:  true,
		WhenPattern:      "WHEN",
		ThenPattern:      "THEN",
		SeverityMap: map[string]specs.Severity{
			"missing_heading":            specs.High,
			"invalid_requirement_format": specs.High,
			"missing_scenario":           specs.High,
			"missing_when_then":          specs.High,
			"duplicate_requirement":      specs.High,
			"broken_reference":           specs.Medium,
		},
	}
}

// Options returns the table as the validation of specs takes it.
func (v Validation) Options() specs.ValidateOptions {
	least := v.ScenarioMinCount
	if least == 0 { // there, 0 is the default and less is none
		least = -1
	}
	return specs.ValidateOptions{
		RequiredHeadings:   slices.Clone(v.RequiredHeadings),
		RequirementPattern: v.RequirementPattern,
		ScenarioPattern:    v.ScenarioPattern,
		ScenarioMinCount:   least,
		WhenThenOptional:   !v.RequireWhenThen,
		WhenPattern:        v.WhenPattern,
		ThenPattern:        v.ThenPattern,
		SeverityMap:        maps.Clone(v.SeverityMap),
	}
}
