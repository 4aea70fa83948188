// Package main measures the program against the least that anybody could need: an empty Go program, and git by itself.
// Archiving is also measured against OpenSpec, where that is installed.
//
// It owns the generated repositories and the table of ratios. It asserts nothing:
// times depend on the machine, and what is asserted about speed is asserted by tests that count processes.
//
//	go run ./internal/bench                 # everything, in a temporary folder
//	go run ./internal/bench -only startup   # startup, read, append, push, archive, conflicts or why
//	go run ./internal/bench -only archive -openspec node_modules/.bin/openspec
//	go run ./internal/bench -changes 100 -files 400 -runs 5
package main
