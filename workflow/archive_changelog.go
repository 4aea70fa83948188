package workflow

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// changelogFile is the entry of an archived change, in its folder: one file for each, so that
// changes which are archived at the same time never collide in it, and taking one back takes its entry with it.
const changelogFile = "CHANGELOG.md"

// changelog is the entry for what a landing does, from the history and the merge.
func (a *archiving) changelog(ctx context.Context, c *changes.Change, l *landing) (string, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return "", err
	}
	entry := templates.ChangelogEntry{
		Change: c.ID.String(), Date: a.Now().UTC().Format(time.DateOnly), Edits: l.did,
		Plan: approvedBy(c.State.PlanApproval), Code: approvedBy(c.State.CodeApproval),
	}
	if proposal, _, err := specs.ParseProposal(specs.ProposalPath, docs.Files[specs.ProposalPath]); err == nil {
		entry.Summary = proposal.Summary
	}
	if used := totalsOf(c.State.Transitions); used.Calls > 0 {
		entry.Cost = plural(used.Calls, "agent call")
		if used.USD != nil {
			entry.Cost += fmt.Sprintf(", $%.4f", *used.USD)
		}
		if used.Unknown > 0 {
			entry.Cost += fmt.Sprintf(" (%d without numbers)", used.Unknown)
		}
	}
	return entry.Render(), nil
}

func approvedBy(a *phases.Applied) string {
	switch {
	case a == nil:
		return "by nobody"
	case a.Round == 0:
		return "by " + cmp.Or(a.Agent, "a person")
	}
	return fmt.Sprintf("in round %d by %s", a.Round, cmp.Or(a.Agent, "a person"))
}

// edited says what a merge did to a spec, for readers.
func (l *landing) edited(s specMerge, merged *specs.Merged) {
	const most = 50
	name := string(s.id)
	switch {
	case merged.Gone:
		l.did = append(l.did, name+": retired")
		return
	case s.ours == "":
		l.did = append(l.did, name+": new")
	}
	for i, e := range merged.Delta.Edits {
		if i == most {
			l.did = append(l.did, fmt.Sprintf("%s: and %d more", name, len(merged.Delta.Edits)-most))
			return
		}
		if e.Kind == specs.RequirementPart || e.Kind == specs.ScenarioPart && s.ours != "" {
			l.did = append(l.did, name+": "+e.String())
		}
	}
}
