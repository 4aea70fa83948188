package foreign

import (
	"path"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// agentd reads the folder that agentd keeps: open changes, an archive in either layout, and main specs.
// In its own repository the archive and the specs are where they belong already.
func (c *Collection) agentd(t Tree, folder string, o Options) {
	src := t.below(folder)
	for _, name := range src.below("changes").folders() {
		at := join("changes", name)
		if o.InPlace && ours(src.below(at)) {
			continue
		}
		c.Changes = append(c.Changes, agentdChange(join(folder, at), name, src.below(at)))
	}
	home := newHome(Agentd, folder)
	for _, name := range src.below("archive").folders() {
		at := join("archive", name)
		if nested := src.below(at).folders(); !src.has(at+"/STATE.yaml") && len(nested) == 1 && src.has(join(at, nested[0], "STATE.yaml")) {
			at = join(at, nested[0]) // archive/<date>-<id>/<id>/
		}
		if o.InPlace && ours(src.below(at)) {
			continue
		}
		change := archivedAgentd(join(folder, at), name, src.below(at))
		if !o.InPlace {
			home.keep(&change, at, src.below(at))
		}
		c.Changes = append(c.Changes, change)
	}
	if o.InPlace {
		return
	}
	main := src.below("specs")
	for _, name := range main.paths() {
		switch {
		case strings.Contains(name, "/"), path.Ext(name) != ".md", strings.HasPrefix(name, "_"), !specs.IsSpec(main[name]):
		default:
			home.spec(join("specs", name), strings.TrimSuffix(name, ".md"), main[name], "spec")
		}
	}
	c.add(home)
}

// ours reports a change that this program keeps: its STATE.yaml has the journal of its commits.
func ours(files Tree) bool {
	state, _, err := specs.ParseState(specs.StateFile, files[specs.StateFile])
	return err == nil && len(state.Transitions) > 0
}

// agentdChange reads an open change. Its documents are in our form, so every word stays as it is.
func agentdChange(folder, name string, files Tree) Change {
	d := newDraft(Agentd, folder, name, files)
	if d.Err != nil {
		return d.finish()
	}
	for _, doc := range []struct{ name, wrapper string }{
		{specs.ProposalPath, "proposal"}, {specs.TasksPath, "tasks"}, {specs.ClarificationsPath, ""},
	} {
		if files.has(doc.name) {
			d.document(doc.name, doc.name, doc.wrapper)
		}
	}
	for _, file := range files.below("specs").paths() {
		d.agentdSpec(file)
	}
	d.describe()
	d.judge(agentdRecord(files))
	return d.finish()
}

// document takes a document over as it stands, unless nobody has written it yet.
func (d *draft) document(from, to, wrapper string) {
	if specs.IsEmpty(d.src[from]) {
		d.note("%s is empty, or a skeleton that nobody filled in: left out", from)
		return
	}
	d.put(to, specs.Plain(d.src[from], wrapper), from)
	d.whole[from] = true
}

func (d *draft) agentdSpec(file string) {
	from := join("specs", file)
	if strings.HasPrefix(file, "_") || path.Ext(file) != ".md" || strings.Contains(file, "/") {
		return
	}
	if id, ok := d.specID(strings.TrimSuffix(file, ".md"), from); ok {
		d.document(from, id.Path(), "spec")
	}
}

// specID makes the id of a spec of a name, and says so where it is not the same.
func (d *draft) specID(name, from string) (specs.SpecID, bool) {
	id, err := specs.ParseSpecID(name)
	legal := err == nil
	if !legal {
		id, err = specs.ParseSpecID(phases.Slug(name))
	}
	_, taken := d.Files[id.Path()]
	switch {
	case err != nil:
		d.note("%s: %q cannot be the id of a spec: left out", from, name)
	case taken:
		d.contradicts("%s: %q is the id of another spec already: left out", from, string(id))
	case !legal:
		d.note("%q is no legal id of a spec here: it becomes %q", name, string(id))
	}
	return id, err == nil && !taken
}

// describe takes title and description from the proposal.
func (d *draft) describe() {
	src, there := d.Files[specs.ProposalPath]
	if !there {
		return
	}
	proposal, _, err := specs.ParseProposal(d.path(specs.ProposalPath), src)
	if err != nil {
		d.contradicts("%v", err)
		return
	}
	d.Description = proposal.Summary
	if proposal.ID != "" && proposal.ID != d.Name && proposal.ID != d.ID {
		d.contradicts("%s says that it is of %q", specs.ProposalPath, proposal.ID)
	}
	if proposal.Status == "approved" || proposal.Status == "challenged" {
		d.contradicts("%s calls itself %s, and nothing says of which text", specs.ProposalPath, proposal.Status)
	}
	if review, there := proposal.NewestReview(); there {
		d.note("%s ends in a review of round %d by %s: %s; it stays there as text", specs.ProposalPath, review.Iteration, review.Reviewer, review.Status)
	}
}

// archivedAgentd reads a change that was archived. It is history: what it claims is told, and nothing is made of it.
func archivedAgentd(folder, name string, files Tree) Change {
	d := newDraft(Agentd, folder, name, files)
	d.Err = nil // history needs no id
	d.Phase, d.Files, d.Notes = phases.None, nil, nil
	d.ID = name
	d.judge(agentdRecord(files))
	return d.Change
}
