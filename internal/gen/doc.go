// Package main makes the documents that are made from code: docs/phases.md and docs/faults.md.
//
// It owns their form. What stands in them belongs to others:
// the transitions to package phases, the fault rows to internal/arch/testdata/faults.txt and to the names of tests.
//
//	go generate ./...
//
// A test here fails when a document is stale.
package main
