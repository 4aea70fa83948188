package specs

import "time"

// Spec says what one part of the system must do.
type Spec struct {
	ID           SpecID
	Title        string
	Version      int
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ArchivedAt   time.Time
	Overview     string
	Requirements []Requirement
	Scenarios    []Scenario
	FlowDiagram  string    // the mermaid text, without its fence
	Sections     []Section // what else stands under headings of level two, in order
}

// Requirement is one thing that must hold.
type Requirement struct {
	ID          string // R1, or with a prefix WF-R1
	Title       string
	Description string
	Priority    string // high, medium, low, or "" where the spec does not say
	Implicit    bool   // derived from an acceptance criterion, in a spec without requirements
	Line        int
	Start, End  int // the block in the source, in bytes: from its heading to the next one that is not below it
}

// Scenario is one example by which requirements are checked.
type Scenario struct {
	Name        string
	Requirement string // id of the requirement it belongs to, "" for the spec as a whole
	Given       []string
	When        []string
	Then        []string
	Line        int
	Start, End  int // the block in the source, in bytes
}

// Section is a part of a spec that only readers need, such as a data model.
type Section struct {
	Title string
	Text  string
}
