package foreign

import (
	"fmt"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// home is the change that brings the main specs of elsewhere, and keeps what was archived there.
// Nobody has approved them here, so they come as a proposal of their own like everything else.
type home struct {
	*draft
	specs []specs.AffectedSpec
	kept  int // files of history
}

func newHome(format Format, folder string) *home {
	return &home{draft: newDraft(format, folder, format.HomeChange(), Tree{})}
}

// spec takes a main spec; file is its path below the folder of the format.
func (h *home) spec(file, name string, src []byte, wrapper string) {
	id, ok := h.specID(name, file)
	if !ok {
		return
	}
	h.src[file] = src
	h.put(id.Path(), specs.Plain(src, wrapper), file)
	h.whole[file] = true
	h.specs = append(h.specs, specs.AffectedSpec{ID: id, Path: id.Path()})
}

// keep takes the files of an archived change as they are; at is its folder below that of the format.
func (h *home) keep(c *Change, at string, files Tree) {
	if len(h.src)+len(files) > mostFiles {
		c.note("it stays where it is: %s keeps at most %d files of history", h.ID, mostFiles)
		return
	}
	h.kept += len(files)
	c.Into = h.ID
	for _, name := range files.paths() {
		h.src[join(at, name)] = files[name]
		h.put(join(historyFolder, c.Name, name), files[name], join(at, name))
		h.whole[join(at, name)] = true
	}
}

// add takes the change of a home in, unless nothing belongs into it.
func (c *Collection) add(h *home) {
	if len(h.specs)+h.kept > 0 {
		c.Changes = append(c.Changes, h.finish())
	}
}

// finish writes the proposal of the change, in our words: its tree has none.
func (h *home) finish() Change {
	p := specs.Proposal{
		ID: h.ID, Version: 1, Author: "import", Status: phases.Proposed.String(), Iteration: 1,
		Summary: fmt.Sprintf("Keep what was archived with %s.", h.Format),
		Why:     "The record of what was done before should not be lost.",
		Impact:  specs.Impact{Scope: "minor"}, AffectedSpecs: h.specs,
	}
	if len(h.specs) > 0 {
		p.Summary = fmt.Sprintf("Take over %s of %s.", count(len(h.specs), "main spec"), h.Format)
		p.Why = "They were written with another tool, and nobody has approved them in this record. With this change they become specs of this project."
	}
	for _, s := range h.specs {
		p.WhatChanges = append(p.WhatChanges, fmt.Sprintf("Spec `%s` is added as it stands.", s.ID))
	}
	if h.kept > 0 {
		p.WhatChanges = append(p.WhatChanges, fmt.Sprintf("%s of archived changes stay readable below `%s/`. They are history, and nothing here approves them.",
			count(h.kept, "file"), historyFolder))
	}
	h.Title, h.Description = p.Summary, p.Summary
	h.Files[specs.ProposalPath] = p.Markdown()
	return h.draft.finish()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
