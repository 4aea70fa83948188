package main

import (
	"bytes"
	"fmt"

	"github.com/agentd/gh-agentd/phases"
)

// checksPage lists the rules of the verifier for whoever was refused by one.
func checksPage() []byte {
	var b bytes.Buffer
	b.WriteString(warning("phases.Rules()"))
	b.WriteString(`# Checks

The rules that ` + "`gh agentd check`" + `, the pre-push hook and the required check on GitHub hold histories against.
They are one function, so that each says the same words; a violation ends with exit code 11.
The code reads the same list.

What they prove is that a history is consistent. Who wrote it is proved only by signatures, where the policy asks for them.
The policy is read from the base branch, never from what is judged. A shallow clone is deepened with ` + "`--deepen`" + `, or refused.
`)
	var on phases.Place
	for _, rule := range phases.Rules() {
		if rule.On != on {
			on = rule.On
			fmt.Fprintf(&b, "\n## Rules for %s\n\n| Rule | What it wants |\n|---|---|\n", on)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", rule.Name, rule.Wants)
	}
	return b.Bytes()
}
