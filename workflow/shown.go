package workflow

import (
	"regexp"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/phases"
)

// shownHead is how a review of ours begins: a heading, and one line that ends in a link to the commit that records what it shows.
var shownHead = regexp.MustCompile("^### [^\r\n]+\r?\n\r?\n[^\r\n]*recorded in \\[`[0-9a-f]+`\\]\\([^)\\s]*/commit/([0-9a-f]+)\\)")

// shown is the commit that a review of ours shows, ok false where a person wrote the review.
//
// Neither the account tells that, which is a person's where a person publishes, nor the marker alone, which anybody can copy:
// ours begins as ours do, about the commit that its marker names. We never approve.
// What stands below is not compared: the words around a verdict are others in every version, and with every secret that is known.
func shown(id phases.ChangeID, r github.PostedReview) (commit string, ok bool) {
	marker, marked := github.ParseMarker(r.Body)
	head := shownHead.FindStringSubmatch(r.Body)
	if !marked || marker.Change != id.String() || head == nil || head[1] != marker.Head || r.Opinion() == github.Approves {
		return "", false
	}
	return marker.Head, true
}
