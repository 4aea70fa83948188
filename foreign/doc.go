// Package foreign reads the trees that other tools keep their changes in:
// agentd's own folder in every variant, OpenSpec, and spec-kit.
//
// It gets the files of a tree as bytes and says which changes are in it: an id, documents in the form of package specs,
// what the files claim, and where they contradict themselves.
// What a file claims moves nothing: every change is read as a proposal,
// for no verdict that lies beside a text says of which text it was given. A rejection is kept, and history stays history.
//
// It knows no file system, no git and no repository: where the files come from and what becomes of a change is decided elsewhere.
//
//	for _, change := range foreign.Read(tree, foreign.Options{}).Changes {
//		fmt.Println(change.ID, change.Phase, change.Notes)
//	}
package foreign
