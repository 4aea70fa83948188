package foreign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// record is what the files beside a change of agentd say about where it stands.
type record struct {
	state    *specs.State // nil where there is none, or none that can be read
	problems specs.Problems
	err      error // why STATE.yaml cannot be read

	challenge, review, archive report
}

// report is one of the reports with a verdict.
type report struct {
	path    string
	there   bool
	verdict phases.Verdict
}

func agentdRecord(files Tree) record {
	var r record
	if src, there := files[specs.StateFile]; there {
		r.state, r.problems, r.err = specs.ParseState(specs.StateFile, src)
	}
	read := func(file string) report {
		src, there := files[file]
		return report{path: file, there: there, verdict: specs.ReadVerdict(src)}
	}
	r.challenge, r.review, r.archive = read(specs.ChallengeFile), read(specs.ReviewFile), read("ARCHIVE_REVIEW.md")
	return r
}

// says is what the report comes to, as the end of a sentence.
func (r report) says() string {
	switch {
	case !r.there:
		return "there is no " + r.path
	case r.verdict == phases.Unknown:
		return r.path + " has no readable verdict"
	}
	return fmt.Sprintf("%s says %s", r.path, r.verdict)
}

// judge compares what the record claims with what lies beside it, and settles the phase.
// A phase behind proposed is never taken over: an approval of old names no tree, so nobody knows what was approved.
func (d *draft) judge(r record) {
	switch {
	case r.err != nil:
		d.contradicts("%v", r.err)
		return
	case r.state == nil:
		if d.src.has(specs.ChallengeFile) || d.src.has(specs.ReviewFile) {
			d.contradicts("there are reports, and no %s that they belong to", specs.StateFile)
		}
		return
	}
	claimed := r.state.Phase
	d.Claimed = claimed.String()
	if id := r.state.ChangeID; id != "" && !strings.HasSuffix(d.Name, id) {
		d.contradicts("%s is that of %q", specs.StateFile, id)
	}
	for _, p := range r.problems {
		if slices.Contains([]string{"state-time", "state-phase", "state-value"}, p.Rule) {
			d.note("%s: %s", p.File, p.Message)
		}
	}
	if len(r.state.Transitions) > 0 {
		d.note("%s tells of %d transitions: the commits that prove them are on the branch %s of where it comes from",
			specs.StateFile, len(r.state.Transitions), "agentd/"+d.Name)
	}
	if claimed == phases.Rejected {
		d.rejected()
		return
	}
	if claimed != phases.Proposed {
		d.unproved(claimed, r)
	} else if r.challenge.verdict == phases.VerdictRejected || r.challenge.verdict == phases.Approved {
		d.contradicts("it claims %s, and %s", claimed, r.challenge.says())
	}
}

// rejected keeps what was turned down turned down, history apart.
func (d *draft) rejected() {
	if d.Phase == phases.Proposed {
		d.Phase = phases.Rejected
	}
}

// unproved says why a phase behind proposed is not taken over.
func (d *draft) unproved(claimed phases.Phase, r record) {
	before := len(d.Notes)
	if !r.approves(r.challenge) {
		d.contradicts("it claims %s, and %s", claimed, r.challenge.says())
	} else if !r.recorded("challenge", phases.Approved) {
		d.contradicts("it claims %s: %s, and %s records no round that ended so", claimed, r.challenge.says(), specs.StateFile)
	}
	if claimed >= phases.Complete && !r.approves(r.review) {
		d.contradicts("it claims %s, and %s", claimed, r.review.says())
	}
	if claimed == phases.Archived && !r.approves(r.archive) {
		d.contradicts("it claims %s, and %s", claimed, r.archive.says())
	}
	if len(d.Notes) == before && d.Phase != phases.None {
		d.note("it claims %s, and its verdicts say so too; which text they were given for is not recorded, so it is proposed again", claimed)
	}
}

func (record) approves(r report) bool { return r.there && r.verdict == phases.Approved }

// recorded reports whether the older tool wrote down a check that ended in a verdict.
func (r record) recorded(step string, verdict phases.Verdict) bool {
	return slices.ContainsFunc(r.state.Validations, func(v specs.Validation) bool {
		return strings.Contains(v.Step, step) && v.Verdict == string(verdict)
	}) || slices.ContainsFunc(r.state.Transitions, func(e specs.Entry) bool {
		return string(e.Step) == step && e.Verdict == verdict
	})
}
