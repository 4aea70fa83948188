//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

func cmdTTY(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there are no pseudo-terminals on this system: begin the script with [windows] skip")
}
