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
	if proposal.SpecsUnstated {
		return d.specFiles(), problems
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
		return nil, append(problems, Problem{Rule: "spec-cycle", Severity: High, File: file, Message: err.Error(), Hint: err.Hint()})
	}
	specs := make([]SpecID, 0, len(order))
	for _, id := range order {
		specs = append(specs, SpecID(id))
	}
	return specs, problems
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
	o, err := readOutline("", src, "")
	if err != nil {
		return false
	}
	held := map[int]bool{}
	for _, line := range o.placeholders() {
		held[line] = true
	}
	for offset := o.front.body; offset < len(o.src); {
		end := lineEnd(o.src, offset)
		line := strings.TrimSpace(string(o.src[offset:end]))
		number := o.line(offset)
		offset = end
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<") || held[number] {
			continue
		}
		return false
	}
	return len(held) > 0 || !o.front.present || len(o.blocks) == 0
}
