package specs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const proposalFile = "agentd/changes/add-oauth/proposal.md"

const canonicalProposal = `---
id: add-oauth
type: proposal
version: 2
created_at: 2026-01-19T10:30:00Z
updated_at: 2026-01-19T10:45:00Z
author: gemini
status: proposed
iteration: 2
summary: 'Sign in with an OAuth provider: GitHub first.'
impact:
  scope: minor
  affected_files: 7
  new_files: 3
affected_specs:
  - id: auth
    path: specs/auth.md
  - id: sessions
    path: specs/sessions.md
    depends: [auth]
dependencies:
  external:
    - name: oauth2
      version: v0.30
  internal:
    - http server
risks:
  - severity: medium
    category: security
    description: tokens could leak into logs
---

# Change: add-oauth

## Summary

Sign in with an OAuth provider:
GitHub first.

## Why

Passwords are a burden.

### For whom

` + "```md\n## Not a heading\n```" + `

## What Changes

- A provider interface
  - with one implementation

  and a second paragraph
- A callback route

## Impact

- **Scope**: minor
- **Affected Files**: ~7
- **New Files**: ~3
- Affected specs: ` + "`auth`, `sessions`" + `
- Affected code:
  - ` + "`internal/auth/`" + `
  - the login page
- **Breaking Changes**: none

<review iteration="1" reviewer="codex" status="needs_revision">

## Summary

Think again.

</review>
`

func TestParseProposal_canonical(t *testing.T) {
	got, problems, err := ParseProposal(proposalFile, []byte(canonicalProposal))
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	want := &Proposal{
		ID: "add-oauth", Version: 2, Iteration: 2, Author: "gemini", Status: "proposed",
		CreatedAt: time.Date(2026, 1, 19, 10, 30, 0, 0, time.UTC),
		UpdatedAt: time.Date(2026, 1, 19, 10, 45, 0, 0, time.UTC),
		Summary:   "Sign in with an OAuth provider:\nGitHub first.",
		Why:       "Passwords are a burden.\n\n### For whom\n\n```md\n## Not a heading\n```",
		WhatChanges: []string{
			"A provider interface\n- with one implementation\n\nand a second paragraph",
			"A callback route",
		},
		Impact: Impact{Scope: "minor", AffectedFiles: 7, NewFiles: 3, AffectedCode: []string{"internal/auth/", "the login page"}},
		AffectedSpecs: []AffectedSpec{
			{ID: "auth", Path: "specs/auth.md"},
			{ID: "sessions", Path: "specs/sessions.md", Depends: []SpecID{"auth"}},
		},
		Dependencies: Dependencies{External: []ExternalDependency{{"oauth2", "v0.30"}}, Internal: []string{"http server"}},
		Risks:        []Risk{{"medium", "security", "tokens could leak into logs"}},
		Reviews:      []ReviewBlock{{Iteration: 1, Reviewer: "codex", Status: "needs_revision", Text: "## Summary\n\nThink again."}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(canonicalProposal, string(got.Markdown())); diff != "" {
		t.Errorf("written form (-want +got)\n%s", diff)
	}
}

func TestParseProposal_forms(t *testing.T) {
	impact := func(line string) string {
		return "# Change: x\n\n## Summary\n\nS\n\n## Why\n\nW\n\n## What Changes\n\n- c\n\n## Impact\n\n" + line + "\n"
	}
	tests := []struct {
		name  string
		src   string
		specs []SpecID
		rules string // of problems other than the missing front matter
	}{
		{"one in code marks with a note", impact("- Affected specs: `auth` (new)"), []SpecID{"auth"}, ""},
		{"note in front of nothing", impact("- Affected specs: `specs/auth.md` (to be created)"), []SpecID{"auth"}, ""},
		{"several on a line, commas in notes", impact("- Affected specs: `auth` (updated: R1, R2), `billing.md`"), []SpecID{"auth", "billing"}, ""},
		{"full paths", impact("- Affected specs: `agentd/specs/a.md`, `agentd/changes/x/specs/b.md`"), []SpecID{"a", "b"}, ""},
		{"a list below a bold label", impact("- **Affected specs**:\n  - `auth` (new)\n  - billing"), []SpecID{"auth", "billing"}, ""},
		{"a list below a plain label", impact("- Affected specs:\n    - auth"), []SpecID{"auth"}, ""},
		{"none with a note", impact("- Affected specs: None (new feature)."), nil, ""},
		{"none with another note", impact("- Affected specs: None (New feature)."), nil, ""},
		{"not applicable", impact("- Affected specs: n/a"), nil, ""},
		{"a JSON list", impact(`- Affected specs: ["auth", "billing"]`), []SpecID{"auth", "billing"}, ""},
		{"an empty JSON list", impact("- Affected specs: []"), nil, ""},
		{"a skeleton", impact("- Affected specs: [capabilities]"), nil, "placeholder"},
		{"ID-17 one bad id and none is created", impact("- Affected specs: `auth`, ../x"), nil, "invalid-spec-id"},
		{"ID-17 the same id twice", impact("- Affected specs: `auth`, auth"), []SpecID{"auth"}, "duplicate-spec"},
		{"ID-17 500 ids", impact("- Affected specs: " + strings.Repeat("s, ", 499) + "s"), nil, "too-many-specs"},
		{"a scope outside the list", impact("- **Scope**: moderate\n- Affected specs: none"), nil, "unknown-scope"},
		{"front matter counts", "---\nid: x\naffected_specs: [{id: auth}]\n---\n" + impact("- Affected specs: `billing`"), []SpecID{"auth"}, "spec-mismatch"},
		{"front matter of plain ids", "---\nid: x\naffected_specs: [auth]\n---\n" + impact("- x"), []SpecID{"auth"}, ""},
		{"doubled blank lines", strings.ReplaceAll(impact("- Affected specs: auth"), "\n\n", "\n\n\n\n"), []SpecID{"auth"}, ""},
		{"no newline at the end", strings.TrimSpace(impact("- Affected specs: auth")), []SpecID{"auth"}, ""},
		{"windows", "\xef\xbb\xbf" + strings.ReplaceAll(impact("- Affected specs:\n  - `auth` (new)"), "\n", "\r\n"), []SpecID{"auth"}, ""},
		{"wrapped", "<proposal>\n" + impact("- Affected specs: auth") + "</proposal>\n", []SpecID{"auth"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, problems, err := ParseProposal("agentd/changes/x/proposal.md", []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			var ids []SpecID
			for _, affected := range p.AffectedSpecs {
				ids = append(ids, affected.ID)
			}
			if diff := cmp.Diff(tt.specs, ids); diff != "" {
				t.Errorf("specs (-want +got)\n%s", diff)
			}
			rules := map[string]bool{}
			for _, problem := range problems {
				if problem.Rule != "missing-frontmatter" {
					rules[problem.Rule] = true
				}
			}
			if got := joinedKeys(rules); got != tt.rules {
				t.Errorf("problems %q, want %q: %v", got, tt.rules, problems)
			}
			if p.SpecsUnstated {
				t.Error("the specs are stated")
			}
			if p.ID != "x" || p.Summary != "S" || p.Why != "W" || len(p.WhatChanges) != 1 {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestParseProposal_unstated(t *testing.T) {
	p, _, err := ParseProposal("agentd/changes/x/proposal.md", []byte("# Change: x\n\n## Impact\n\n- **Scope**: patch\n"))
	if err != nil || !p.SpecsUnstated {
		t.Fatalf("unstated %v, error %v", p.SpecsUnstated, err)
	}
}

func TestParseProposal_reviews(t *testing.T) {
	src := `# Change: x

The reader looks for <review> blocks.
<review>
not one
</review>

` + "```\n<review iteration=\"9\" reviewer=\"x\" status=\"approved\">\n</review>\n```" + `

## Why

because

<review iteration="3" reviewer="codex" status="approved">
third
</review>
<review iteration="2" reviewer="codex" status="needs_revision">
## Why
second
</review>
`
	p, _, err := ParseProposal("p.md", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Reviews) != 2 {
		t.Fatalf("got %d reviews: %+v", len(p.Reviews), p.Reviews)
	}
	newest, ok := p.NewestReview()
	if !ok || newest.Iteration != 3 || newest.Text != "third" {
		t.Errorf("newest is %+v", newest)
	}
	if p.Why != "because" {
		t.Errorf("why is %q", p.Why)
	}
}

func TestParseProposal_unreadable(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"DC-01 broken front matter", "---\nid: x\nsummary: a: b\n---\n", "p.md:3: mapping values are not allowed in this context"},
		{"DC-04 duplicate key", "---\nid: x\nid: y\n---\n", `p.md:3: key "id" is already defined at line 2`},
		{"DC-10 conflict", "# A\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n", "unresolved merge conflict in p.md lines 2–6"},
		{"DC-15 no end", "---\nid: x\n", "p.md:1: front matter begins here but is never closed by a line of three dashes"},
		{"DC-16 too large", strings.Repeat("x", MaxDocument+1), "p.md: document has 262145 bytes, the limit is 262144"},
		{"front matter that is a list", "---\n- a\n---\n", "p.md:2: want a mapping of keys to values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := ParseProposal("p.md", []byte(tt.src)); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
