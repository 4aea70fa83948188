package gitops

import (
	"context"
	"strconv"
	"strings"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Floor is the oldest git that we work with: the first one with `merge-tree --write-tree` and `cat-file -z`.
const Floor = "2.38"

// checkVersion runs beside the first question to git, so that it costs no time.
func checkVersion(ctx context.Context, program string, env Env) error {
	res, err := proc.Run(ctx, proc.Cmd{Path: program, Args: []string{"version"}, Dir: env.Dir, Env: env.Environ})
	if err != nil {
		return err
	}
	have := versionOf(string(res.Stdout))
	if older(have, Floor) {
		return &VersionError{Have: have, Need: Floor}
	}
	return nil
}

// versionOf takes the number out of "git version 2.39.5 (Apple Git-154)".
func versionOf(said string) string {
	words := strings.Fields(said)
	if len(words) < 3 || words[0] != "git" || words[1] != "version" {
		return strings.TrimSpace(said)
	}
	return words[2]
}

// older compares the first two numbers. What is not a number is old.
func older(have, need string) bool {
	for n := range 2 {
		h, w := number(have, n), number(need, n)
		if h != w {
			return h < w
		}
	}
	return false
}

func number(version string, n int) int {
	parts := strings.Split(version, ".")
	if n >= len(parts) {
		return 0
	}
	value, err := strconv.Atoi(parts[n])
	if err != nil {
		return -1
	}
	return value
}
