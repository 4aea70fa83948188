// Package ttytest runs programs on terminals of their own and talks to them as a person does,
// for tests of what only a terminal shows: prompts, live lines, keys.
//
//	terminal, err := ttytest.Start(cmd)
//	terminal.Await("Proceed?")
//	terminal.AwaitKeys()
//	terminal.Type(ttytest.Down + ttytest.Enter)
//	err = cmd.Wait()
//	shown := terminal.Close()
//
// There are pseudo-terminals on Unix only; elsewhere the package is empty.
package ttytest
