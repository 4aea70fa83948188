package specs

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// The files of a plan, relative to the change folder. Specs are at [SpecID.Path].
const (
	ProposalPath       = "proposal.md"
	TasksPath          = "tasks.md"
	ClarificationsPath = "clarifications.md"
)

// ChangeDocs are the documents of one change, as bytes.
type ChangeDocs struct {
	ID    string
	Dir   string            // the change folder as problems name it; "" means agentd/changes/<ID>
	Files map[string][]byte // by path relative to the change folder; others than the plan's are ignored

	// Main are the specs of the base branch, for those that the change has or had.
	// Nil means that they are not known: then the validation does not try to merge.
	Main map[SpecID]MainSpec
}

// MainSpec is one spec of the base branch; nil is a spec that is not there.
type MainSpec struct {
	Base []byte // at the merge base: what the change began with
	Now  []byte // at the tip of the base branch
}

// Artefact is a document of the plan and the step that writes it.
type Artefact struct {
	Step     phases.Step
	Spec     SpecID   // of a spec's artefact
	Path     string   // relative to the change folder
	Problems Problems // why the document that is there does not count; nil where there is none
}

// PlanPaths reports whether a path relative to the change folder belongs to the plan,
// the part of a change that a challenge reads and an approval is bound to.
func PlanPaths(name string) bool {
	switch name {
	case ProposalPath, TasksPath, ClarificationsPath:
		return true
	}
	return strings.HasPrefix(name, "specs/") && len(name) > len("specs/")
}

// Complexity says how demanding a change is, by which agents choose their models: low, medium, high or critical.
func Complexity(specs, tasks int) string {
	switch n := specs + tasks; {
	case n <= 4:
		return "low"
	case n <= 10:
		return "medium"
	case n <= 20:
		return "high"
	default:
		return "critical"
	}
}

// NextArtefact returns the first document of the plan that is still missing:
// the proposal, then the specs it affects, each after those it depends on, then the tasks.
// An empty file and an unfilled skeleton are missing too.
// A proposal that is there but cannot be used comes back with its problems: nothing may be written on top of it.
// It reports false when nothing is missing.
func NextArtefact(d ChangeDocs) (Artefact, bool) {
	proposal := Artefact{Step: phases.StepProposalGen, Path: ProposalPath}
	if d.missing(ProposalPath) {
		return proposal, true
	}
	order, problems := d.SpecOrder()
	if problems.HasHigh() {
		proposal.Problems = problems
		return proposal, true
	}
	for _, id := range order {
		if d.missing(id.Path()) {
			return Artefact{Step: phases.SpecGen(string(id)), Spec: id, Path: id.Path()}, true
		}
	}
	if d.missing(TasksPath) {
		return Artefact{Step: phases.StepTasksGen, Path: TasksPath}, true
	}
	return Artefact{}, false
}

// SpecOrder returns the specs that the change affects, each after those it depends on and otherwise as the proposal lists them.
// Where the proposal does not say, they are the specs that are there.
// The problems are High if the proposal cannot be used.
func (d ChangeDocs) SpecOrder() ([]SpecID, Problems) {
	file := d.name(ProposalPath)
	proposal, problems, err := ParseProposal(file, d.Files[ProposalPath])
	if err != nil {
		return nil, Problems{unreadable(file, err)}
	}
	order, cycle := d.order(proposal)
	return order, append(problems, cycle...)
}

// order sorts the specs that a proposal affects. A cycle among them is the only problem.
func (d ChangeDocs) order(proposal *Proposal) ([]SpecID, Problems) {
	if proposal.SpecsUnstated {
		return d.specFiles(), nil
	}
	var ids []string
	needs := map[string][]string{}
	for _, affected := range proposal.AffectedSpecs {
		ids = append(ids, string(affected.ID))
		for _, need := range affected.Depends {
			needs[string(affected.ID)] = append(needs[string(affected.ID)], string(need))
		}
	}
	order, cycle := topological(ids, needs)
	if cycle != nil {
		err := &CycleError{What: "specs", Cycle: cycle}
		return nil, Problems{{Rule: "spec-cycle", Severity: High, File: d.name(ProposalPath), Message: err.Error(), Hint: err.Hint()}}
	}
	specs := make([]SpecID, 0, len(order))
	for _, id := range order {
		specs = append(specs, SpecID(id))
	}
	return specs, nil
}

// specFiles returns the ids of the specs that are there, in the order of their names.
func (d ChangeDocs) specFiles() []SpecID {
	var ids []SpecID
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		if id, err := specIDFromPath(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// name returns the path of a document as problems name it.
func (d ChangeDocs) name(file string) string {
	dir := d.Dir
	if dir == "" {
		dir = path.Join("agentd/changes", d.ID)
	}
	return path.Join(dir, file)
}

// missing reports whether a document is not there, or is there without anything in it.
func (d ChangeDocs) missing(name string) bool {
	src, there := d.Files[name]
	return !there || isEmptyDocument(src)
}

// isEmptyDocument reports a document without text, or with nothing but headings and placeholders.
// What cannot be read is not empty: somebody has to look at it.
func isEmptyDocument(src []byte) bool {
	if len(bytes.TrimSpace(src)) == 0 {
		return true
	}
	text, err := readable("", src)
	if err != nil {
		return false
	}
	front, err := splitFrontmatter("", text)
	if err != nil {
		return false
	}
	held := false
	at := front.body
	for span := range outsideFences(text, front.body) {
		if span.start != at {
			return false // a fence is text
		}
		at = span.end
		line := strings.TrimSpace(string(text[span.start:span.end]))
		switch {
		case holdsPlaceholder(line):
			held = true
		case line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "<"):
			return false // most documents end this here, on their first lines
		}
	}
	if at != len(text) {
		return false
	}
	return held || !front.present || len(parseBlocks(bytes.Clone(text[front.body:]))) == 0
}
