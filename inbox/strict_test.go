package inbox_test

import (
	"strings"
	"testing"
)

func TestBox_Call_refusesBadArguments_MC08(t *testing.T) {
	b := box(t, "challenge")
	finding := func(more string) string {
		return `{"verdict":"APPROVED","summary":"s","findings":[{"severity":"LOW","description":"d","suggestion":"s"` + more + `}]}`
	}
	for _, row := range []struct{ name, args, want string }{
		{"nothing", ``, `argument "verdict" is missing`},
		{"null", `null`, `not a JSON object`},
		{"a list", `[]`, `not a JSON object`},
		{"text", `"APPROVED"`, `not a JSON object`},
		{"no JSON", `{"verdict":`, `not valid JSON`},
		{"two values", `{} {}`, `more than one value`},
		{"missing", `{"verdict":"APPROVED","findings":[]}`, `argument "summary" is missing`},
		{"wrong type", `{"verdict":7,"summary":"s","findings":[]}`, `argument "verdict" is of type number, want string`},
		{"null member", `{"verdict":null,"summary":"s","findings":[]}`, `argument "verdict" is null`},
		{"extra", `{"verdict":"APPROVED","summary":"s","findings":[],"score":9}`, `argument "score" is unknown`},
		{"wrong case", `{"Verdict":"APPROVED","summary":"s","findings":[]}`, `argument "Verdict" is unknown, did you mean "verdict"?`},
		{"wrong style", `{"verdict":"NEEDS_REVISION","summary":"s","findings":[{"severity":"LOW","description":"d","suggestion":"s","specRef":"a#R1"}]}`, `did you mean "spec_ref"?`},
		{"wrong word", `{"verdict":"NOT APPROVED","summary":"s","findings":[]}`, `argument "verdict" is "NOT APPROVED", want one of APPROVED, NEEDS_REVISION, REJECTED`},
		{"word in lower case", `{"verdict":"approved","summary":"s","findings":[]}`, `want one of`},
		{"homoglyph", `{"verdict":"АPPROVED","summary":"s","findings":[]}`, `want one of`},
		{"twice", `{"verdict":"REJECTED","verdict":"APPROVED","summary":"s","findings":[]}`, `argument "verdict" is given twice`},
		{"twice, escaped", `{"verdict":"REJECTED","\u0076erdict":"APPROVED","summary":"s","findings":[]}`, `argument "verdict" is given twice`},
		{"twice inside", finding(`,"line":1,"line":2`), `argument "findings[0].line" is given twice`},
		{"fraction", finding(`,"line":1.5`), `argument "findings[0].line" is 1.5, want a whole number`},
		{"huge number", finding(`,"line":1e400`), `want a whole number`},
		{"too small", finding(`,"line":0`), `at least 1`},
		{"deep", finding(`,"file":` + strings.Repeat("[", 100) + strings.Repeat("]", 100)), `nested deeper than 64 levels`},
		{"very deep", strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000), `nested deeper than 64 levels`},
		{"NUL", finding(`,"file":"a\u0000b"`), `argument "findings[0].file" contains a NUL character`},
		{"half a pair", finding(`,"file":"\ud83d"`), `argument "findings[0].file" contains half a surrogate pair`},
		{"the other half", finding(`,"file":"\ude00"`), `argument "findings[0].file" contains half a surrogate pair`},
		{"only spaces", `{"verdict":"APPROVED","summary":" \n ","findings":[]}`, `argument "summary" is empty`},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantText(t, refused(t, b, "append_review", row.args), row.want)
			if _, ok, err := b.Verdict(); ok || err != nil {
				t.Fatalf("a verdict was recorded (%v)", err)
			}
		})
	}
}

func TestBox_Call_limits_MC09(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	b := box(t, "reproposal")
	for _, row := range []struct {
		name, tool string
		args       any
		want       []string
	}{
		{"arguments", "create_proposal", `{"summary":"` + strings.Repeat("x", 5<<20) + `"}`, []string{"the limit is 4194304"}},
		{"10 000 tasks", "create_tasks", tasks(10_000), []string{`argument "tasks" has 10000 entries`, "the limit is 500"}},
		{"101 requirements", "create_spec", func() object {
			s := spec("auth")
			list := []object{}
			for range 101 {
				list = append(list, object{"id": "R1", "title": "t", "description": "d", "priority": "low"})
			}
			s["requirements"] = list
			return s
		}(), []string{`argument "requirements" has 101 entries`, "the limit is 100"}},
		{"51 specs", "create_proposal", func() object {
			p := proposal()
			p["impact"].(object)["affected_specs"] = strings.Split(strings.Repeat("a ", 51), " ")[:51]
			return p
		}(), []string{`"impact.affected_specs" has 51 entries`, "the limit is 50"}},
		{"one long text", "create_proposal", func() object {
			p := proposal()
			p["why"] = long
			return p
		}(), []string{`argument "why" has 307200 characters`, "the limit is 65536"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantText(t, refused(t, b, row.tool, row.args), row.want...)
			unchanged(t, b, files())
		})
	}

	t.Run("a document that grows edit by edit", func(t *testing.T) {
		hash := hashOf(t, b, "proposal.md")
		args := object{"path": "proposal.md", "find": "A sign-in page.", "replace": long[:262_000], "hash": hash}
		wantText(t, refused(t, b, "edit_file", args), "proposal.md would be", "the limit is 262144")
		unchanged(t, b, files())
	})
}

func TestBox_Call_refusesInvalidUTF8_MC10(t *testing.T) {
	b := box(t, "challenge")
	for _, row := range []struct{ name, args, want string }{
		{"value", "{\"verdict\":\"APPROVED\",\"summary\":\"a\xffb\",\"findings\":[]}", `argument "summary" is not valid UTF-8`},
		{"inside", "{\"verdict\":\"APPROVED\",\"summary\":\"s\",\"findings\":[{\"severity\":\"LOW\",\"description\":\"\xc3\x28\"}]}",
			`argument "findings[0].description" is not valid UTF-8`},
		{"key", "{\"verdict\":\"APPROVED\",\"sum\xffmary\":\"s\"}", `the argument object is not valid UTF-8`},
		{"UTF-16", "\xff\xfe{\x00}\x00", `JSON`},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantText(t, refused(t, b, "append_review", row.args), row.want)
		})
	}
}
