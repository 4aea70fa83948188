// Package cli is the command line of gh-agentd: flags become one typed request, one workflow runs it,
// its result is rendered, and its error becomes a text, a hint and an exit code.
//
// It owns the command tree, the wiring of everything below, tables, JSON, prompts, progress and the error table.
// It decides nothing about changes: what two surfaces need is in package workflow.
// Nothing here touches the process: arguments, streams, environment and time come in an [Env],
// so that a test runs the whole program as a function.
//
// Answers go to standard output, everything else to standard error.
//
//	code := cli.Main(ctx, cli.Env{
//		Args: []string{"gh-agentd", "list", "--json", "change,phase"},
//		In:   strings.NewReader(""), Out: &out, Err: &errs,
//		Environ: os.Environ(), Dir: dir, Executable: exe, Now: time.Now,
//	})
package cli
