package specs

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/agentd/gh-agentd/phases"
)

// Finding is one issue of a challenge or a review.
type Finding struct {
	ID          string   `json:"id"` // "F-3f2a9c", the same from round to round
	Severity    Severity `json:"severity"`
	Category    string   `json:"category,omitempty"` // of reviews; "" in challenges
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"`
	Suggestion  string   `json:"suggestion,omitempty"`
	SpecRef     string   `json:"spec_ref,omitempty"` // "<spec>#R1", or ""
	File        string   `json:"file,omitempty"`     // relative to the root of the repository, or ""
	Line        int      `json:"line,omitempty"`     // 1-based, or 0
}

// FindingID derives the id of a finding from its place and its words.
//
// Line numbers, case, punctuation and the order of words do not count, nor does the severity:
// code moves between rounds, and a finding that became less severe is still that finding.
func FindingID(f Finding) string {
	return findingID(f, 6)
}

func findingID(f Finding, digits int) string {
	words := normalWords(f.Title + " " + f.Description)
	text := findingPlace(f) + "\x00" + strings.Join(words, " ")
	sum := sha256.Sum256([]byte(text))
	return "F-" + hex.EncodeToString(sum[:])[:digits]
}

// findingPlace is where a finding is, in one spelling: "auth:R1" and "auth#r1" are one place.
func findingPlace(f Finding) string {
	ref := strings.ToLower(strings.TrimSpace(f.SpecRef))
	if spec, requirement, found := strings.Cut(ref, ":"); found && !strings.Contains(ref, "#") {
		ref = spec + "#" + requirement
	}
	return ref + "\x00" + strings.TrimPrefix(strings.TrimSpace(f.File), "./")
}

// normalWords are the different words of a text, in lower case and sorted.
func normalWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// nameFindings gives every finding its id.
// An id that the agent names is taken over if it is a known one and not used twice;
// else the id is derived. Two findings that say the same of the same place are one, with the heavier severity.
func nameFindings(findings []Finding, known []string) []Finding {
	named := make([]Finding, 0, len(findings))
	index := map[string]int{} // by id
	for _, f := range findings {
		f.ID = strings.TrimSpace(f.ID)
		if _, used := index[f.ID]; used || !slices.Contains(known, f.ID) {
			f.ID = FindingID(f)
		}
		if i, used := index[f.ID]; used && sameFinding(named[i], f) {
			named[i].Severity = min(named[i].Severity, f.Severity)
			continue
		}
		for digits := 8; digits <= 2*sha256.Size; digits += 2 {
			if _, used := index[f.ID]; !used {
				break
			}
			f.ID = findingID(f, digits)
		}
		index[f.ID] = len(named)
		named = append(named, f)
	}
	return named
}

func sameFinding(a, b Finding) bool {
	return findingPlace(a) == findingPlace(b) &&
		slices.Equal(normalWords(a.Title+" "+a.Description), normalWords(b.Title+" "+b.Description))
}

// CountFindings counts findings by severity and names the set of their ids,
// so that two rounds with the same findings can be told without comparing texts.
// The order of the findings does not matter.
func CountFindings(findings []Finding) phases.Findings {
	var count phases.Findings
	ids := make([]string, 0, len(findings))
	for _, f := range findings {
		ids = append(ids, f.ID)
		switch f.Severity {
		case High:
			count.High++
		case Medium:
			count.Medium++
		default:
			count.Low++
		}
	}
	count.Set = setDigest(ids)
	return count
}

// setDigest is eight hex digits over a set of ids, "" for the empty set.
func setDigest(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(ids), "\n")))
	return hex.EncodeToString(sum[:])[:8]
}
