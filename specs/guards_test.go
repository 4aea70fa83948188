package specs

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What is looked at before an expression is asked must never hide a title that the expression would have matched.
func TestTitles_firstLettersHideNoMatch(t *testing.T) {
	t.Parallel()
	pieces := []string{"R", "R1", "R12", "AB-", "ABCD", "r1", "*", "**", ":", " ", "-", "Requirement:", "requirement: x", "REQUIREMENT:", "Scenario", "ſcenario: y", "SCENARIO 2:", "A1: z",
		"A", "GIVEN a", "WHEN b", " THEN c", "W", "1", "é", "登录", "(R1)", "(AB-R2)", ")"}
	random := rand.New(rand.NewPCG(mergeSeed(t), 1))
	matched := map[string]int{}
	for range 50_000 {
		var title string
		for range random.IntN(5) {
			title += pieces[random.IntN(len(pieces))]
		}
		want := func(name string, matches, passed bool) {
			if matches {
				matched[name]++
			}
			if matches && !passed {
				t.Fatalf("%s matches %q, and is not asked", name, title)
			}
		}
		want("requirementTitle", requirementTitle().MatchString(title), beginsWithID(title))
		_, named := requirementName(title)
		want("namedRequirement", namedRequirement().MatchString(title), named)
		_, scenario := scenarioName(title)
		for name, form := range map[string]bool{
			"scenarioTitle": scenarioTitle().MatchString(title), "criterionTitle": criterionTitle().MatchString(title), "whenThen": whenThen().MatchString(title),
		} {
			want(name, form, scenario)
		}
		want("ownerSuffix", ownerSuffix().MatchString(title), strings.HasSuffix(title, ")"))
	}
	for _, name := range []string{"requirementTitle", "namedRequirement", "scenarioTitle", "criterionTitle", "whenThen", "ownerSuffix"} {
		if matched[name] < 20 {
			t.Errorf("%s matched %d titles: they do not try it", name, matched[name])
		}
	}
}
