package specs

import "time"

// Tasks is the breakdown of a change into pieces of work, in the order of the document.
type Tasks struct {
	ID          string
	Version     int
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ProposalRef string
	Tasks       []Task
}

// Task is one piece of work.
type Task struct {
	ID          string // "1.1": the number of its layer and its number in there
	Layer       string // data, logic, integration, testing, or the heading of an older document's group
	Title       string
	Files       []TaskFile
	SpecRefs    []SpecRef
	Description string
	Depends     []string // ids of tasks
	Notes       []TaskNote
	Line        int
}

// TaskFile is a file that a task will touch.
type TaskFile struct {
	Path   string
	Action string // CREATE, MODIFY, DELETE, RENAME, or "" where the document does not say
}

// TaskNote is a labelled remark of an older document, such as Verify or Input.
type TaskNote struct {
	Label string
	Text  string
}

// SpecRef points from a task to a requirement, or to a whole spec.
type SpecRef struct {
	Spec        SpecID
	Requirement string // an id, or the anchor as the document has it; "" for the whole spec
	Raw         string // as written
}
