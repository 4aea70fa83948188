package specs

import "time"

// Proposal says what a change is for, and which specs it affects.
type Proposal struct {
	ID            string
	Version       int // counts the rewritings, from 1
	CreatedAt     time.Time
	UpdatedAt     time.Time
	Author        string // who wrote this version: an agent or a person
	Status        string // proposed, challenged, approved or rejected; a note for readers, the history decides
	Iteration     int
	Summary       string
	Why           string
	WhatChanges   []string
	Impact        Impact
	AffectedSpecs []AffectedSpec
	SpecsUnstated bool // neither front matter nor Impact says which specs are affected
	Dependencies  Dependencies
	Risks         []Risk
	Reviews       []ReviewBlock
}

// Impact is what a proposal expects its change to touch.
type Impact struct {
	Scope           string // patch, minor or major; other text is kept and reported
	AffectedFiles   int
	NewFiles        int
	AffectedCode    []string
	BreakingChanges string
}

// AffectedSpec is one spec that a change adds or rewrites.
type AffectedSpec struct {
	ID      SpecID
	Path    string   // relative to the change folder
	Depends []SpecID // specs that must be written before this one
}

// Dependencies are what a proposal needs from elsewhere.
type Dependencies struct {
	External []ExternalDependency
	Internal []string
}

// ExternalDependency is a library or service with the version that is needed.
type ExternalDependency struct {
	Name    string
	Version string
}

// Risk is something that may go wrong with a change.
type Risk struct {
	Severity    string
	Category    string
	Description string
}

// ReviewBlock is an old form of challenge, kept inside proposal.md behind its text.
type ReviewBlock struct {
	Iteration int
	Reviewer  string
	Status    string // needs_revision, approved, rejected or resolved
	Text      string
}
