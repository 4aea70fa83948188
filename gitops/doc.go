// Package gitops is the only package that speaks git.
//
// Storage is the git program's: it finds the repository, keeps objects and references, and is the only one to move them,
// so that the user's identity, signing, hooks, reflog, filters, and object format hold.
// The object model is go-git's: commits and trees are decoded, encoded and named in process,
// from bytes that one `git cat-file` hands over. No type of go-git leaves this package.
//
// It speaks hashes, references, paths and messages. It does not know what a change or a phase is.
//
// A transition is five calls, of which the fourth is the only moment that counts:
//
//	objects, err := repo.Objects(ctx)                               // read the tip
//	tree, err := objects.WriteTree(ctx, tip.Tree, edits)            // from the tip's tree, never from the index
//	commit, err := repo.CommitTree(ctx, gitops.CommitRequest{Tree: tree, Parents: []gitops.ID{tip.ID}, Message: text})
//	err = repo.UpdateRefs(ctx, "agentd: challenge", gitops.RefUpdate{Name: ref, Old: tip.ID, New: commit})
//	left, err := repo.Project(ctx, ref, tip.ID, commit, gitops.ProjectOptions{})
//
// [Lock.Advance] is the last two in the right order under a lock, with the note that lets the next run repair a killed one.
package gitops
