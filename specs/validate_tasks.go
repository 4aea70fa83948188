package specs

import (
	"fmt"
	"slices"
	"strings"
)

// tasksPart checks the tasks: their ids, files, dependencies and references.
func (v *validation) tasksPart() {
	if v.missing(TasksPath, "let the tasks be written: gh agentd plan "+v.docs.ID) {
		return
	}
	file := v.docs.name(TasksPath)
	o, err := readOutline(file, v.docs.Files[TasksPath], "tasks")
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	tasks, problems, err := o.tasks()
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	v.tasks = tasks
	v.add(problems...)
	v.placeholders(o)
	switch n := len(tasks.Tasks); {
	case n == 0:
		v.report("no-tasks", file, 0, "write - [ ] 1.1 Title", "there are no tasks")
		return
	case n > maxTasks:
		v.report("too-many-tasks", file, 0, "split the change", "there are %d tasks, the limit is %d", n, maxTasks)
		return
	}
	if tasks.ID != "" && v.docs.ID != "" && tasks.ID != v.docs.ID {
		v.report("id-mismatch", file, 1, "make the two agree", "tasks say %q, the change is %q", excerptOf(tasks.ID), v.docs.ID)
	}
	v.graph(file)
	v.paths(file)
	v.references(file)
}

// graph checks ids and dependencies.
func (v *validation) graph(file string) {
	lines := map[string]int{}
	var ids []string
	for _, task := range v.tasks.Tasks {
		if earlier, twice := lines[task.ID]; twice {
			v.report("duplicate-task", file, task.Line, "give it another id", "task %s is in line %d already", task.ID, earlier)
			continue
		}
		lines[task.ID] = task.Line
		ids = append(ids, task.ID)
	}
	for _, task := range v.tasks.Tasks {
		for _, need := range task.Depends {
			if _, known := lines[need]; !known {
				v.report("unknown-dependency", file, task.Line, didYouMean(need, ids),
					"task %s depends on %q, which is not there", task.ID, excerptOf(need))
			}
		}
	}
	if _, err := v.tasks.Order(); err != nil {
		problem := Problem{Rule: "task-cycle", File: file, Message: err.Error()}
		if cycle, ok := err.(*CycleError); ok {
			problem.Line, problem.Hint = lines[cycle.Cycle[0]], cycle.Hint()
		}
		v.add(problem)
	}
}

// paths checks the files of the tasks.
func (v *validation) paths(file string) {
	spelled := map[string]string{}
	for _, task := range v.tasks.Tasks {
		if len(task.Files) == 0 {
			v.report("missing-file", file, task.Line, "write - File: `path` (MODIFY)", "task %s names no file", task.ID)
		}
		for _, f := range task.Files {
			if fault := TaskPathFault(f.Path); fault != "" {
				v.report("unsafe-path", file, task.Line, "name a file inside the repository", "task %s: path %q %s", task.ID, excerptOf(f.Path), fault)
				continue
			}
			lower := strings.ToLower(f.Path)
			if other, met := spelled[lower]; met && other != f.Path {
				v.report("path-case-clash", file, task.Line, "spell it one way",
					"task %s: path %q and %q are one file where case does not count", task.ID, f.Path, other)
			}
			spelled[lower] = f.Path
			if strings.HasPrefix(lower, "agentd/") {
				v.report("path-under-agentd", file, task.Line, "name the file that implements it",
					"task %s: %q is written by gh-agentd, not by an implementer", task.ID, f.Path)
			}
			if PathNeedsPerson(f.Path) {
				v.report("needs-person", file, task.Line, "look at it before approving", "task %s touches %s", task.ID, f.Path)
			}
		}
	}
}

// references checks that tasks refer to requirements that exist, and that each requirement has a task.
func (v *validation) references(file string) {
	covered := map[string]bool{} // "auth#R1", or "auth" for a whole spec
	affects := v.proposal == nil || v.proposal.SpecsUnstated || len(v.proposal.AffectedSpecs) > 0
	for _, task := range v.tasks.Tasks {
		if len(task.SpecRefs) == 0 && affects && len(v.specs) > 0 {
			v.report("missing-spec-ref", file, task.Line, "write - Spec: `<spec>#R1`", "task %s refers to no requirement", task.ID)
		}
		for _, ref := range task.SpecRefs {
			if ref.Spec != "" { // what cannot be read, the reader has reported
				v.reference(file, task, ref, covered)
			}
		}
	}
	for _, id := range v.specNames() {
		spec := v.specs[SpecID(id)]
		if spec == nil || covered[id] {
			continue
		}
		for _, requirement := range spec.Requirements {
			if !covered[id+"#"+normalID(requirement.ID)] && !requirement.Implicit {
				v.report("uncovered-requirement", v.docs.name(SpecID(id).Path()), requirement.Line,
					"add a task, or refer to it from one", "no task refers to requirement %s#%s", id, requirement.ID)
			}
		}
	}
}

// reference follows one reference and notes what it covers.
func (v *validation) reference(file string, task Task, ref SpecRef, covered map[string]bool) {
	spec := v.specs[ref.Spec]
	if spec == nil {
		if slices.Contains(v.opts.MainSpecs, ref.Spec) || v.affects(ref.Spec) {
			return // on the base, or missing and reported as such
		}
		v.report("broken-reference", file, task.Line, didYouMean(string(ref.Spec), v.specNames()),
			"task %s refers to the spec %q, which does not exist", task.ID, ref.Spec)
		return
	}
	if ref.Requirement == "" || spec.hasSection(ref.Requirement) {
		covered[string(ref.Spec)] = true
		return
	}
	if requirement, ok := spec.Resolve(ref.Requirement); ok {
		covered[string(ref.Spec)+"#"+normalID(requirement.ID)] = true
		return
	}
	hint := didYouMean(ref.Requirement, requirementIDs(spec))
	if hint == "" {
		hint = fmt.Sprintf("spec %q has %s", ref.Spec, excerptOf(orNone(strings.Join(requirementIDs(spec), ", "))))
	}
	v.report("broken-reference", file, task.Line, hint,
		"task %s refers to %s#%s, which does not exist", task.ID, ref.Spec, excerptOf(ref.Requirement))
}
