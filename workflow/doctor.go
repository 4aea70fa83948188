package workflow

import (
	"context"
	"errors"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
)

// Doctor replays what is there and says what is wrong; with Fix it mends what can be mended without a decision.
type Doctor struct{ Bench *Bench }

// DoctorRequest says what to look at.
type DoctorRequest struct {
	Change phases.ChangeID // zero for the whole repository
	Fix    bool
	Take   string // "remote" or "local": settles a diverged branch
}

// DoctorResult counts what was proved and lists what was found.
type DoctorResult struct {
	Checked     int             `json:"checked"`
	Transitions int             `json:"transitions"`
	Findings    []DoctorFinding `json:"findings"`
}

// DoctorFinding is one thing that is wrong.
type DoctorFinding struct {
	Change   string `json:"change,omitempty"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // "error", "warning", or "note" for what may well be meant so
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Fixed    bool   `json:"fixed"`
}

// Healthy says whether nothing is wrong that was not mended.
func (r DoctorResult) Healthy() bool {
	for _, f := range r.Findings {
		if f.Severity == "error" && !f.Fixed {
			return false
		}
	}
	return true
}

func (r *DoctorResult) add(rule, severity, message, hint string) {
	r.Findings = append(r.Findings, DoctorFinding{Rule: rule, Severity: severity, Message: message, Hint: hint})
}

// Run looks at one change, or at all of them and the repository's settings.
func (d *Doctor) Run(ctx context.Context, req DoctorRequest) (DoctorResult, error) {
	result := DoctorResult{Findings: []DoctorFinding{}}
	if req.Take != "" {
		return result, d.Bench.takeSide(ctx, req.Change, req.Take)
	}
	ids := []phases.ChangeID{req.Change}
	if req.Change.IsZero() {
		var err error
		if ids, err = d.Bench.allIDs(ctx); err != nil {
			return result, err
		}
		if err := d.settings(ctx, &result); err != nil {
			return result, err
		}
		d.agents(ctx, &result)
		if err := d.specs(ctx, &result); err != nil {
			return result, err
		}
		d.hosted(ctx, &result)
	}
	for _, id := range ids {
		if err := d.change(ctx, id, req.Fix, &result); err != nil {
			return result, err
		}
	}
	return result, nil
}

// change proves one history. What cannot be proved is a finding, not a failure of the doctor.
func (d *Doctor) change(ctx context.Context, id phases.ChangeID, fix bool, result *DoctorResult) error {
	c, err := d.Bench.Store.Open(ctx, id)
	if missing, ok := errors.AsType[*changes.NotFoundError](err); ok {
		return missing
	}
	result.Checked++
	if c != nil {
		result.Transitions += c.State.Proved()
	}
	if err != nil {
		finding := DoctorFinding{Change: id.String(), Rule: "history", Severity: "error", Message: err.Error()}
		if hinted, ok := errors.AsType[interface {
			error
			Hint() string
		}](err); ok {
			finding.Hint = hinted.Hint()
		}
		result.Findings = append(result.Findings, finding)
		return nil
	}
	if c.Where == changes.InArchive {
		return d.branchLeft(ctx, c, result)
	}
	wrong, ok := errors.AsType[*phases.MismatchError](c.Forward())
	if !ok {
		return nil
	}
	finding := DoctorFinding{
		Change: id.String(), Rule: "projection", Severity: "error", Message: wrong.Detail, Hint: wrong.Hint(),
	}
	if fix {
		err = d.Bench.exclusively(ctx, id, "doctor", func(b *Bench) error { return b.rewriteState(ctx, id) })
		if again, ok := errors.AsType[*phases.MismatchError](err); ok {
			finding.Message, finding.Hint, err = "STATE.yaml was written anew, and still "+again.Detail, "please report this: what we write ourselves must not contradict itself", nil
		} else {
			finding.Fixed = err == nil
		}
	}
	result.Findings = append(result.Findings, finding)
	return err
}

// rewriteState writes STATE.yaml anew from the history, as a commit that moves nothing,
// and returns a [*phases.MismatchError] where the record contradicts itself still.
func (b *Bench) rewriteState(ctx context.Context, id phases.ChangeID) error {
	c, err := b.Store.Open(ctx, id)
	if err != nil {
		return err
	}
	c, _, err = c.Append(ctx, changes.Record{
		Subject:    "rewrote STATE.yaml from the history",
		Transition: phases.Transition{Step: phases.StepRepair, Actor: phases.Human},
	})
	if err != nil {
		return err
	}
	return c.Forward()
}
