package cli

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// Env is everything a run gets from its process.
type Env struct {
	Args       []string // as in os.Args: the program's name comes first
	In         io.Reader
	Out, Err   io.Writer
	Environ    []string         // KEY=value
	Dir        string           // working directory, absolute
	Executable string           // path of this program: what hooks, agents and replay call back
	Now        func() time.Time // required
	// Force, once closed, ends agents at once instead of gently. It only matters after ctx is cancelled. May be nil.
	Force <-chan struct{}
	// AtCommit, where set, is told of the instants right before and after a commit of ours becomes visible
	// (see changes.Store.AtCommit). Crash tests end the process there; main leaves it nil.
	AtCommit func(point string)
}

// Main runs one command line and returns its exit code.
// Cancelling ctx stops the command, its agents included; it then returns ExitInterrupted.
func Main(ctx context.Context, env Env) int {
	app := newApp(env)
	root := newRootCommand(app)
	args := env.Args
	if len(args) > 0 {
		args = args[1:]
	}
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(app.streams.out)
	root.SetErr(env.Err)

	cmd, err := root.ExecuteContextC(ctx)
	app.progress.close(err)
	if err == nil {
		err = app.streams.out.err
	}
	return app.report(ctx, cmd, err)
}

// programName is how the person calls us, for help and hints.
// gh starts an extension by its path in a folder extensions/gh-agentd.
func programName(env Env) string {
	paths := []string{env.Executable}
	if len(env.Args) > 0 {
		paths = append(paths, env.Args[0])
	}
	for _, path := range paths {
		folder := filepath.Dir(path)
		if filepath.Base(folder) == "gh-agentd" && filepath.Base(filepath.Dir(folder)) == "extensions" {
			return extensionName
		}
	}
	if len(env.Args) == 0 || env.Args[0] == "" {
		return "gh-agentd"
	}
	return strings.TrimSuffix(filepath.Base(env.Args[0]), ".exe")
}

// extensionName is how the lower layers write commands in their hints.
const extensionName = "gh agentd"

// getenv looks a variable up in the environment of the run; the last one wins, as for a process.
func (e Env) getenv(key string) string {
	value := ""
	for _, entry := range e.Environ {
		if rest, ok := strings.CutPrefix(entry, key+"="); ok {
			value = rest
		}
	}
	return value
}
