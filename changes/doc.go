// Package changes keeps changes in git: it opens one from its history, appends one commit to it, and lists them all.
//
// It is the only place where a transition becomes a commit and a commit becomes a transition.
// [Store.Open] reads the first parents of agentd/<id>, computes the plan tree and the code tree of each commit,
// and lets package phases replay them; nothing else decides what phase a change is in.
// [Change.Append] writes artefacts, STATE.yaml and trailers as one commit,
// built from the tip's tree and moved by compare-and-swap,
// so that a step either happened wholly or not at all.
//
// It does not know agents, prompts, configuration or GitHub.
//
//	store := changes.Store{Repo: repo, Now: time.Now}
//	change, err := store.Open(ctx, id)      // *NotFoundError, *phases.ReplayError, …
//	fmt.Println(change.State.Effective)
//	change, err = change.Append(ctx, changes.Record{
//		Subject: "challenge approved in round 2",
//		Transition: phases.Transition{Step: phases.StepChallenge, Verdict: phases.Approved},
//	})
package changes
