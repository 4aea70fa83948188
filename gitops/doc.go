// Package gitops is the only package that speaks git.
//
// Storage is the git program's: it finds the repository, keeps objects and references, and is the only one to move them,
// so that the user's identity, signing, hooks, reflog, filters, and object format hold.
// The object model is go-git's: commits and trees are decoded, encoded and named in process,
// from bytes that one `git cat-file` hands over. No type of go-git leaves this package.
//
// It speaks hashes, references, paths and messages. It does not know what a change or a phase is.
//
// A transition reads the tip, builds a tree from it (never from the index), commits, and moves the branch under a lock;
// only the last call changes anything that a person can see:
//
//	lock, err := repo.Lock(ctx, "add-oauth", "plan, process 4711")
//	defer lock.Unlock()
//	recovered, found, err := lock.Recover(ctx) // what a killed run left
//	repo = lock.Repo()
//	objects, err := repo.Objects(ctx)
//	defer objects.Close()
//	tip, err := objects.CommitAt("refs/heads/agentd/add-oauth")
//	tree, err := objects.WriteTree(ctx, tip.Tree, edits)
//	next, err := repo.CommitTree(ctx, gitops.CommitRequest{Tree: tree, Parents: []gitops.ID{tip.ID}, Message: text})
//	left, moved, err := lock.Advance(ctx, gitops.Advance{Ref: ref, Old: tip.ID, New: next, Reason: "agentd: challenge"})
package gitops
