// Package specs owns the documents of a change:
// proposal, specs, tasks, clarifications, questions, findings, reports and STATE.yaml.
// It reads every form in which these documents occur in the wild, writes one canonical form of each,
// and says what is wrong with them, with a rule, a file and a line.
//
// It does not own where the documents come from or go to:
// there is no file system, no clock, no process and no git in this package.
// Callers bring bytes and times and get values, bytes and [Problems].
// Nor does it decide anything about phases: a problem is a fact about a document, the gate is elsewhere.
//
// Three kinds of failure are kept apart.
// A document that cannot be read at all (too large, a merge conflict in it, broken YAML) is an error.
// A document that can be read but is not right has [Problems].
// An argument of an agent's tool that is not acceptable is an error whose text is written for that agent.
//
//	proposal, problems, err := specs.ParseProposal("agentd/changes/add-oauth/proposal.md", src)
//	if err != nil {
//		return err // agentd/changes/add-oauth/proposal.md:3: found character that cannot start any token
//	}
//	if problems.HasHigh() {
//		return refuse(problems)
//	}
//	for _, affected := range proposal.AffectedSpecs {
//		fmt.Println(affected.ID)
//	}
package specs
