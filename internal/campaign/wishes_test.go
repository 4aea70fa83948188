//go:build linux

package campaign

import (
	"fmt"
	"slices"
	"strings"
)

// demand writes a requirement with a scenario.
func demand(id, title, words string) string {
	return fmt.Sprintf("### %s: %s\n\n```yaml\nid: %[1]s\npriority: high\n```\n\n%[3]s\n\n#### Scenario: %[2]s happens\n\n- **WHEN** somebody asks\n- **THEN** it is so\n", id, title, words)
}

// document writes a spec.
func document(id string, demands ...string) string {
	return fmt.Sprintf("---\nid: %[1]s\ntype: spec\ntitle: %[1]s\nversion: 1\n---\n\n# Specification: %[1]s\n\n## Overview\n\nWhat %[1]s is about.\n\n## Requirements\n\n%[2]s",
		id, strings.Join(demands, "\n"))
}

// The specs that all of the twenty begin with.
func beginnings() []wish {
	return []wish{
		{id: "begin-greeting", spec: "greeting", code: "src/greeting.txt", edit: says(document("greeting",
			demand("R1", "Hello", "Say hello."), demand("R2", "Goodbye", "Say goodbye."), demand("R3", "Silence", "Say nothing at night."),
			demand("R4", "Names", "Say the name."), demand("R5", "Languages", "Speak two languages."), demand("R6", "Weather", "Speak of the weather."),
		))},
		{id: "begin-billing", spec: "billing", code: "src/billing.txt", edit: says(document("billing",
			demand("R1", "Prices", "Prices have two digits."), demand("R2", "Taxes", "Taxes are told."),
			demand("R3", "Currency", "The currency is the crown."), demand("R4", "Due", "It is due in a month."),
		))},
		{id: "begin-legacy", spec: "legacy", edit: says(document("legacy", demand("R1", "Fax", "It can be faxed.")))},
	}
}

const newDemand = "## ADDED Requirements\n\n"

// wanted are the changes that are played: all twenty, or a few of every kind.
func wanted() []wish {
	if full() {
		return twenty()
	}
	return slices.DeleteFunc(twenty(), func(w wish) bool { return !w.often })
}

// twenty changes: of every kind, some of which collide with one other.
func twenty() []wish {
	return []wish{
		{id: "c01-louder", spec: "greeting", edit: replace("Say hello.", "Say HELLO.")},
		{id: "c02-longer", spec: "greeting", edit: replace("Say goodbye.", "Say a long goodbye."), code: "src/longer.txt"},
		{id: "c03-night", spec: "greeting", edit: func(text string) string {
			return replace(demand("R3", "Silence", "Say nothing at night.")+"\n", "")(text)
		}},
		{id: "c04-rename", spec: "greeting", edit: replace("### R4: Names", "### R4: Full names", "#### Scenario: Names happens", "#### Scenario: Names happen")},
		{id: "c05-wave", spec: "greeting", edit: func(text string) string { return text + "\n" + demand("R8", "Wave", "Wave a hand.") }, code: "src/wave.txt"},
		{often: true, id: "c06-bow", spec: "greeting", edit: func(text string) string { return text + "\n" + demand("R7", "Bow", "Bow a little.") }},
		{id: "c07-overview", spec: "greeting", edit: replace("What greeting is about.", "How people are greeted.")},
		{id: "c08-tongues", spec: "greeting", edit: func(text string) string {
			return replace("#### Scenario: Languages happens\n", "#### Scenario: A third one\n\n- **WHEN** somebody asks in a third\n- **THEN** it is tried\n\n#### Scenario: Languages happens\n")(text)
		}},
		{often: true, id: "c09-rain", spec: "greeting", edit: replace("Speak of the weather.", "Speak of the rain.")}, // collides with the next
		{often: true, id: "c10-shine", spec: "greeting", edit: replace("Speak of the weather.", "Speak of the sun.")}, // collides with the one before
		{often: true, id: "c11-cents", spec: "billing", edit: says("## MODIFIED Requirements\n\n" + demand("R1", "Prices", "Prices have three digits."))},
		{id: "c12-untaxed", spec: "billing", edit: says("## REMOVED Requirements\n\n### R2: Taxes\n")},
		{id: "c13-euro", spec: "billing", edit: replace("The currency is the crown.", "The currency is the euro."), code: "src/euro.txt"}, // collides with the next
		{id: "c14-barter", spec: "billing", edit: says("## REMOVED Requirements\n\n### R3: Currency\n")},                                  // collides with the one before
		{id: "c15-refunds", spec: "billing", edit: says(newDemand + demand("R5", "Refunds", "Money comes back."))},
		{id: "c16-stamps", spec: "billing", edit: says(newDemand + demand("R6", "Stamps", "There are stamps."))},
		{id: "c17-search", spec: "search", edit: says(document("search", demand("R1", "Find", "It is found."))), code: "src/search.txt"},
		{often: true, id: "c18-no-fax", spec: "legacy", edit: says("## REMOVED Requirements\n\n### R1: Fax\n")}, // retires the spec
		{id: "c19-tidy", code: "src/tidy.txt"},
		{id: "c20-waves", spec: "greeting", edit: replace("Speak two languages.", "Speak many languages."), on: "c05-wave"},
	}
}
