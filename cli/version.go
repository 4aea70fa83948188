package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Show the version of this program",
		Example: a.text(`$ gh agentd version`),
		Args:    withArgs(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.streams.out, versionLine())
			return err
		},
	}
	exitCodes(cmd)
	return cmd
}

func versionLine() string {
	return fmt.Sprintf("gh-agentd %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is what the build recorded: a tag for a released program, else the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, changed := builtFrom(info)
	if commit == "" {
		return "devel"
	}
	v := "devel-" + commit[:min(len(commit), 12)]
	if changed {
		v += "+changes"
	}
	return v
}

// builtFrom is the commit that was checked out where the program was built, "" where the build did not record it,
// and whether there were changes beside it.
func builtFrom(info *debug.BuildInfo) (commit string, changed bool) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return commit, changed
}
