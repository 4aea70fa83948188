package specs

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"
)

// awkward are inputs that have broken Markdown readers, added to every corpus.
var awkward = []string{
	"", "\n", "---", "---\n---\n", "\xef\xbb\xbf", "\xff\xfe", "\x00", "# ", "#", "##\n##\n", "a\n---\n", "a\nb\n===\nc\n---\n",
	"```", "```yaml\n", "~~~\n```\n", "<!--", "<!-- -->\n# x\n", "<proposal>", "</proposal>", "<spec>\n</spec>\n</spec>\n",
	"- \n- - - a\n  - b\n", "-\n\n  a\n", "1. a\n10) b\n", "> ## x\n", "\t- a\n\t\t- b\n", "    code\n", "- a\n\n\n\n- b", "* * *\n- ---\n",
	"\r", "a\rb\r\nc", "## Why\r\n\r\nx\r\n", "---\nid: [\n---\n", "---\nid: &a x\n---\n", "---\n{}\n---\n", "---\n- x\n---\n",
	"<review iteration=\"1\" reviewer=\"a\" status=\"b\">", "<review iteration=\"-1\" x=\"\">\n</review>\n## Why\n", "\\<review a=\"b\">\n",
	"<script>\n## x\n", "<?php\n", "<![CDATA[\n## x", "<pre>\n\n# y\n", "\u2028\u202e\u0085", "[a]: b\n[a]: c\n",
	"### R1: a\n### R1 - b\n#### Scenario: c\n**WHEN** a THEN b\n", "## Acceptance Criteria\n- WHEN a THEN b THEN c\n- THEN\n- AND\n",
	"- [ ] 1.1 a\n  - File: `a`, `b` (CREATE\n  - Depends: data.1, (,)\n", "### 1.1 a\n```yaml\nid: 1.10\n```\n",
	"## #\n### R0\n### R0: #\n", "- [ ] 0.0\n  - Do: -\n  - Spec: 0`0\"\n", "## I\n- [ ] 0.0 #\n",
	"## Q1: a\n**Answer**: b\n**Answer**: c\n<!--\n", "<<<<<<< a\n=======\n>>>>>>> b\n",
}

func FuzzParseProposal(f *testing.F) {
	seed(f, canonicalProposal)
	f.Fuzz(func(t *testing.T, src []byte) {
		p, problems, err := ParseProposal("agentd/changes/x/proposal.md", src)
		wellFormed(t, src, problems)
		if err == nil {
			fixedPoint(t, p, func(src []byte) (*Proposal, error) {
				p, _, err := ParseProposal("agentd/changes/x/proposal.md", src)
				return p, err
			})
		}
	})
}

func FuzzParseSpec(f *testing.F) {
	seed(f, canonicalSpec)
	f.Fuzz(func(t *testing.T, src []byte) {
		s, problems, err := ParseSpec("specs/x.md", src)
		wellFormed(t, src, problems)
		if err != nil {
			return
		}
		last := 0
		for _, r := range s.Requirements {
			if r.Start < last || r.End < r.Start || r.End > len(src) {
				t.Fatalf("range %d–%d of %s in %d bytes, after %d", r.Start, r.End, r.ID, len(src), last)
			}
			last = r.Start
		}
		fixedPoint(t, s, func(src []byte) (*Spec, error) {
			s, _, err := ParseSpec("specs/x.md", src)
			return s, err
		})
	})
}

func FuzzParseTasks(f *testing.F) {
	seed(f, canonicalTasks)
	f.Fuzz(func(t *testing.T, src []byte) {
		tasks, problems, err := ParseTasks("agentd/changes/x/tasks.md", src)
		wellFormed(t, src, problems)
		if err != nil {
			return
		}
		if _, err := tasks.Order(); err != nil && len(err.(*CycleError).Cycle) < 2 {
			t.Fatalf("odd cycle: %v", err)
		}
		fixedPoint(t, tasks, func(src []byte) (*Tasks, error) {
			tasks, _, err := ParseTasks("agentd/changes/x/tasks.md", src)
			return tasks, err
		})
	})
}

func FuzzParseClarifications(f *testing.F) {
	seed(f, canonicalClarifications)
	f.Fuzz(func(t *testing.T, src []byte) {
		c, problems, err := ParseClarifications("agentd/changes/x/clarifications.md", src)
		wellFormed(t, src, problems)
		if err == nil {
			fixedPoint(t, c, func(src []byte) (*Clarifications, error) {
				c, _, err := ParseClarifications("agentd/changes/x/clarifications.md", src)
				return c, err
			})
		}
	})
}

// FuzzValidate checks that no combination of documents stops the validation.
func FuzzValidate(f *testing.F) {
	for _, text := range awkward {
		f.Add([]byte(text), []byte(text), []byte(text))
	}
	f.Add([]byte(canonicalProposal), []byte(canonicalSpec), []byte(canonicalTasks))
	f.Fuzz(func(t *testing.T, proposal, spec, tasks []byte) {
		docs := ChangeDocs{ID: "x", Files: map[string][]byte{ProposalPath: proposal, "specs/auth.md": spec, TasksPath: tasks, ClarificationsPath: spec}}
		wellFormed(t, nil, docs.Validate(ValidateOptions{}))
		docs.Main = map[SpecID]MainSpec{"auth": {Base: proposal, Now: tasks}}
		wellFormed(t, nil, docs.Validate(ValidateOptions{}))
		if artefact, ok := NextArtefact(docs); ok && !PlanPaths(artefact.Path) {
			t.Errorf("artefact %+v is not of the plan", artefact)
		}
	})
}

func FuzzStampArchived(f *testing.F) {
	seed(f, canonicalSpec)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	f.Fuzz(func(t *testing.T, src []byte) {
		once := StampArchived(src, at)
		if twice := StampArchived(once, at); string(twice) != string(once) {
			t.Errorf("stamped twice: %q then %q", once, twice)
		}
	})
}

// FuzzText checks what makes text safe: it is stable, valid, and a heading behind it is a heading.
func FuzzText(f *testing.F) {
	for _, text := range append(awkward, canonicalProposal, canonicalSpec) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20_000 {
			return
		}
		prose := proseText(text, 3)
		if !utf8.ValidString(prose) {
			t.Fatalf("not valid UTF-8: %q", prose)
		}
		if again := proseText(prose, 3); again != prose {
			t.Fatalf("not stable\n%q\n%q\n%q", text, prose, again)
		}
		if !endsClosed(prose) {
			t.Fatalf("swallows what follows: %q", prose)
		}
	})
}

func FuzzDecodeStrict(f *testing.F) {
	for _, text := range []string{`{}`, `{"summary":"a"}`, `{"summary":"a","summary":"b"}`, `{"impact":{"scope":null}}`, `[[[[]]]]`, `"\ud800"`, `{"a":{"\u0061":1}}`, `{"what_changes":["a",1]}`, "{\"why\":\"\xff\"}", ` { } `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in ProposalInput
		if err := DecodeStrict(data, &in); err != nil {
			return
		}
		var loose ProposalInput
		if err := json.Unmarshal(data, &loose); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		_, _ = in.Proposal("x", time.Unix(0, 0), "a", nil)
		var spec SpecInput
		_ = DecodeStrict(data, &spec)
		_ = spec.Validate()
	})
}

func seed(f *testing.F, canonical string) {
	f.Helper()
	f.Add([]byte(canonical))
	for _, text := range awkward {
		f.Add([]byte(text))
		f.Add([]byte("---\nid: x\n---\n\n# A\n\n## Why\n\n" + text + "\n\n## Impact\n\n- Affected code: a\n"))
	}
}

// wellFormed checks that problems can be shown: a known rule, a severity, a message, a line of the file.
func wellFormed(t *testing.T, src []byte, problems Problems) {
	t.Helper()
	known := map[string]bool{}
	for _, rule := range Rules() {
		known[rule.ID] = true
	}
	lines := 1
	for _, c := range src {
		if c == '\n' {
			lines++
		}
	}
	for _, p := range problems {
		if !known[p.Rule] || p.Severity.String() == "" || p.Message == "" || p.File == "" || p.Line < 0 || src != nil && p.Line > lines {
			t.Fatalf("odd problem %+v", p)
		}
	}
}
