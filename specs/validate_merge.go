package specs

import (
	"path"
)

// tryMerge merges the change's spec with that of the base branch and reports what archiving it would meet.
// It returns the text that the other rules are about: that of the change,
// or, where that is an explicit delta, the spec that the delta makes of its base.
func (v *validation) tryMerge(file string, id SpecID, src []byte) (text []byte, delta bool) {
	if v.docs.Main == nil {
		return src, false
	}
	theirs, err := ParseParts(file, src)
	if err != nil {
		return src, false // is reported where the spec is read
	}
	main := v.docs.Main[id]
	sides := Sides{Spec: id, Theirs: theirs, Base: v.mainParts(id, main.Base), Ours: v.mainParts(id, main.Now)}
	sides = sides.met()
	if delta = theirs.isDeltaTo(sides.Base); delta {
		src = theirs.applyTo(sides.Base).parts.Bytes()
	}
	if main.Base != nil && sides.Base == nil || main.Now != nil && sides.Ours == nil {
		return src, delta // cannot be read, which is reported
	}
	v.mergeProblems(file, sides)
	return src, delta
}

// mainParts reads a spec of the base branch, nil where there is none or where it cannot be read.
func (v *validation) mainParts(id SpecID, src []byte) *Parts {
	if src == nil {
		return nil
	}
	file := path.Join("agentd", id.Path())
	p, err := ParseParts(file, src)
	if err != nil {
		v.add(unreadable(file, err))
		return nil
	}
	return p
}

// mergeProblems reports what a merge would stumble over, and what it would lose.
func (v *validation) mergeProblems(file string, sides Sides) {
	merged, err := Merge(sides)
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	for _, lost := range merged.Delta.Lost() {
		v.report("lost-scenario", file, 0, "keep it, or list it under ## REMOVED Scenarios",
			"scenario %q%s of the base branch is left out", excerptOf(lost.Title), ofRequirement(lost.Requirement))
	}
	for _, c := range merged.Conflicts {
		rule := "spec-conflict"
		if c.Kind == NoMatch {
			rule = "unmatched-delta"
		}
		v.report(rule, file, c.Line, c.Hint, "%s", c)
	}
}

func ofRequirement(id string) string {
	if id == "" {
		return ""
	}
	return " (" + id + ")"
}
