// Package arch checks the house: who may import whom, who owns which neighbour, which words are not used,
// and whether the documents that are made from code are fresh.
//
// It holds tests only, and nobody imports it. It does not check behaviour.
// A rule here is a decision: when one is in the way, change the decision in docs/decisions.md, then the table.
//
//	go test ./internal/arch
package arch
