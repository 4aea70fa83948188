package github

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Marker is the hidden last line of what we post: what it is about, and the key by which it is found again.
// It is believed only in what one of our accounts wrote. It is never read as state.
type Marker struct {
	Kind   string // "challenge", "review", ...
	Change string
	Round  int
	Head   string // the commit it is about
	Key    string
}

// String is the marker as an HTML comment in one line.
func (m Marker) String() string {
	return "<!-- agentd v1 kind=" + escape(m.Kind) + " change=" + escape(m.Change) + " round=" + strconv.Itoa(m.Round) +
		" head=" + escape(m.Head) + " key=" + escape(m.Key) + " -->"
}

func escape(value string) string { return url.QueryEscape(value) } // knows no blank and no ">"

var markerLine = regexp.MustCompile(`^<!-- agentd v1 kind=(\S*) change=(\S*) round=(-?\d{1,9}) head=(\S*) key=(\S+) -->$`)

// ParseMarker reads the marker at the end of a body.
func ParseMarker(body string) (Marker, bool) {
	body = strings.TrimRight(body, "\r\n\t ")
	line := body[strings.LastIndexByte(body, '\n')+1:]
	m := markerLine.FindStringSubmatch(line)
	if m == nil {
		return Marker{}, false
	}
	for _, i := range []int{1, 2, 4, 5} {
		value, err := url.QueryUnescape(m[i])
		if err != nil {
			return Marker{}, false
		}
		m[i] = value
	}
	round, err := strconv.Atoi(m[3])
	if err != nil {
		return Marker{}, false
	}
	return Marker{Kind: m[1], Change: m[2], Round: round, Head: m[4], Key: m[5]}, true
}
