package specs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const canonicalSpec = `---
id: auth
type: spec
title: Sign in
version: 1
created_at: 2026-01-19T10:30:00Z
updated_at: 2026-01-19T10:30:00Z
---

# Specification: Sign in

## Overview

People sign in.

## Requirements

### R1: Redirect to the provider

` + "```yaml\nid: R1\npriority: high\n```" + `

The service redirects.

` + "```sh\n# Old (remove)\n### R9: not a requirement\n```" + `

### WF-R2: Callback

The callback is checked.

## Flow

` + "```mermaid\ngraph LR\n  a --> b\n```" + `

## Data Model

A session has an owner.

## Acceptance Criteria

### Scenario: a person signs in (R1)

- **GIVEN** an account
- **AND** a browser
- **WHEN** the button is pressed
- **THEN** the provider is shown
- **AND** a state is kept
  in a cookie

### Scenario: nothing else is stored

- **WHEN** signing in ends
- **THEN** no password is kept
`

func TestParseSpec_canonical(t *testing.T) {
	got, problems, err := ParseSpec("agentd/changes/x/specs/auth.md", []byte(canonicalSpec))
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	at := time.Date(2026, 1, 19, 10, 30, 0, 0, time.UTC)
	want := &Spec{
		ID: "auth", Title: "Sign in", Version: 1, CreatedAt: at, UpdatedAt: at, Overview: "People sign in.",
		Requirements: []Requirement{
			{ID: "R1", Title: "Redirect to the provider", Priority: "high", Line: 18,
				Description: "The service redirects.\n\n```sh\n# Old (remove)\n### R9: not a requirement\n```"},
			{ID: "WF-R2", Title: "Callback", Description: "The callback is checked.", Line: 32},
		},
		Scenarios: []Scenario{
			{Name: "a person signs in", Requirement: "R1", Line: 49,
				Given: []string{"an account", "a browser"}, When: []string{"the button is pressed"},
				Then: []string{"the provider is shown", "a state is kept\nin a cookie"}},
			{Name: "nothing else is stored", When: []string{"signing in ends"}, Then: []string{"no password is kept"}, Line: 58},
		},
		FlowDiagram: "graph LR\n  a --> b",
		Sections:    []Section{{"Data Model", "A session has an owner."}},
	}
	ranges := cmp.Options{cmpopts.IgnoreFields(Requirement{}, "Start", "End"), cmpopts.IgnoreFields(Scenario{}, "Start", "End")}
	if diff := cmp.Diff(want, got, ranges); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(canonicalSpec, string(got.Markdown())); diff != "" {
		t.Errorf("written form (-want +got)\n%s", diff)
	}
}

func TestParseSpec_rangesAreBytesOfTheSource(t *testing.T) {
	for name, src := range map[string]string{
		"plain":           canonicalSpec,
		"windows":         "\xef\xbb\xbf" + strings.ReplaceAll(canonicalSpec, "\n", "\r\n"),
		"wrapped":         strings.Replace(canonicalSpec, "\n# Spec", "\n<spec>\n\n# Spec", 1) + "</spec>\n",
		"no last newline": strings.TrimSpace(canonicalSpec),
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := ParseSpec("auth.md", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Requirements) != 2 || len(s.Scenarios) != 2 {
				t.Fatalf("got %d requirements and %d scenarios", len(s.Requirements), len(s.Scenarios))
			}
			first, second := s.Requirements[0], s.Requirements[1]
			if first.End != second.Start {
				t.Errorf("the first ends at %d, the second begins at %d", first.End, second.Start)
			}
			if block := src[first.Start:first.End]; !strings.HasPrefix(block, "### R1: Redirect") || !strings.HasSuffix(strings.TrimSpace(block), "```") {
				t.Errorf("first block is %q", block)
			}
			if block := src[second.Start:second.End]; !strings.HasPrefix(block, "### WF-R2: Callback") || !strings.HasSuffix(strings.TrimSpace(block), "is checked.") {
				t.Errorf("second block is %q", block)
			}
			last := s.Scenarios[1]
			if block := src[last.Start:last.End]; !strings.HasPrefix(block, "### Scenario: nothing") || !strings.HasSuffix(strings.TrimSpace(block), "no password is kept") {
				t.Errorf("last block is %q", block)
			}
		})
	}
}

func TestParseSpec_forms(t *testing.T) {
	body := func(requirements, acceptance string) string {
		return "# Spec: X\n\n## Overview\n\nO\n\n" + requirements + "\n" + acceptance
	}
	one := "## Requirements\n\n### R1: A\n\ndo\n"
	tests := []struct {
		name         string
		src          string
		title        string
		requirements string // id=title
		scenarios    string // name@requirement:given/when/then
		rules        string
	}{
		{"title with Specification", "# Specification: X\n\n" + one, "X", "R1=A", "", ""},
		{"bare title", "# X\n\n" + one, "X", "R1=A", "", ""},
		{"a dash and a fence", body("## Requirements\n\n### R1 - A\n\n```yaml\nid: R1\npriority: low\nstatus: draft\n```\ntext\n", ""), "X", "R1=A", "", ""},
		{"prefixed ids", body("## Requirements\n\n### WF-R1: A\n### TR-R12: B\n", ""), "X", "WF-R1=A,TR-R12=B", "", ""},
		{"DC-11 wrong level", body("## Requirements\n\n#### R1: A\n#### R2: B\n", ""), "X", "R1=A,R2=B", "", "wrong-heading-level"},
		{"DC-11 no id", body("## Requirements\n\n### R1: A\n### Fast\n", ""), "X", "R1=A", "", "invalid-requirement-format"},
		{"scenario that mentions its requirement", body(one, "## Acceptance Criteria\n\n### Scenario: R1 works\n- **WHEN** a\n- **THEN** b\n"), "X", "R1=A", "R1 works@R1:0/1/1", ""},
		{"scenario that mentions nothing known", body(one, "## Acceptance Criteria\n\n### Scenario: R7 works\n- WHEN a\n- THEN b\n"), "X", "R1=A", "R7 works@:0/1/1", ""},
		{"scenario below its requirement", body("## Requirements\n\n### R1: A\n\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n", ""), "X", "R1=A", "s@R1:0/1/1", ""},
		{"acceptance items as headings", body(one, "## Acceptance Criteria\n\n### A1: item\n\n- **WHEN** a\n- **THEN** b\n"), "X", "R1=A", "item@:0/1/1", ""},
		{"section named Scenarios", body(one, "## Scenarios\n\n### Scenario: s\n- **WHEN** a\n- **THEN** b\n"), "X", "R1=A", "s@:0/1/1", ""},
		{"WHEN THEN in the heading", body(one, "## Acceptance Criteria\n\n### WHEN a THEN b\n- **GIVEN** x\n- **WHEN** a\n- **THEN** b\n"), "X", "R1=A", "WHEN a THEN b@:1/1/1", ""},
		{"WHEN THEN only in the name", body(one, "## Acceptance Criteria\n\n### Scenario: WHEN a THEN b\n"), "X", "R1=A", "WHEN a THEN b@:0/1/1", ""},
		{"bold lines without bullets", body(one, "## Acceptance Criteria\n\n### Scenario: s\n\n**GIVEN** x\n**WHEN** a\n**THEN** b\n**AND** c\n"), "X", "R1=A", "s@:1/1/2", ""},
		{"bare bullets", body(one, "## Acceptance Criteria\n\n- WHEN a\n- THEN b\n- THEN c\n"), "X", "R1=A", "a@:0/1/2", ""},
		{"one line each", body(one, "## Acceptance Criteria\n\n- WHEN a THEN b\n- **WHEN** c **THEN** d\n"), "X", "R1=A", "WHEN a THEN b@:0/1/1,**WHEN** c **THEN** d@:0/1/1", ""},
		{"steps nested below WHEN", body(one, "## Acceptance Criteria\n\n### Scenario: s\n- **WHEN** a\n  - **THEN** b\n"), "X", "R1=A", "s@:0/1/1", ""},
		{"criteria without steps", body(one, "## Acceptance Criteria\n\n- **AC1**: first\n- **AC2**: second\n"), "X", "R1=A", "**AC1**: first@:0/0/0,**AC2**: second@:0/0/0", ""},
		{"no requirements section", body("", "## Acceptance Criteria\n\n- first\n- WHEN a THEN b\n"), "X", "R1=first,R2=WHEN a THEN b", "first@R1:0/0/0,WHEN a THEN b@R2:0/1/1", ""},
		{"OpenSpec", "# X\n\n## ADDED Requirements\n\n### Requirement: User Login\n\n#### Scenario: ok\n- **WHEN** a\n- **THEN** b\n", "X", "user-login=User Login", "ok@user-login:0/1/1", ""},
		{"DC-11 R01 and R1 are two headings", body("## Requirements\n\n### R01: A\n### R1: B\n", ""), "X", "R01=A,R1=B", "", ""},
		{"id in front matter differs", "---\nid: other\n---\n" + body(one, ""), "X", "R1=A", "", "id-mismatch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, problems, err := ParseSpec("specs/x.md", []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			var requirements, scenarios []string
			for _, r := range s.Requirements {
				requirements = append(requirements, r.ID+"="+r.Title)
			}
			for _, sc := range s.Scenarios {
				counts := []string{digit(sc.Given), digit(sc.When), digit(sc.Then)}
				scenarios = append(scenarios, sc.Name+"@"+sc.Requirement+":"+strings.Join(counts, "/"))
			}
			if s.Title != tt.title {
				t.Errorf("title %q, want %q", s.Title, tt.title)
			}
			if got := strings.Join(requirements, ","); got != tt.requirements {
				t.Errorf("requirements %q, want %q", got, tt.requirements)
			}
			if got := strings.Join(scenarios, ","); got != tt.scenarios {
				t.Errorf("scenarios %q, want %q", got, tt.scenarios)
			}
			if got := rulesOf(problems); got != tt.rules {
				t.Errorf("problems %q, want %q", got, tt.rules)
			}
		})
	}
}

func digit(list []string) string { return string(rune('0' + len(list))) }

func TestSpec_Resolve(t *testing.T) {
	s, _, err := ParseSpec("x.md", []byte("# X\n\n## Requirements\n\n### R1: Token Refresh\n\n### R10: Log Out\n\n### WF-R2: Third One\n"))
	if err != nil {
		t.Fatal(err)
	}
	for anchor, want := range map[string]string{
		"R1": "R1", "r1": "R1", "R01": "R1", "R10": "R10", "r10-log-out": "R10", "R1: Token Refresh": "R1",
		"r1-token-refresh": "R1", "token-refresh": "R1", "Log Out": "R10", "wf-r2-third-one": "WF-R2", "WF-R2": "WF-R2",
		"R2": "", "third": "", "": "",
	} {
		got, _ := s.Resolve(anchor)
		if got.ID != want {
			t.Errorf("%q resolves to %q, want %q", anchor, got.ID, want)
		}
	}
}

func TestIsSpec(t *testing.T) {
	for src, want := range map[string]bool{
		canonicalSpec: true, "# X\n\n## Scenarios\n": true, "# Changelog\n\n## 1.0\n": false, "```\n## Requirements\n```\n": false, "": false,
	} {
		if got := IsSpec([]byte(src)); got != want {
			t.Errorf("%q: %v", excerptOf(src), got)
		}
	}
}

func TestStampArchived(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 3600))
	tests := []struct{ name, src, want string }{
		{"both set", "---\nid: x\nupdated_at: 2026-01-01T00:00:00Z # by hand\narchived_at: old\n---\n# X\nupdated_at: z\n",
			"---\nid: x\nupdated_at: 2026-03-04T04:06:07Z # by hand\narchived_at: 2026-03-04T04:06:07Z\n---\n# X\nupdated_at: z\n"},
		{"added", "---\nid: x\n---\nbody",
			"---\nid: x\nupdated_at: 2026-03-04T04:06:07Z\narchived_at: 2026-03-04T04:06:07Z\n---\nbody"},
		{"windows", "\xef\xbb\xbf---\r\nid: x\r\nupdated_at: a\r\n---\r\nbody\r\n",
			"\xef\xbb\xbf---\r\nid: x\r\nupdated_at: 2026-03-04T04:06:07Z\r\narchived_at: 2026-03-04T04:06:07Z\r\n---\r\nbody\r\n"},
		{"a value over several lines", "---\nupdated_at: >\n  long\n  ago\nid: x\n---\n",
			"---\nupdated_at: 2026-03-04T04:06:07Z\nid: x\narchived_at: 2026-03-04T04:06:07Z\n---\n"},
		{"a nested key of that name stays", "---\nx:\n  updated_at: a\n---\n",
			"---\nx:\n  updated_at: a\nupdated_at: 2026-03-04T04:06:07Z\narchived_at: 2026-03-04T04:06:07Z\n---\n"},
		{"no front matter", "# X\n", "# X\n"},
		{"front matter without end", "---\nid: x\n", "---\nid: x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(StampArchived([]byte(tt.src), at))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if again := string(StampArchived([]byte(got), at)); again != got {
				t.Errorf("a second stamp changes it to %q", again)
			}
		})
	}
}
