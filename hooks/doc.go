// Package hooks is our side of git's hook protocol: it puts our hooks where git runs them, takes them away,
// says what is there, and reads what git tells a hook.
//
// It owns the scripts on the disk and the words of git's input.
// It does not decide whether a push or a message is allowed, and it does not speak to git:
// where the repository keeps its hooks is told by the caller.
//
// A script of ours carries the SHA-256 of itself, so that only what nobody changed is replaced or removed,
// and nothing has to be written down elsewhere.
// A hook that was there before is renamed, never copied or edited, and called by ours;
// taking ours away gives it its name back.
// Where a hook manager owns the folder, our scripts stand in a folder of the repository,
// and the manager's files call them: see [Call].
//
//	place := hooks.Find(hooks.Facts{CommonDir: common, WorkTree: top, Dir: dir})
//	done, err := hooks.Install(place.Dir, hooks.Script{Hook: hooks.PrePush, Program: "/usr/bin/gh-agentd"})
//	updates, err := hooks.ParsePush(os.Stdin)
package hooks
