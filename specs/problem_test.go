package specs

import "testing"

func TestSeverity_roundTrip(t *testing.T) {
	for _, severity := range []Severity{High, Medium, Low} {
		for _, text := range []string{severity.String(), severity.Title(), " " + severity.Title() + "\n"} {
			if got, err := ParseSeverity(text); err != nil || got != severity {
				t.Errorf("%q: got %v, error %v", text, got, err)
			}
		}
	}
	for _, text := range []string{"", "highest", "CRITICAL"} {
		if _, err := ParseSeverity(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if text, err := Severity(0).MarshalText(); err == nil {
		t.Errorf("no severity is written as %q", text)
	}
}

func TestProblems(t *testing.T) {
	problems := Problems{
		{Rule: "b", Severity: Low, File: "b.md", Line: 1, Message: "m"},
		{Rule: "a", Severity: Medium, File: "a.md", Line: 10, Message: "m"},
		{Rule: "c", Severity: Low, File: "a.md", Line: 2, Message: "m"},
	}
	if problems.HasHigh() {
		t.Error("none is high")
	}
	problems = append(problems, Problem{Rule: "d", Severity: High, File: "a.md", Message: "m"})
	high, medium, low := problems.Counts()
	if high != 1 || medium != 1 || low != 2 || !problems.HasHigh() {
		t.Errorf("counts %d %d %d", high, medium, low)
	}
	problems.Sort()
	for i, want := range []string{"a.md: HIGH m (d)", "a.md:2: LOW m (c)", "a.md:10: MEDIUM m (a)", "b.md:1: LOW m (b)"} {
		if got := problems[i].String(); got != want {
			t.Errorf("%d: got %q, want %q", i, got, want)
		}
	}
}
