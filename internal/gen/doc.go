// Package main makes the files that are made from code: docs/phases.md, docs/checks.md and docs/faults.md,
// and what makes this repository a plugin of Claude Code: .claude-plugin, commands and skills.
//
// It owns the form of the documents. What stands in them belongs to others:
// the transitions and the rules to package phases, the fault rows to internal/arch/testdata/faults.txt and to the names of tests,
// the texts of commands and skills to package templates.
//
//	go generate ./...
//
// It also cuts GitHub's description of its API for package githubtest, which is done by hand: openapi.go says how.
//
// A test here fails when a document is stale.
package main
