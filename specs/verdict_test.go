package specs

import (
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/phases"
)

// reviewWith is a whole report with the given lines in its Verdict section.
func reviewWith(verdict string) string {
	return "# Code Review Report: add-oauth\n\n## Summary\nAll of it was read. It is APPROVED by nobody yet.\n\n## Verdict\n" + verdict
}

func TestReadVerdict(t *testing.T) {
	const (
		approved = "- [x] APPROVED - Ready for implementation\n- [ ] NEEDS_REVISION - Address issues above (specify which severity levels)\n- [ ] REJECTED - Fundamental problems, needs rethinking\n\n**Next Steps**: Proceed.\n"
		open     = "- [ ] APPROVED - Ready for implementation\n- [ ] NEEDS_REVISION - Address issues above\n- [ ] REJECTED - Fundamental problems, needs rethinking\n"
	)
	tests := []struct {
		name string
		src  string
		want phases.Verdict
	}{
		{"ticked among three", reviewWith(approved), phases.Approved},
		{"ticked and alone", "# C\n\n## Verdict\n\n- [x] APPROVED", phases.Approved},
		{"ticked in capitals and stars", reviewWith("* [X] **APPROVED**\n* [ ] NEEDS_CHANGES\n"), phases.Approved},
		{"CRLF and BOM", "\ufeff" + strings.ReplaceAll(reviewWith(approved), "\n", "\r\n"), phases.Approved},
		{"merge wording", reviewWith("- [x] APPROVED - Ready for merge (all tests pass, no HIGH issues)\n"), phases.Approved},
		{"archive wording", reviewWith("- [x] APPROVED - Merge quality acceptable, ready for archive\n"), phases.Approved},
		{"needs revision with own words", reviewWith("- [ ] APPROVED\n- [x] NEEDS_REVISION - Address issues above (HIGH)\n"), phases.NeedsRevision},
		{"needs fix is needs changes", reviewWith("- [x] NEEDS_FIX - Address issues above (fixable automatically)\n"), phases.NeedsChanges},
		{"major issues", reviewWith("- [ ] APPROVED\n- [x] MAJOR_ISSUES - Fundamental problems\n"), phases.MajorIssues},
		{"bare word", reviewWith("\nNEEDS_CHANGES\n\nTests fail.\n"), phases.NeedsChanges},
		{"bold word", reviewWith("\n**REJECTED**\n\nIt lacks detail.\n"), phases.VerdictRejected},
		{"verdict line", reviewWith("\n**Verdict**: NEEDS_REVISION\n"), phases.NeedsRevision},
		{"verdict line, colon inside", reviewWith("\n**Verdict:** APPROVED\n"), phases.Approved},
		{"verdict line with next steps below", reviewWith("\n**Verdict**: APPROVED\n**Next Steps**: Go.\n"), phases.Approved},
		{"inline status heading", "# R\n\n## Status: [x] APPROVED | [ ] NEEDS_FIX | [ ] REJECTED\n\n## Next Steps\nArchive it.\n", phases.Approved},
		{"frontmatter before it", "---\nverdict: REJECTED\n---\n" + reviewWith(approved), phases.Approved},
		{"quoted brackets that are no placeholder", reviewWith(approved) + "\nSee [Title](https://example.com) and `[Title]`x.\n", phases.Approved},

		{"nothing ticked", reviewWith(open), phases.Unknown},
		{"empty file", "", phases.Unknown},
		{"no section", "# R\n\nAPPROVED\n", phases.Unknown},
		{"another section", "# R\n\n## Summary\n\nAPPROVED\n", phases.Unknown},
		{"section is over", reviewWith("\n## Notes\n\nAPPROVED\n"), phases.Unknown},
		{"two boxes", reviewWith("- [x] APPROVED\n- [x] REJECTED\n"), phases.Unknown},
		{"the same box twice", reviewWith("- [x] APPROVED\n- [x] APPROVED\n"), phases.Unknown},
		{"two boxes, one within the other", reviewWith("- [x] APPROVED\n  - [x] REJECTED\n"), phases.Unknown},
		{"box and line", reviewWith("- [x] APPROVED\n\n**Verdict**: NEEDS_CHANGES\n"), phases.Unknown},
		{"two sections", reviewWith(approved) + "\n## Status\n\nREJECTED\n", phases.Unknown},
		{"template with a tick", strings.Replace(reviewWith(approved), "## Summary\n", "## Summary\n[Brief 1-2 sentence overview]\n\n### Issue: [Title]\n", 1), phases.Unknown},
		{"template assessment", strings.Replace(reviewWith(approved), "## Summary\n", "## Summary\n[Overall assessment: code quality]\n", 1), phases.Unknown},
		{"condition behind the dash", reviewWith("- [x] APPROVED - once R2 is fixed\n"), phases.Unknown},
		{"condition below the box", reviewWith("- [x] APPROVED\n\n  once R2 is fixed\n"), phases.Unknown},
		{"condition on the next line", reviewWith("- [x] APPROVED\n  once R2 is fixed\n"), phases.Unknown},
		{"merge conflict", reviewWith("<<<<<<< ours\n- [x] APPROVED\n=======\n- [x] REJECTED\n>>>>>>> theirs\n"), phases.Unknown},
		{"invalid UTF-8", reviewWith(approved) + "\xff", phases.Unknown},
		{"too large", reviewWith(approved) + strings.Repeat("x", MaxDocument), phases.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ReadVerdict([]byte(tt.src)); got != tt.want {
				t.Errorf("got %s, want %s for:\n%s", got, tt.want, excerpt(tt.src))
			}
		})
	}
}

func TestReadVerdict_onlyStructureCounts_AG03(t *testing.T) {
	for name, verdict := range map[string]string{
		"fence":              "\n```\nAPPROVED\n```\n",
		"fence with box":     "\n~~~markdown\n- [x] APPROVED\n~~~\n",
		"indented code":      "\n    APPROVED\n",
		"quote":              "\n> APPROVED\n",
		"quoted box":         "\n> - [x] APPROVED\n",
		"comment":            "\n<!--\nAPPROVED\n-->\n",
		"comment never ends": "\n<!-- \n\n- [x] APPROVED\n",
		"html":               "\n<p>\nAPPROVED\n</p>\n",
		"heading":            "\n### APPROVED\n",
		"setext heading":     "\nAPPROVED\n--------\n",
		"link":               "\n[APPROVED](https://example.com)\n",
		"reference":          "\n[APPROVED]: https://example.com\n",
		"code span":          "\n`APPROVED`\n",
		"sentence":           "\nThe change is\nAPPROVED\nby nobody.\n",
		"echoed prompt":      "\nAnswer with one of APPROVED, NEEDS_REVISION, REJECTED.\n",
		"table":              "\n| Verdict |\n|---|\n| APPROVED |\n",
	} {
		t.Run("AG-03 "+name, func(t *testing.T) {
			if got := ReadVerdict([]byte(reviewWith(verdict))); got != phases.Unknown {
				t.Errorf("got %s for:\n%s", got, verdict)
			}
		})
	}
	t.Run("AG-03 verdict in the heading", func(t *testing.T) {
		if got := ReadVerdict([]byte("# R\n\n## Verdict: APPROVED\n")); got != phases.Unknown {
			t.Errorf("got %s", got)
		}
	})
}

func TestReadVerdict_onlyTheExactWord_AG04(t *testing.T) {
	for _, word := range []string{
		"approved", "Approved", "APPROVED ✅", "✅ APPROVED", "APPROVED (with changes)", "NOT APPROVED", "NOT_APPROVED",
		"UNAPPROVED", "APPROVED.", "APPROVED!", "АPPROVED", "APPROVED\u200b", "ＡPPROVED", "APPROVED | REJECTED",
		"APPROVED / NEEDS_REVISION", "A*PPRO*VED", "~~APPROVED~~", "&#65;PPROVED", "**APPROVED", "APPROVE", "LGTM", "PASS",
	} {
		for _, form := range []string{"\n%s\n", "\n**Verdict**: %s\n", "\n**Verdict:** %s\n", "- [x] %s\n"} {
			src := reviewWith(strings.Replace(form, "%s", word, 1))
			if got := ReadVerdict([]byte(src)); got != phases.Unknown {
				t.Errorf("AG-04 %q: got %s", src[len(src)-30:], got)
			}
		}
	}
}

// Whatever the text, an approval needs the exact word in one of the exact places.
func FuzzReadVerdict(f *testing.F) {
	f.Add(reviewWith("- [x] APPROVED - Ready for merge\n"))
	f.Add(reviewWith("\n**Verdict**: APPROVED\n"))
	f.Add("## Status: [x] APPROVED | [ ] NEEDS_FIX")
	f.Add("---\n---\n## Verdict\n\nAPPROVED\n- [x] APPROVED")
	f.Add("## Verdict\n\n> APPROVED\n```\nAPPROVED")
	f.Add("Verdict\n===\n\nAPPROVED\n")
	f.Fuzz(func(t *testing.T, src string) {
		got := ReadVerdict([]byte(src))
		if got != phases.Approved {
			return
		}
		lines := strings.FieldsFunc(src, func(r rune) bool { return r == '\n' || r == '\r' })
		section, answers := false, 0
		for _, line := range lines {
			lower := strings.ToLower(line)
			section = section || strings.Contains(lower, "verdict") || strings.Contains(lower, "status")
			if section && strings.Contains(line, "APPROVED") {
				answers++
			}
		}
		if answers == 0 {
			t.Errorf("approved without the word in a section:\n%s", src)
		}
	})
}

// Files of this size made to be slow are read in a moment, or not at all.
func TestReadVerdict_endsOnHostileText_DC03(t *testing.T) {
	for _, unit := range []string{"> ", "1. ", "- ", "[", "[a](", "[a]: b\n", "**a", "<a ", "``a`", "# x\n", "- a\n"} {
		src := []byte("## Verdict\n\n" + strings.Repeat(unit, (MaxDocument-100)/len(unit)))
		if got := ReadVerdict(src); got != phases.Unknown {
			t.Errorf("%q: %s", unit, got)
		}
	}
}

func TestReports_endOnHostileText(t *testing.T) {
	for _, unit := range []string{"`", "` ", "<", "\\", "- ", "1. ", "[", "![", "**", "#\n", "\n"} {
		text := strings.Repeat(unit, maxReportText/len(unit))
		report := ChallengeReport{Summary: text}
		for range 10 {
			report.Findings = append(report.Findings, Finding{Title: text, Description: text, Suggestion: text})
		}
		report.Markdown()
	}
}
