package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

const (
	jobVersion = 1
	// jobLimit is what a verdict may have in bytes on its way to the other job.
	// It travels in one variable of the environment, which on Linux holds 128 KiB.
	jobLimit = 100_000
)

// jobVerdict is what the job that judges hands to the job that publishes, as one line of JSON.
// It holds a model's words in the verdict and nowhere else, and that is what the tool of the step took.
type jobVerdict struct {
	Version     int             `json:"version"`
	Change      string          `json:"change"`
	PullRequest int             `json:"pull_request"`
	Step        string          `json:"step"` // challenge or review
	Round       int             `json:"round"`
	Head        string          `json:"head"`
	Subject     string          `json:"subject"` // the tree that was judged
	Agent       string          `json:"agent"`
	Usage       string          `json:"usage"`              // as in the trailer
	Evidence    []string        `json:"evidence,omitempty"` // as in the trailers
	Warnings    []string        `json:"warnings,omitempty"` // of sentences that are known
	Verdict     json.RawMessage `json:"verdict"`
}

// agentID is the form that the record has of an agent's name: program, model, effort.
var agentID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+ /-]{0,119}$`)

// readJobVerdict believes nothing: what is not exactly as the other job writes it is refused.
func readJobVerdict(text string) (jobVerdict, judged, error) {
	var v jobVerdict
	if len(text) > jobLimit {
		return v, judged{}, refuseResult("it has %d bytes, the limit is %d", len(text), jobLimit)
	}
	if err := specs.DecodeStrict([]byte(text), &v); err != nil {
		return v, judged{}, refuseResult("%v", err)
	}
	if v.Version != jobVersion {
		return v, judged{}, refuseResult("its version is %d, and %d is known", v.Version, jobVersion)
	}
	if v.Step != string(phases.StepChallenge) && v.Step != string(phases.StepReview) {
		return v, judged{}, refuseResult("step %q has no verdict", shortened(v.Step))
	}
	if _, err := phases.ParseChangeID(v.Change); err != nil {
		return v, judged{}, refuseResult("%v", err)
	}
	for name, id := range map[string]string{"head": v.Head, "subject": v.Subject} {
		if parsed, err := gitops.ParseID(id); err != nil || parsed.IsZero() {
			return v, judged{}, refuseResult("its %s is no id of an object", name)
		}
	}
	if !agentID.MatchString(v.Agent) {
		return v, judged{}, refuseResult("%q names no agent", shortened(v.Agent))
	}
	if slices.ContainsFunc(v.Warnings, func(w string) bool { return w != ControlsChanged }) {
		return v, judged{}, refuseResult("it holds a warning that nobody knows")
	}
	j := judged{agent: v.Agent, actor: phases.ByAgent(map[string]string{"challenge": "challenger", "review": "reviewer"}[v.Step])}
	var err error
	if j.usage, err = phases.ParseUsage(v.Usage); err != nil {
		return v, j, refuseResult("its usage: %v", err)
	}
	for _, line := range v.Evidence {
		e, err := phases.ParseEvidence(line)
		if err != nil {
			return v, j, refuseResult("its evidence: %v", err)
		}
		j.evidence = append(j.evidence, e)
	}
	if j.verdict, err = inbox.ReadVerdict(v.Change, v.Step, v.Verdict); err != nil {
		return v, j, refuseResult("%s", strings.TrimPrefix(err.Error(), "- "))
	}
	return v, j, nil
}

func refuseResult(format string, args ...any) error {
	return &GateError{
		Gate: "result", Reason: "the verdict of the other job is not taken: " + fmt.Sprintf(format, args...),
		Next: "run the job that judges again, with the same version of this action",
	}
}

func shortened(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

// fits refuses a verdict on anything but what the change is now.
func (v jobVerdict) fits(c *changes.Change) error {
	subject := c.State.PlanTree
	if v.Step == string(phases.StepReview) {
		subject = c.State.CodeTree
	}
	switch {
	case v.Change != c.ID.String():
		return refuseResult("it is about %s, not %s", v.Change, c.ID)
	case v.Head != string(c.Tip):
		return refuseResult("it is about commit %s, and the change stands at %s", v.Head, c.Tip)
	case v.Round != c.State.Round:
		return refuseResult("it is of round %d, and this is round %d", v.Round, c.State.Round)
	case v.Subject != subject:
		return refuseResult("it is about tree %s, and the change has %s", v.Subject, subject)
	}
	return nil
}

// stringsIn are all strings of a JSON text, decoded: what is escaped there is not hidden.
func stringsIn(data []byte) ([]string, error) {
	var found []string
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if text, ok := token.(string); ok {
			found = append(found, text)
		}
	}
}
