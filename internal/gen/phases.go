package main

import (
	"bytes"
	"fmt"

	"github.com/agentd/gh-agentd/phases"
)

// phasesPage is the transition table as a reader of the documentation wants it.
func phasesPage() []byte {
	var b bytes.Buffer
	b.WriteString(warning("phases.Table()"))
	b.WriteString(`# Phases

What may happen to a change, and what it needs.
A commit that is not in this table is illegal: the program does not write it, and replay names it.
The code reads the same table.

| From | Event | Needs | To |
|---|---|---|---|
`)
	last := phases.Archived + 1
	for _, row := range phases.Table() {
		from := ""
		if row.From != last {
			from, last = row.From.String(), row.From
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", from, row.Event, row.Needs, row.To)
	}
	b.WriteString(`
Edits, notes, repairs, validations and self-reviews confirm the phase in which they find the change.

The *recorded* phase is what the last transition says.
The *effective* phase is the recorded one, lowered where an approval no longer holds the content:
with another plan tree it is proposed, and complete with another code tree is implementing.
Commands decide by the effective phase, and the next commit's Agentd-From names it.
`)
	return b.Bytes()
}
