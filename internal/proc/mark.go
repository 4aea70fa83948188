package proc

import (
	"crypto/rand"
	"slices"
	"strings"
)

// MarkVariable is in the environment of every program that we start.
// For a supervised run its value is random, and whoever left the process group is found by it;
// in a run inside a run it lists both, separated by commas.
// For all others it is "-", which says: ours, but of no run. What they leave in the background,
// such as git's own maintenance, is nobody's to end.
const MarkVariable = "AGENTD_RUN_MARK"

const noRun = "-"

// Mark adds a fresh mark to an environment: what is started with it, and whatever comes of that, can be found by it.
func Mark(env []string) (mark string, out []string) {
	mark = rand.Text()
	value := mark
	out = make([]string, 0, len(env)+1)
	for _, entry := range env {
		outer, ok := strings.CutPrefix(entry, MarkVariable+"=")
		if ok && outer != noRun {
			value = outer + "," + mark
		}
		if !ok {
			out = append(out, entry)
		}
	}
	return mark, append(out, MarkVariable+"="+value)
}

// ownEnv adds the mark of no run, unless the program belongs to one.
func ownEnv(env []string) []string {
	has := func(entry string) bool { return strings.HasPrefix(entry, MarkVariable+"=") }
	if slices.ContainsFunc(env, has) {
		return env
	}
	return append(env[:len(env):len(env)], MarkVariable+"="+noRun)
}
