package specs

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func joinedKeys(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), " ")
}

// rulesOf lists the rules of problems, each with how often it occurs only implied.
func rulesOf(problems Problems) string {
	set := map[string]bool{}
	for _, problem := range problems {
		set[problem.Rule] = true
	}
	return joinedKeys(set)
}

// fixedPoint checks that a written document is read and written the same again.
func fixedPoint[T interface{ Markdown() []byte }](t *testing.T, first T, parse func([]byte) (T, error)) {
	t.Helper()
	written := first.Markdown()
	if len(written) > MaxDocument {
		return
	}
	second, err := parse(written)
	if err != nil {
		if _, ok := err.(*ConflictError); ok {
			return
		}
		t.Fatalf("the written form cannot be read: %v\n%s", err, written)
	}
	if again := second.Markdown(); string(again) != string(written) {
		t.Fatalf("the written form is not stable\n--- first\n%s\n--- second\n%s", written, again)
	}
}
