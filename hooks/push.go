package hooks

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Update is one reference of a push, as git tells it to the pre-push hook.
type Update struct {
	Local    string // a reference, "HEAD", an id, or any expression the person typed, blanks included; "(delete)" where Deletes
	LocalID  string // zeros where Deletes
	Remote   string // the reference at the other side
	RemoteID string // what it is there; zeros where it is new
}

// Deletes says that the reference is taken away at the other side.
func (u Update) Deletes() bool { return isZero(u.LocalID) }

// Creates says that the other side does not have the reference yet.
func (u Update) Creates() bool { return isZero(u.RemoteID) }

func isZero(id string) bool { return strings.Trim(id, "0") == "" }

// maxPush is far above a push of every reference of a large repository: 200,000 of them.
const maxPush = 32 << 20

// ParsePush reads the standard input of a pre-push hook: a line for each reference, and none where nothing is to be pushed.
// The error names the line.
func ParsePush(in io.Reader) ([]Update, error) {
	var updates []Update
	lines := bufio.NewScanner(io.LimitReader(in, maxPush))
	lines.Buffer(nil, 64<<10)
	n := 0
	for lines.Scan() {
		n++
		if lines.Text() == "" {
			continue
		}
		u, ok := parseUpdate(lines.Text())
		if !ok {
			return nil, fmt.Errorf("line %d of the push is not <local ref> <local id> <remote ref> <remote id>: %.100q", n, lines.Text())
		}
		updates = append(updates, u)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d of the push: %w", n+1, err)
	}
	return updates, nil
}

// parseUpdate reads from the end: only the first word, what the person typed, may have blanks in it.
func parseUpdate(line string) (Update, bool) {
	var words [4]string
	for i := 3; i > 0; i-- {
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			return Update{}, false
		}
		line, words[i] = line[:at], line[at+1:]
	}
	words[0] = line
	u := Update{Local: words[0], LocalID: words[1], Remote: words[2], RemoteID: words[3]}
	return u, u.Local != "" && isID(u.LocalID) && strings.HasPrefix(u.Remote, "refs/") && isID(u.RemoteID)
}

// isID knows names of objects in both formats.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
