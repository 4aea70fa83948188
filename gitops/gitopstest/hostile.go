package gitopstest

import (
	"os"
	"path/filepath"
)

// hostile is everything in a user's configuration that changes what git prints, or writes, for people.
const hostile = `
[alias]
	commit-tree = !false
	for-each-ref = !false
[color]
	ui = always
[commit]
	cleanup = strip
[core]
	abbrev = 4
	commentChar = A
	pager = false
	quotePath = true
[diff]
	external = false
	ignoreSubmodules = all
	mnemonicPrefix = true
	noprefix = true
	renames = copies
[fetch]
	prune = true
	writeCommitGraph = true
[format]
	pretty = oneline
[i18n]
	commitEncoding = ISO-8859-1
	logOutputEncoding = ISO-8859-1
[log]
	date = relative
	showSignature = true
[merge]
	autoStash = true
	conflictStyle = diff3
	renames = false
	stat = true
[pager]
	status = true
	for-each-ref = true
[push]
	default = nothing
[rebase]
	autoStash = true
[status]
	branch = true
	renames = copies
	short = true
	showStash = true
	showUntrackedFiles = no
[trailer]
	separators = "="
[trailer "phase"]
	key = "Agentd-Phase= "
[worktree]
	guessRemote = true
`

// Hostile gives the repository's user such a configuration.
func (r *Repo) Hostile() {
	r.t.Helper()
	path := filepath.Join(r.Home, ".gitconfig")
	config, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	writeFile(r.t, path, string(config)+hostile)
}
