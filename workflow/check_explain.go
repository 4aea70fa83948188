package workflow

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// explainSpecs holds every spec that a step changes against the records that came with it, and the other way round:
// a record has to come with what it says, and to go with it.
func (k *checking) explainSpecs(before, after gitops.ID, records []filed) error {
	differs, err := k.changed(before, after, specsDir)
	if err != nil {
		return err
	}
	open := map[string][]specs.ArchivedSpec{} // by path
	for _, r := range records {
		for _, s := range r.specs {
			path := string(s.ID) + ".md"
			open[path] = append(open[path], s)
		}
	}
	for _, c := range differs {
		told := open[c.Path]
		delete(open, c.Path)
		ok := explains(told, string(c.OldID), string(c.NewID))
		if !ok && len(told) == 1 {
			if ok, err = k.takesBack(records, c); err != nil {
				return err
			}
		}
		if !ok || !c.NewID.IsZero() && c.NewMode != gitops.ModeFile {
			k.trunkViolated("", after, specsDir+"/"+c.Path, phases.RuleSpecUnexplained,
				fmt.Sprintf("commit %s changes %s/%s on %s, and no archive record explains it", short(after), specsDir, c.Path, k.trunk.Branch))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(open)) {
		there, err := blobAt(k.auditor.Objects(), after, specsDir+"/"+path)
		if err != nil {
			return err
		}
		if !explains(open[path], string(there), string(there)) {
			k.trunkViolated("", after, specsDir+"/"+path, phases.RuleSpecUnexplained,
				fmt.Sprintf("commit %s does not do to %s/%s what the archive record says that came or went with it", short(after), specsDir, path))
		}
	}
	return nil
}

// takesBack reports whether a step changes a spec as taking one archive back does that others have followed.
func (k *checking) takesBack(records []filed, c gitops.FileChange) (bool, error) {
	objects := k.auditor.Objects()
	for _, r := range records {
		if !r.gone {
			continue
		}
		for _, s := range r.specs {
			if string(s.ID)+".md" != c.Path {
				continue
			}
			now, err := blobText(objects, c.OldID)
			if err != nil {
				return false, err
			}
			then, err := blobText(objects, c.NewID)
			if err != nil {
				return false, err
			}
			undo := specMerge{id: s.ID, ours: c.OldID, oursText: now, base: gitops.ID(s.Before)} // told the other way round
			merged, err := undo.back(objects, gitops.ID(s.After))
			if err == nil && len(merged.Conflicts) == 0 && merged.Gone == (then == nil) && bytes.Equal(merged.Text, then) {
				return true, nil
			}
		}
	}
	return false, nil
}

// explains reports whether the records of a spec, each of them once and in whatever order they landed, lead from one blob to another.
func explains(records []specs.ArchivedSpec, from, to string) bool {
	if len(records) == 0 {
		return from == to
	}
	for i, s := range records {
		if s.Before == from && explains(slices.Delete(slices.Clone(records), i, i+1), s.After, to) {
			return true
		}
	}
	return false
}
