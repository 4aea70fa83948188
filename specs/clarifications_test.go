package specs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const canonicalClarifications = `---
change: add-oauth
date: 2026-01-19T10:30:00Z
---

# Clarifications

## Q1: Provider

**Question**: Which provider first?

**Answer**: GitHub,
and later others:

- GitLab
- Google

**Rationale**: Most of us have it.

## Q2: 存储

**Question**: 存在哪里？

**Answer**: 数据库
`

func TestParseClarifications_canonical(t *testing.T) {
	got, problems, err := ParseClarifications("clarifications.md", []byte(canonicalClarifications))
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	want := &Clarifications{Change: "add-oauth", Created: time.Date(2026, 1, 19, 10, 30, 0, 0, time.UTC), Questions: []Clarification{
		{"Provider", "Which provider first?", "GitHub,\nand later others:\n\n- GitLab\n- Google", "Most of us have it."},
		{"存储", "存在哪里？", "数据库", ""},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(canonicalClarifications, string(got.Markdown())); diff != "" {
		t.Errorf("written form (-want +got)\n%s", diff)
	}
}

func TestParseClarifications_olderForm(t *testing.T) {
	src := "---\nchange_id: x\ncreated: 2026-01-19\nsource: user\n---\n# Clarifications: x\n\n## Q1: Git\n- **Question:** Which branch?\n- **Answer:** a new one\n\n## Q2: Open\n\n```\n**Answer**: not this\n```\n"
	got, problems, err := ParseClarifications("clarifications.md", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := &Clarifications{Change: "x", Created: time.Date(2026, 1, 19, 0, 0, 0, 0, time.UTC), Questions: []Clarification{
		{"Git", "Which branch?", "a new one", ""}, {"Open", "", "", ""},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(problems) != 2 || problems[0].Rule != "incomplete-clarification" || problems[0].Line != 12 {
		t.Errorf("problems %v", problems)
	}
}
