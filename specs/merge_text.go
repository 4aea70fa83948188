package specs

import (
	"bytes"
	"strings"
	"time"
)

// sameText reports whether two texts say the same: how lines end, white space at their ends
// and an end of file without a line end make no difference.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for {
		lineA, restA, moreA := bytes.Cut(a, []byte("\n"))
		lineB, restB, moreB := bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(bytes.TrimRight(lineA, " \t\r"), bytes.TrimRight(lineB, " \t\r")) {
			return false
		}
		if !moreA || !moreB {
			return len(bytes.TrimSpace(restA)) == 0 && len(bytes.TrimSpace(restB)) == 0
		}
		a, b = restA, restB
	}
}

// mergeText is the three-way merge of one text: who changed it wins. It reports false where both did, and differently.
// A change of mere white space at line ends gives way to a change of words.
func mergeText(base, ours, theirs []byte) ([]byte, bool) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours, true
	case bytes.Equal(base, ours):
		return theirs, true
	case sameText(base, theirs), sameText(ours, theirs):
		return ours, true
	case sameText(base, ours):
		return theirs, true
	}
	return nil, false
}

// mergeSpace is mergeText for the white space between two parts, which is nothing to argue about.
func mergeSpace(base, ours, theirs []byte) []byte {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours
	case bytes.Equal(base, ours):
		return theirs
	}
	return greater(ours, theirs)
}

// greater makes the same choice whichever side is called ours.
func greater(a, b []byte) []byte {
	if len(a) > len(b) || len(a) == len(b) && bytes.Compare(a, b) >= 0 {
		return a
	}
	return b
}

// isStamp reports a key of the front matter that says when something happened to the file.
func (n *node) isStamp() bool {
	return n.kind == fieldPart && (n.name == createdStamp || n.name == "updated_at" || n.name == "archived_at")
}

// createdStamp is the key that says when a spec was first written.
const createdStamp = "created_at"

// stamp returns the one of two such keys that holds for both: what was created first, what was updated last.
func (n *node) stamp(a, b []byte) []byte {
	timeA, okA := stampTime(a)
	timeB, okB := stampTime(b)
	if n.name == createdStamp {
		timeA, timeB = timeB, timeA
	}
	switch {
	case okA && (!okB || timeA.After(timeB)):
		return a
	case okB && (!okA || timeB.After(timeA)):
		return b
	}
	return greater(a, b)
}

func stampTime(field []byte) (time.Time, bool) {
	_, value, _ := strings.Cut(string(field), ":")
	value, _, _ = strings.Cut(value, " #")
	at, err := time.Parse(time.RFC3339Nano, strings.Trim(strings.TrimSpace(value), `"'`))
	return at, err == nil
}

// lineEnding returns how the lines of a text end, as its first one does.
func lineEnding(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
