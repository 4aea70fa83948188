// Package phases says what may happen to a change.
//
// It owns the words (change, phase, step, transition, round, verdict), the one transition table,
// the trailer block in which a commit records a transition, the replay that proves a phase from commits,
// the guard that ends loops that do not converge, and the audit that hooks and checks share.
//
// It is pure: it imports the standard library only, reads no clock, no file and no repository,
// and knows neither git, GitHub nor agents.
// Who makes things happen is package workflow; who reads commits is package changes.
//
// # The machine
//
//	none ──plan──▶ proposed ──APPROVED──▶ challenged ──implement──▶ implementing ──APPROVED──▶ complete ──archive──▶ archived
//	                │    ▲                                                                        ▲                    │
//	            REJECTED reopen                                                                   └─────unarchive──────┘
//	                ▼    │
//	               rejected
//
// NEEDS_REVISION keeps proposed, NEEDS_CHANGES and MAJOR_ISSUES keep implementing, UNKNOWN keeps any phase.
// An approval is a challenger's or reviewer's verdict, or the decision of a person.
// challenged, implementing and complete are reopened to proposed, and every phase but archived
// is abandoned to rejected, by a person's decision alone.
//
// # The table
//
// [Table] is the same table as data, and [Next] reads nothing else.
//
//	from          event                             to            needs
//	none          plan                              proposed      a profile with a plan
//	none          import                            proposed      a profile with a plan
//	none          import REJECTED                   rejected      a profile with a plan
//	none          pair                              implementing  profile pair
//
//	proposed      plan                              proposed
//	proposed      import                            proposed
//	proposed      reproposal                        proposed
//	proposed      challenge APPROVED                challenged    its own tree as subject
//	proposed      challenge NEEDS_REVISION          proposed
//	proposed      challenge REJECTED                rejected
//	proposed      challenge UNKNOWN                 proposed
//	proposed      approve                           challenged    a person's decision, its own tree as subject
//	proposed      continue                          proposed      a person's decision
//	proposed      abandon                           rejected      a person's decision
//
//	challenged    implement                         implementing
//	challenged    reopen                            proposed      a person's decision
//	challenged    abandon                           rejected      a person's decision
//
//	rejected      reopen                            proposed      a person's decision
//	rejected      abandon                           rejected      a person's decision
//
//	implementing  pair                              implementing  no open decision, profile pair
//	implementing  implement                         implementing  no open decision
//	implementing  resolve                           implementing  no open decision
//	implementing  review APPROVED                   complete      its own tree as subject, passed evidence, no open decision
//	implementing  review APPROVED, evidence failed  implementing  no open decision
//	implementing  review NEEDS_CHANGES              implementing  no open decision
//	implementing  review MAJOR_ISSUES               implementing  no open decision
//	implementing  review UNKNOWN                    implementing  no open decision
//	implementing  approve                           complete      a person's decision, its own tree as subject, passed evidence
//	implementing  reverify                          complete      its own tree as subject, passed evidence, the approved diff
//	implementing  continue                          implementing  a person's decision
//	implementing  reopen                            proposed      a person's decision
//	implementing  abandon                           rejected      a person's decision
//
//	complete      review APPROVED                   complete      its own tree as subject, passed evidence
//	complete      review APPROVED, evidence failed  implementing
//	complete      review NEEDS_CHANGES              implementing
//	complete      review MAJOR_ISSUES               implementing
//	complete      review UNKNOWN                    complete
//	complete      archive                           archived
//	complete      reopen                            proposed      a person's decision
//	complete      abandon                           rejected      a person's decision
//
//	archived      archive                           archived
//	archived      unarchive                         complete
//
//	any           confirm                           the same
//
// Edits, notes, repairs, validations and self-reviews confirm the phase.
//
// # Recorded and effective
//
// The recorded phase is what the last transition says.
// The effective phase is the recorded one, lowered where an approval no longer holds the content:
// with another plan tree it is proposed, and complete with another code tree is implementing.
// Nothing commits staleness: the next commit's Agentd-From is the effective phase, and [Replay] demands that.
//
// # Example
//
//	state, err := phases.Replay(history)
//	if err != nil {
//		return err // a *phases.ReplayError names the first illegal commit
//	}
//	if err := state.Allows(phases.EventReviewApproved); err != nil {
//		return err // legality first, tokens second
//	}
//	// … an agent reviews …
//	if err := state.Admit(transition, planTree, codeTree); err != nil {
//		return err
//	}
//	message, err := phases.FormatMessage("review approved", summary, transition)
package phases
