// Package github is the only package that speaks to GitHub:
// pull requests, reviews, commit statuses and permissions of one repository on github.com, ghe.com or an Enterprise Server.
//
// It knows no phases and reads no state back: the history is the truth, and what is posted here is output.
// Requests go through go-github over go-gh's HTTP client; neither's types leave the package.
//
// Two rules hold for every write.
// It is planned first, by a pure function, as a value that can be shown instead of sent (`--dry-run`).
// And an answer that got lost is never answered by sending again: GitHub is asked first what is there.
//
// Everything that a model wrote goes through [Sanitizer] before it is posted.
//
//	target, err := github.Resolve(github.Sources{Getenv: getenv, Remotes: remotes})
//	...
//	client, err := github.New(target, github.Options{Token: token, Redact: redact})
//	...
//	pull, err := client.EnsurePull(ctx, github.PullDraft{Branch: "agentd/add-oauth", Base: "main", Title: "Add OAuth"})
//	...
//	posted, err := client.PublishReview(ctx, pull.Number, review)
package github
