package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/specs"
)

func TestValidation_Options(t *testing.T) {
	v := load(t, `
[validation]
required_headings = ["Overview"]
requirement_pattern = "^### REQ"
scenario_pattern = "^### Example:"
scenario_min_count = 0
require_when_then = false
when_pattern = "Wenn"
then_pattern = "Dann"
`).Validation
	want := specs.ValidateOptions{
		RequiredHeadings: []string{"Overview"}, RequirementPattern: "^### REQ", ScenarioPattern: "^### Example:",
		ScenarioMinCount: -1, WhenThenOptional: true, WhenPattern: "Wenn", ThenPattern: "Dann", SeverityMap: v.SeverityMap,
	}
	if diff := cmp.Diff(want, v.Options()); diff != "" {
		t.Error(diff)
	}
	if got := Default().Validation.Options().ScenarioMinCount; got != 1 {
		t.Errorf("scenario_min_count = %d", got)
	}
}
