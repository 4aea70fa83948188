package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestOwnPin_isTheCommitThatTheProgramIs(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, row := range []struct {
		name, version, revision, modified, want, wrong string
	}{
		{"a release", "v1.2.3", commit, "false", "agentd/gh-agentd@" + commit + " # v1.2.3", ""},
		{"a commit", "v1.2.4-0.20261121120000-0123456789ab", commit, "false", "agentd/gh-agentd@" + commit, ""},
		{"a commit with changes", "v1.2.3+dirty", commit, "true", "", "changes that are in no commit"},
		{"a module from the proxy", "v1.2.3", "", "", "", "does not know the commit"},
		{"a SHA-256 repository", "(devel)", strings.Repeat("ab", 32), "false", "", "does not know the commit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: row.revision}, {Key: "vcs.modified", Value: row.modified}}}
			info.Main.Version = row.version
			pin, err := ownPin(info)
			switch {
			case row.wrong != "":
				if err == nil || !strings.Contains(err.Error(), row.wrong) {
					t.Errorf("got %v, %v, want an error with %q", pin, err, row.wrong)
				}
			case err != nil || pin.String() != row.want:
				t.Errorf("got %v, %v, want %s", pin, err, row.want)
			}
		})
	}
}
