package inbox

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// clip shortens text to at most n bytes of whole characters, and says so.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// oneLine folds text for a log line or a list.
func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
