package github

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Side is a side of a diff.
type Side int

// Right is the new side, and the usual one.
const (
	Right Side = iota
	Left
)

func (s Side) String() string {
	return [...]string{"RIGHT", "LEFT"}[s]
}

// Hunk is the part of a file that a hunk of its patch shows, on both sides, context lines included.
// Lines count from 1; a side without lines has Count 0.
type Hunk struct {
	LeftStart, LeftCount   int
	RightStart, RightCount int
}

// has reports whether the hunk shows all lines from first to last.
func (h Hunk) has(side Side, first, last int) bool {
	start, count := h.RightStart, h.RightCount
	if side == Left {
		start, count = h.LeftStart, h.LeftCount
	}
	return start <= first && first <= last && last < start+count
}

var hunkHead = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// ParsePatch reads the hunks of one file's patch, as GitHub sends it: from the first "@@" on.
// Lines are counted, and not believed: GitHub cuts long patches.
func ParsePatch(patch string) ([]Hunk, error) {
	var hunks []Hunk
	if patch == "" {
		return nil, nil
	}
	for i, line := range strings.Split(strings.TrimSuffix(patch, "\n"), "\n") {
		if strings.HasPrefix(line, "@@") {
			h, err := parseHead(line)
			if err != nil {
				return nil, fmt.Errorf("patch line %d: %w", i+1, err)
			}
			hunks = append(hunks, h)
			continue
		}
		if len(hunks) == 0 {
			return nil, fmt.Errorf("patch line %d: want the head of a hunk, got %.40q", i+1, line)
		}
		h := &hunks[len(hunks)-1]
		switch {
		case strings.HasPrefix(line, "+"):
			h.RightCount++
		case strings.HasPrefix(line, "-"):
			h.LeftCount++
		case strings.HasPrefix(line, `\`): // no newline at end of file
		case line == "", line[0] == ' ': // some tools strip the blank of an empty context line
			h.LeftCount, h.RightCount = h.LeftCount+1, h.RightCount+1
		default:
			return nil, fmt.Errorf("patch line %d: %.40q is no line of a patch", i+1, line)
		}
	}
	return hunks, nil
}

// parseHead reads where a hunk starts; its counts are left for the lines to tell.
func parseHead(line string) (Hunk, error) {
	m := hunkHead.FindStringSubmatch(line)
	if m == nil {
		return Hunk{}, fmt.Errorf("%.40q is no head of a hunk", line)
	}
	left, _ := strconv.Atoi(m[1]) // nine digits at most
	right, _ := strconv.Atoi(m[3])
	return Hunk{LeftStart: left, RightStart: right}, nil
}
