package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
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
	Severity string `json:"severity"` // "error" or "warning"
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
		return nil
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

// agents tries who would play each role of plan and impl.
// Nobody to play one is a warning: many who look at a repository never run an agent.
// A program that goes by a vendor's name is named and not asked for its version: whoever looks has not decided to run it.
func (d *Doctor) agents(ctx context.Context, result *DoctorResult) {
	for _, name := range vendors {
		if line := d.Bench.disguised(name); line != "" {
			result.Findings = append(result.Findings, DoctorFinding{
				Rule: "agent", Severity: "warning", Message: line + ": not started",
				Hint: fmt.Sprintf("look at [%s] command in %s before you plan here", name, config.FileName),
			})
			return
		}
	}
	for _, role := range []config.Role{config.Proposer, config.Challenger, config.Implementer, config.Reviewer} {
		if _, err := d.Bench.cast(ctx, role, "", nil); err != nil {
			result.Findings = append(result.Findings, DoctorFinding{
				Rule: "agent", Severity: "warning", Message: fmt.Sprintf("nobody can play the %s: %v", role, err),
				Hint: fmt.Sprintf("give %s another agent under [roles] in %s", role, config.FileName),
			})
		}
	}
}

// settings looks at what the repository's configuration would do to records.
func (d *Doctor) settings(ctx context.Context, result *DoctorResult) error {
	b := d.Bench
	add := func(rule, severity, message, hint string) {
		result.Findings = append(result.Findings, DoctorFinding{Rule: rule, Severity: severity, Message: message, Hint: hint})
	}
	refs, err := b.Repo.Refs(ctx, "refs/heads/agentd")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if ref.Name == "refs/heads/agentd" {
			blocked := &changes.PrefixTakenError{}
			add("branch-prefix", "error", blocked.Error(), blocked.Hint())
		}
	}
	if _, _, err := b.Repo.Identity(ctx); err != nil {
		add("identity", "error", err.Error(), `git config user.name "Your Name" && git config user.email you@example.com`)
	}
	if cleanup, ok, err := b.Repo.Config(ctx, "commit.cleanup"); err != nil {
		return err
	} else if ok && cleanup == "strip" {
		add("commit-cleanup", "warning", "commit.cleanup = strip drops lines that begin with # when people amend our commits", "git config --unset commit.cleanup")
	}
	for _, key := range []string{"trailer.separators"} {
		if value, ok, err := b.Repo.Config(ctx, key); err != nil {
			return err
		} else if ok && !strings.Contains(value, ":") {
			add("trailer-separators", "warning", "trailer.separators has no colon, so git itself cannot read the record (we can)", "git config --unset trailer.separators")
		}
	}
	return nil
}

// takeSide settles a diverged branch. The side that is not taken is kept under refs/agentd/saved/.
func (b *Bench) takeSide(ctx context.Context, id phases.ChangeID, side string) error {
	if id.IsZero() {
		return errors.New("--take needs the id of a change")
	}
	if side != "remote" && side != "local" {
		return fmt.Errorf("--take is %q, want remote or local", side)
	}
	return b.exclusively(ctx, id, "doctor", func(b *Bench) error {
		refs, err := b.Repo.Refs(ctx, id.Ref(), "refs/remotes/", "refs/agentd/saved/"+id.String()+"/")
		if err != nil {
			return err
		}
		var here, there gitops.ID
		saved := 0
		for _, ref := range refs {
			switch {
			case ref.Name == id.Ref():
				here = ref.ID
			case strings.HasPrefix(ref.Name, "refs/agentd/saved/"):
				saved++
			case strings.HasSuffix(ref.Name, "/"+id.Branch()):
				there = ref.ID
			}
		}
		if here == "" || there == "" {
			return fmt.Errorf("change %q has not two sides here: nothing to take", id)
		}
		other := there
		if side == "remote" {
			other = here
		}
		keep := gitops.RefUpdate{Name: fmt.Sprintf("refs/agentd/saved/%s/%d", id, saved+1), New: other}
		if err := b.Repo.UpdateRefs(ctx, "agentd: save the other side of "+id.String(), keep); err != nil {
			return err
		}
		b.Say.Done(fmt.Sprintf("the other side of %s is kept as %s", id, keep.Name))
		if side == "local" {
			b.Say.Note(fmt.Sprintf("publish yours with `git push --force-with-lease origin %s`", id.Branch()))
			return nil
		}
		_, err = b.Store.Move(ctx, id, here, there, "take the remote side")
		return err
	})
}
